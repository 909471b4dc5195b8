#pragma once

#include "mpi.h"

#include "pt2pt/Communicator.h"

namespace mpl {

/// Two groups that are to be joined: this process's group as a communicator, its leader, and how the leaders
/// reach each other. peer, remoteLeader: at the leader only.
struct Bridge {
  Communicator* local;
  int leader;
  Communicator* peer;
  int remoteLeader;
  int tag;

  bool isLeader() const noexcept { return local->rank() == leader; }
};

/// MPI_Intercomm_create (MPI-5.0, section 7.6.2): collective over both groups, waits. Errors: MPI_ERR_COMM
/// where the groups have a member in common, MPI_ERR_OTHER where no context id is free, MPI_ERR_PROC_ABORTED;
/// what a leader meets reaches its whole group.
Ref<Communicator> joinGroups(const Bridge& bridge);

/// MPI_Intercomm_merge: one communicator of both groups, those with high last; where both give the same, the
/// group whose first member has the lower rank in the job comes first. Collective, waits.
MPI_Comm merge(Communicator& inter, bool high);

} // namespace mpl
