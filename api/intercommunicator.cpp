// Inter-communicators and communicators of groups: MPI-5.0, sections 7.4.2 and 7.6.
//
// All are collective over what they join, and wait. Any thread at MPI_THREAD_MULTIPLE. Errors of all:
// MPI_ERR_COMM, MPI_ERR_ARG for null pointers, MPI_ERR_OTHER when no context id is free,
// MPI_ERR_PROC_ABORTED.
#include "comm/Intercommunicator.h"
#include "api/Checks.h"
#include "api/Guard.h"
#include "comm/FromGroup.h"
#include "comm/Hints.h"
#include "mpl/Info.h"
#include "pt2pt/Runtime.h"

#include <cstring>

using namespace mpl;
using namespace mpl::api;

namespace {

std::string_view checkedTag(const char* stringtag) {
  checkPointer(stringtag, "stringtag");
  const std::size_t length = strnlen(stringtag, MPI_MAX_STRINGTAG_LEN);
  if (length == MPI_MAX_STRINGTAG_LEN)
    fail(MPI_ERR_ARG, "stringtag has ", MPI_MAX_STRINGTAG_LEN, " characters or more");
  return {stringtag, length};
}

Ref<Errhandler> checkedHandler(MPI_Errhandler errhandler) {
  Errhandler& handler = errhandlerOf(errhandler);
  if (!handler.suits<MPI_Comm>())
    fail(MPI_ERR_ERRHANDLER, "errhandler was not made by MPI_Comm_create_errhandler");
  return Ref<Errhandler>(&handler);
}

void checkLeader(const char* name, int leader, int size) {
  if (leader < 0 || leader >= size)
    fail(MPI_ERR_RANK, name, " is ", leader, ", which is not a rank of its group (0..", size - 1, ")");
}

MPI_Comm give(const Ref<Communicator>& made, const Info* hints) {
  if (hints != nullptr)
    made->info() = recognizedHints(*hints);
  return made->giveHandle();
}

} // namespace

extern "C" {

/// local_comm: an intra-communicator, this side's group. local_leader: a rank in it. peer_comm,
/// remote_leader, tag (0..MPI_TAG_UB): significant at the leader; the leaders talk over peer_comm, with
/// messages that meet no others. Errors also: MPI_ERR_RANK, MPI_ERR_TAG.
int PMPI_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader,
                          int tag, MPI_Comm* newintercomm) {
  return guarded("MPI_Intercomm_create", local_comm, [&] {
    checkPointer(newintercomm, "newintercomm");
    Communicator& local = communicatorOf(local_comm);
    if (local.isInter())
      fail(MPI_ERR_COMM, "local_comm is an inter-communicator: ", local.label());
    checkLeader("local_leader", local_leader, local.size());
    Bridge bridge{&local, local_leader, nullptr, remote_leader, tag};
    if (bridge.isLeader()) {
      bridge.peer = &communicatorOf(peer_comm);
      checkLeader("remote_leader", remote_leader, bridge.peer->peerCount());
      checkSendTag(tag);
    }
    *newintercomm = joinGroups(bridge)->giveHandle();
  });
}

/// high: the same at all of a group; the group with high comes last.
int PMPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm* newintracomm) {
  return guarded("MPI_Intercomm_merge", intercomm, [&] {
    checkPointer(newintracomm, "newintracomm");
    Communicator& inter = communicatorOf(intercomm);
    if (!inter.isInter())
      fail(MPI_ERR_COMM, inter.label(), " is not an inter-communicator");
    *newintracomm = merge(inter, high != 0);
  });
}

/// group: of a session or another communicator, the same at all its members; MPI_GROUP_EMPTY gives
/// MPI_COMM_NULL. stringtag: tells calls apart that go on at the same time, below MPI_MAX_STRINGTAG_LEN
/// characters. errhandler: of the new communicator, and for errors of this call. Errors also: MPI_ERR_GROUP.
int PMPI_Comm_create_from_group(MPI_Group group, const char* stringtag, MPI_Info info,
                                MPI_Errhandler errhandler, MPI_Comm* newcomm) {
  try {
    runtime.requireActive();
    checkPointer(newcomm, "newcomm");
    const Ref<Errhandler> handler = checkedHandler(errhandler);
    const std::string_view tag = checkedTag(stringtag);
    const Info* hints = infoOrNull(info);
    const Group& members = groupOf(group);
    *newcomm = members.size() == 0 ? MPI_COMM_NULL : give(createFromGroup(members, tag, handler), hints);
    return MPI_SUCCESS;
  } catch (...) {
    return reportTo(errhandler, "MPI_Comm_create_from_group", false);
  }
}

/// local_group: this side; remote_group, remote_leader: significant at the local leader. Both groups have
/// members, and none in common. Errors also: MPI_ERR_GROUP, MPI_ERR_RANK.
int PMPI_Intercomm_create_from_groups(MPI_Group local_group, int local_leader, MPI_Group remote_group,
                                      int remote_leader, const char* stringtag, MPI_Info info,
                                      MPI_Errhandler errhandler, MPI_Comm* newintercomm) {
  try {
    runtime.requireActive();
    checkPointer(newintercomm, "newintercomm");
    const Ref<Errhandler> handler = checkedHandler(errhandler);
    const std::string_view tag = checkedTag(stringtag);
    const Info* hints = infoOrNull(info);
    const Group& local = groupOf(local_group);
    checkLeader("local_leader", local_leader, local.size());
    const Group* remote = nullptr;
    if (local.rank() == local_leader) {
      remote = &groupOf(remote_group);
      checkLeader("remote_leader", remote_leader, remote->size());
    }
    *newintercomm = give(joinGroups(local, local_leader, remote, remote_leader, tag, handler), hints);
    return MPI_SUCCESS;
  } catch (...) {
    return reportTo(errhandler, "MPI_Intercomm_create_from_groups", false);
  }
}

} // extern "C"

#include "api/intercommunicator.aliases.h"
