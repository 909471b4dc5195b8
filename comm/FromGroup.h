#pragma once

#include "mpi.h"

#include "comm/Intercommunicator.h"

#include <string_view>

namespace mpl {

/// Communicators of groups alone, without a parent (MPI-5.0, sections 7.4.2 and 7.6.2). Collective over the
/// members, waits. tag: tells calls apart that go on at the same time. Errors: MPI_ERR_GROUP where this
/// process is no member, MPI_ERR_OTHER where no context id is free, MPI_ERR_PROC_ABORTED.
Ref<Communicator> createFromGroup(const Group& group, std::string_view tag, const Ref<Errhandler>& handler);

/// remote, remoteLeader: at the local leader only.
Ref<Communicator> joinGroups(const Group& local, int leader, const Group* remote, int remoteLeader,
                             std::string_view tag, const Ref<Errhandler>& handler);

} // namespace mpl
