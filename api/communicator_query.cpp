// Questions about communicators: MPI-5.0, sections 7.4.1, 7.6.1 and 7.8.
//
// comm: any communicator. Local, any thread at MPI_THREAD_MULTIPLE. Errors: MPI_ERR_COMM, MPI_ERR_ARG for a
// null pointer.
#include "api/Checks.h"
#include "api/Guard.h"
#include "mpl/Group.h"

#include <algorithm>
#include <cstring>

using namespace mpl;
using namespace mpl::api;

namespace {

// Members, not context: the part of MPI_Comm_compare that groups decide.
int compareGroups(const Communicator& a, const Communicator& b) {
  if (a.isInter() != b.isInter())
    return MPI_UNEQUAL;
  const int local = a.group().compare(b.group());
  const int remote = a.isInter() ? a.peerGroup().compare(b.peerGroup()) : local;
  if (local == MPI_UNEQUAL || remote == MPI_UNEQUAL)
    return MPI_UNEQUAL;
  return local == MPI_IDENT && remote == MPI_IDENT ? MPI_CONGRUENT : MPI_SIMILAR;
}

int answer(const char* function, MPI_Comm comm, int* result, const char* name, auto&& question) {
  return guarded(function, comm, [&] {
    checkPointer(result, name);
    *result = question(communicatorOf(comm));
  });
}

} // namespace

extern "C" {

/// rank: 0..size-1, of this process in the local group.
int PMPI_Comm_rank(MPI_Comm comm, int* rank) {
  return answer("MPI_Comm_rank", comm, rank, "rank", [](const Communicator& c) { return c.rank(); });
}

/// size: processes in the local group.
int PMPI_Comm_size(MPI_Comm comm, int* size) {
  return answer("MPI_Comm_size", comm, size, "size", [](const Communicator& c) { return c.size(); });
}

/// Inter-communicators only: processes in the remote group. MPI_ERR_COMM for others.
int PMPI_Comm_remote_size(MPI_Comm comm, int* size) {
  return answer("MPI_Comm_remote_size", comm, size, "size", [](const Communicator& c) {
    if (!c.isInter())
      fail(MPI_ERR_COMM, c.label(), " is not an inter-communicator");
    return c.peerCount();
  });
}

int PMPI_Comm_test_inter(MPI_Comm comm, int* flag) {
  return answer("MPI_Comm_test_inter", comm, flag, "flag",
                [](const Communicator& c) { return c.isInter() ? 1 : 0; });
}

/// group: a new handle of the local group, for the program to free.
int PMPI_Comm_group(MPI_Comm comm, MPI_Group* group) {
  return guarded("MPI_Comm_group", comm, [&] {
    checkPointer(group, "group");
    *group = newHandle(communicatorOf(comm).groupRef());
  });
}

int PMPI_Comm_remote_group(MPI_Comm comm, MPI_Group* group) {
  return guarded("MPI_Comm_remote_group", comm, [&] {
    checkPointer(group, "group");
    const Communicator& c = communicatorOf(comm);
    if (!c.isInter())
      fail(MPI_ERR_COMM, c.label(), " is not an inter-communicator");
    *group = newHandle(c.peerGroupRef());
  });
}

/// result: MPI_IDENT, MPI_CONGRUENT, MPI_SIMILAR or MPI_UNEQUAL.
int PMPI_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int* result) {
  return guarded("MPI_Comm_compare", comm1, [&] {
    checkPointer(result, "result");
    const Communicator& a = communicatorOf(comm1);
    const Communicator& b = communicatorOf(comm2);
    *result = &a == &b ? MPI_IDENT : compareGroups(a, b);
  });
}

/// comm_name: at most MPI_MAX_OBJECT_NAME-1 characters are kept.
int PMPI_Comm_set_name(MPI_Comm comm, const char* comm_name) {
  return guarded("MPI_Comm_set_name", comm, [&] {
    checkPointer(comm_name, "comm_name");
    communicatorOf(comm).setName(std::string(comm_name, strnlen(comm_name, MPI_MAX_OBJECT_NAME - 1)));
  });
}

/// comm_name: room for MPI_MAX_OBJECT_NAME characters; empty where no name was set.
int PMPI_Comm_get_name(MPI_Comm comm, char* comm_name, int* resultlen) {
  return guarded("MPI_Comm_get_name", comm, [&] {
    checkPointer(comm_name, "comm_name");
    checkPointer(resultlen, "resultlen");
    const std::string name = communicatorOf(comm).name();
    std::memcpy(comm_name, name.c_str(), name.size() + 1);
    *resultlen = static_cast<int>(name.size());
  });
}

int PMPI_Comm_toint(MPI_Comm comm) {
  return HandleTable<Communicator, MPI_Comm>::toInt(comm);
}
MPI_Comm PMPI_Comm_fromint(int comm) {
  return communicators->fromInt(comm);
}

} // extern "C"

#include "api/communicator_query.aliases.h"
