#include "coll/shared/Fit.h"

#include "mpl/Error.h"

namespace mpl {

void Fit::failTooLong() const {
  fail(MPI_ERR_TRUNCATE, sent_, " bytes from rank ", from_, " do not fit the ", room_,
       " bytes of room for them");
}

} // namespace mpl
