#pragma once

#include "mpi.h"

#include "mpl/Info.h"
#include "pt2pt/Communicator.h"

namespace mpl {

/// MPI_Comm_split_type (MPI-5.0, section 7.4.2): collective, waits. hints: may be null;
/// MPI_COMM_TYPE_HW_UNGUIDED writes the resource that it chose there. MPI_COMM_NULL for a process that
/// belongs to no part, and where a guided split names no resource that is known. Errors: MPI_ERR_ARG for a
/// type that is none, or two resources named at once; those of split().
MPI_Comm splitByType(Communicator& parent, int type, int key, Info* hints);

/// The kinds of hardware that splits know, each with whether this process is confined to one of them
/// (MPI_Get_hw_resource_info).
Info hardwareResources();

/// The place of this process when the members stand in the order of the machine (node, package ... core), by
/// rank where that does not tell them apart. Collective, waits.
int placeInMachine(Communicator& parent);

} // namespace mpl
