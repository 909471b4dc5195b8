#pragma once

#include "mpl/Info.h"

namespace mpl {

/// Of the hints that a program gives for a communicator, those that MPL knows (MPI-5.0, section 7.4.4): only
/// they are kept, and shown by MPI_Comm_get_info.
Info recognizedHints(const Info& given);

} // namespace mpl
