#include "coll/shared/DirectAccess.h"

#include "mpl/Error.h"

#include <cerrno>

namespace mpl {

void DirectAccess::failAccess() const {
  const int errorClass = error_ == EFAULT ? MPI_ERR_BUFFER : MPI_ERR_OTHER;
  fail(errorClass, "the memory of process ", group_.process(rank_),
       ", which takes part in the collective, cannot be used: ", std::strerror(error_));
}

} // namespace mpl
