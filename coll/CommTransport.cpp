#include "coll/CommTransport.h"

#include "pt2pt/Engine.h"
#include "pt2pt/Receive.h"

namespace mpl {

Error CommTransport::failureOf(const Request& request) {
  return Error(request.outcome.error, describeFailure(request));
}

void CommTransport::checkMembers() const {
  if (endpoints.deadCount() == 0)
    return;
  if (ranks_.empty()) {
    comm_->checkNotDied(MPI_ANY_SOURCE);
    if (comm_->companion)
      comm_->companion->checkNotDied(MPI_ANY_SOURCE);
    return;
  }
  for (int rank : ranks_)
    comm_->checkNotDied(rank);
}

} // namespace mpl
