#pragma once

#include "mpi.h"

#include "comm/Agreement.h"

namespace mpl {

/// MPI_Comm_dup and MPI_Comm_dup_with_info (MPI-5.0, section 7.4.2): collective, waits. hints: nullptr takes
/// those of the parent. Errors: MPI_ERR_OTHER where no context id is free; what an attribute's copy callback
/// returned; MPI_ERR_PROC_ABORTED.
MPI_Comm duplicate(Communicator& parent, const Info* hints);

/// The same in the background: the new communicator may be used when the request is complete. Attributes are
/// copied at once.
MPI_Comm startDuplicate(Communicator& parent, const Info* hints, MPI_Request& request);

/// A communicator with the error handler of its parent. Takes the lease's id.
Ref<Communicator> makeChild(const Communicator& parent, Ref<Group> local, ContextLease& lease);
/// The same for an inter-communicator.
Ref<Communicator> makeChild(const Communicator& parent, Ref<Group> local, Ref<Group> remote,
                            ContextLeases& leases);

} // namespace mpl
