#pragma once

#include "mpl/Info.h"

namespace mpl {

/// Of the hints that a program gives for a window, those that MPL knows (MPI-5.0, section 12.2), with their
/// defaults where they have one: what MPI_Win_get_info shows. given may be nullptr. Values that are not
/// understood are left out.
Info recognizedWindowHints(const Info* given);

/// MPI_Win_set_info: takes over what may be changed later.
void updateWindowHints(Info& hints, const Info& given);

} // namespace mpl
