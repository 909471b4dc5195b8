#pragma once

#include "mpi.h"

#include "pt2pt/Communicator.h"

namespace mpl {

/// The constructors of MPI-5.0, section 7.4.2. They wait for the other members, and give MPI_COMM_NULL to a
/// process that is to be no member of the new communicator. Of an inter-communicator the first two make
/// inter-communicators, and MPI_COMM_NULL where the other side would be empty. Errors of all: MPI_ERR_OTHER
/// where no context id is free, MPI_ERR_PROC_ABORTED.

/// Collective: one communicator for each color, ordered by key and, among equal keys, by rank. No member:
/// color MPI_UNDEFINED. O(N log N) time.
MPI_Comm split(Communicator& parent, int color, int key);

/// The color for MPI_COMM_TYPE_SHARED: the same at the processes of a node, different elsewhere.
int colorOfNode();

/// Collective: group is a subset of the parent's, the same at all members of the group.
/// Errors: MPI_ERR_GROUP where it is none.
MPI_Comm createFromGroup(Communicator& parent, const Group& group);

/// Collective over the members of the group only; several may go on at the same time with different tags.
/// Errors: MPI_ERR_GROUP.
MPI_Comm createAmongGroup(Communicator& parent, const Group& group, int tag);

} // namespace mpl
