// Constructors and destructor of communicators, and their hints: MPI-5.0, sections 7.4.2 to 7.4.4.
//
// All but MPI_Comm_get_info and MPI_Comm_create_group are collective over comm (MPI_Comm_create_group: over
// the members of group). Any thread at MPI_THREAD_MULTIPLE; different threads may make communicators of
// different parents at the same time. Errors of all: MPI_ERR_COMM, MPI_ERR_ARG for null pointers; of the
// constructors: MPI_ERR_OTHER when no context id is free (half a million communicators are alive),
// MPI_ERR_PROC_ABORTED.
#include "api/Checks.h"
#include "api/Guard.h"
#include "comm/Constructors.h"
#include "comm/Duplicate.h"
#include "comm/Hints.h"
#include "comm/SplitType.h"
#include "pt2pt/BsendBuffer.h"
#include "pt2pt/EngineLock.h"
#include "pt2pt/Progress.h"
#include "pt2pt/Runtime.h"
#include "pt2pt/TransportReport.h"

using namespace mpl;
using namespace mpl::api;

namespace {

// Constructors that make the ordinary kind of the other's group.
Communicator& intraCommunicator(MPI_Comm handle) {
  return intraCommunicatorOf(handle, "of which this function makes none");
}

int duplicateWith(const char* function, MPI_Comm comm, MPI_Comm* newcomm, auto&& hints) {
  return guarded(function, comm, [&] {
    checkPointer(newcomm, "newcomm");
    *newcomm = duplicate(communicatorOf(comm), hints());
  });
}

int startDuplicateWith(const char* function, MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request,
                       auto&& hints) {
  return guarded(function, comm, [&] {
    checkPointer(newcomm, "newcomm");
    checkPointer(request, "request");
    *newcomm = startDuplicate(communicatorOf(comm), hints(), *request);
  });
}

const Info* parentsHints() {
  return nullptr;
}

// MPI_INFO_NULL is a set of hints too: the empty one.
const Info* givenHints(MPI_Info info) {
  static const Info none;
  const Info* given = infoOrNull(info);
  return given != nullptr ? given : &none;
}

void checkColor(const char* name, int color) {
  if (color < 0 && color != MPI_UNDEFINED)
    fail(MPI_ERR_ARG, name, " is ", color, ", which is neither 0 or more nor MPI_UNDEFINED");
}

Communicator& freeable(MPI_Comm comm) {
  Communicator& found = communicatorOf(comm);
  if (reinterpret_cast<std::uintptr_t>(comm) < HandleTable<Communicator, MPI_Comm>::predefinedLimit)
    fail(MPI_ERR_COMM, "comm is ", found.label(), ", which cannot be freed");
  return found;
}

void freeCommunicator(MPI_Comm& comm) {
  Communicator& freed = freeable(comm);
  freed.attributes().removeAll(comm);
  if (freed.bsendBuffer)
    detachBsendBuffer({&freed});
  EngineLock lock;
  freed.dropHandle();
  comm = MPI_COMM_NULL;
}

} // namespace

extern "C" {

/// newcomm: the same group, hints, error handler, and the attributes whose copy callbacks say so. Errors
/// also: what such a callback returned.
int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm* newcomm) {
  return duplicateWith("MPI_Comm_dup", comm, newcomm, parentsHints);
}

/// The same with hints from info in place of comm's. Errors also: MPI_ERR_INFO.
int PMPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm) {
  return duplicateWith("MPI_Comm_dup_with_info", comm, newcomm, [&] { return givenHints(info); });
}

/// newcomm may be used once the request is complete; attributes are copied by this call.
int PMPI_Comm_idup(MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request) {
  return startDuplicateWith("MPI_Comm_idup", comm, newcomm, request, parentsHints);
}

int PMPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm, MPI_Request* request) {
  return startDuplicateWith("MPI_Comm_idup_with_info", comm, newcomm, request,
                            [&] { return givenHints(info); });
}

/// group: a subset of comm's; members of comm may give different groups that have no member in common.
/// newcomm: MPI_COMM_NULL at processes that are not in their group. Errors also: MPI_ERR_GROUP.
int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
  return guarded("MPI_Comm_create", comm, [&] {
    checkPointer(newcomm, "newcomm");
    Communicator& parent = communicatorOf(comm);
    *newcomm = createFromGroup(parent, groupOf(group));
  });
}

/// tag: 0..MPI_TAG_UB, tells calls apart that go on at the same time; it meets no other message's tag.
/// newcomm: MPI_COMM_NULL at processes that are not in the group. Errors also: MPI_ERR_GROUP, MPI_ERR_TAG.
int PMPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm) {
  return guarded("MPI_Comm_create_group", comm, [&] {
    checkPointer(newcomm, "newcomm");
    Communicator& parent = intraCommunicator(comm);
    const Group& members = groupOf(group);
    checkSendTag(tag);
    *newcomm = createAmongGroup(parent, members, tag);
  });
}

/// color: 0 or more, or MPI_UNDEFINED for no newcomm (MPI_COMM_NULL); key: any number, equal ones leave the
/// order of ranks.
int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
  return guarded("MPI_Comm_split", comm, [&] {
    checkPointer(newcomm, "newcomm");
    Communicator& parent = communicatorOf(comm);
    checkColor("color", color);
    *newcomm = split(parent, color, key);
  });
}

/// split_type: MPI_COMM_TYPE_SHARED (the processes of a node); MPI_COMM_TYPE_HW_GUIDED and
/// MPI_COMM_TYPE_RESOURCE_GUIDED (those in one part of the kind that info's "mpi_hw_resource_type" names:
/// "mpi_shared_memory", "hwloc://Package", "hwloc://NUMANode", "hwloc://L3Cache", "hwloc://L2Cache",
/// "hwloc://L1Cache", "hwloc://Core", "hwloc://PU"; the latter also by "mpi_pset_name");
/// MPI_COMM_TYPE_HW_UNGUIDED (by the largest kind of parts that divides comm, whose name is written to info);
/// MPI_UNDEFINED for no newcomm. Processes that are not confined to one part get MPI_COMM_NULL. comm is an
/// intra-communicator. Errors also: MPI_ERR_ARG for other types, MPI_ERR_INFO.
int PMPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm) {
  return guarded("MPI_Comm_split_type", comm, [&] {
    checkPointer(newcomm, "newcomm");
    Communicator& parent = intraCommunicator(comm);
    *newcomm = splitByType(parent, split_type, key, info == MPI_INFO_NULL ? nullptr : &infoOf(info));
  });
}

/// hw_info: a new object with the kinds of hardware that MPI_Comm_split_type knows as keys and, as values,
/// "true" where this process is confined to one part of the kind. Local.
int PMPI_Get_hw_resource_info(MPI_Info* hw_info) {
  return guarded("MPI_Get_hw_resource_info", [&] {
    checkPointer(hw_info, "hw_info");
    runtime.requireActive();
    *hw_info = newHandle(hardwareResources());
  });
}

/// Sets *comm to MPI_COMM_NULL; operations that are under way end as if nothing had happened. Not for
/// MPI_COMM_WORLD and MPI_COMM_SELF (MPI_ERR_COMM). Errors also: what an attribute's delete callback
/// returned; the communicator is then still there.
int PMPI_Comm_free(MPI_Comm* comm) {
  return guarded("MPI_Comm_free", comm != nullptr ? *comm : MPI_COMM_NULL, [&] {
    checkPointer(comm, "comm");
    freeCommunicator(*comm);
  });
}

/// As MPI_Comm_free, after the operations under way on *comm have completed (MPI-5.0, section 11.10.4). A
/// receive that nobody sends to keeps it waiting. Collective.
int PMPI_Comm_disconnect(MPI_Comm* comm) {
  return guarded("MPI_Comm_disconnect", comm != nullptr ? *comm : MPI_COMM_NULL, [&] {
    checkPointer(comm, "comm");
    const Communicator& left = freeable(*comm);
    waitUntil([&] { return !left.isBusy(); });
    freeCommunicator(*comm);
  });
}

/// info_used: a new object with the hints that are known to MPL and set, for the program to free.
int PMPI_Comm_get_info(MPI_Comm comm, MPI_Info* info_used) {
  return guarded("MPI_Comm_get_info", comm, [&] {
    checkPointer(info_used, "info_used");
    Communicator& asked = communicatorOf(comm);
    Info used = asked.info();
    // Not a hint: what the library can tell of the connections.
    const std::string transports = describeTransports(asked, MPI_MAX_INFO_VAL - 1);
    if (!transports.empty())
      used.set("mpl_transport", transports);
    *info_used = newHandle(used);
  });
}

/// Adds the hints of info to comm's. Errors also: MPI_ERR_INFO.
int PMPI_Comm_set_info(MPI_Comm comm, MPI_Info info) {
  return guarded("MPI_Comm_set_info", comm, [&] {
    Communicator& changed = communicatorOf(comm);
    for (const auto& [key, value] : recognizedHints(infoOf(info)).pairs())
      changed.info().set(key, value);
  });
}

} // extern "C"

#include "api/communicator.aliases.h"
