#pragma once

#include "pt2pt/Request.h"

namespace mpl {

/// Generalized requests (MPI-5.0, section 13.2): the program says when they are complete.
MPI_Request startGeneralized(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
                             MPI_Grequest_cancel_function* cancel, void* extraState);

/// MPI_Grequest_complete. Errors: MPI_ERR_REQUEST where it is no generalized request.
void completeGeneralized(Request& request);

/// MPI_Cancel of a generalized request: runs the program's function. False where it is no generalized
/// request.
bool cancelGeneralized(Request& request);

} // namespace mpl
