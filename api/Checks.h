#pragma once

#include "pt2pt/Communicator.h"
#include "pt2pt/MessageBuffer.h"

/// Checks of arguments that several chapters share. Each throws mpl::Error with the class that the standard
/// gives for the argument and a message with its name and value. The failing halves are out of line.
namespace mpl::api {

[[noreturn, gnu::cold]] void failCount(const char* name, MPI_Count count);
[[noreturn, gnu::cold]] void failTag(int tag, bool anyAllowed);
[[noreturn, gnu::cold]] void failRank(const char* name, int rank, const Communicator& comm, bool anyAllowed);
[[noreturn, gnu::cold]] void failBuffer(const void* buffer, MPI_Count count);
[[noreturn, gnu::cold]] void failNull(const char* name);

/// For functions that look both handles up before anything else: says which one is wrong.
[[gnu::cold]] int failHandles(const char* function, MPI_Comm comm, MPI_Datatype datatype);

/// MPI_ERR_TYPE where the datatype is not committed.
inline void checkCommitted(const Datatype& type) {
  if (!type.isCommitted()) [[unlikely]]
    failNotCommitted(type);
}

/// The communicator; MPI_ERR_COMM for an inter-communicator. why: the end of the message, "which has no ...".
Communicator& intraCommunicatorOf(MPI_Comm handle, const char* why);

/// MPI_ERR_COUNT for a negative count.
inline void checkCount(MPI_Count count, const char* name = "count") {
  if (count < 0) [[unlikely]]
    failCount(name, count);
}

/// MPI_ERR_ARG for a null pointer that the function has to write to or read from.
inline void checkPointer(const void* pointer, const char* name) {
  if (pointer == nullptr) [[unlikely]]
    failNull(name);
}

/// MPI_ERR_TAG outside 0..MPI_TAG_UB.
inline void checkSendTag(int tag) {
  if (static_cast<unsigned>(tag) > static_cast<unsigned>(envelope::maxTag)) [[unlikely]]
    failTag(tag, false);
}

/// The same, MPI_ANY_TAG being allowed.
inline void checkReceiveTag(int tag) {
  if (static_cast<unsigned>(tag) > static_cast<unsigned>(envelope::maxTag) && tag != MPI_ANY_TAG) [[unlikely]]
    failTag(tag, true);
}

/// MPI_ERR_RANK where dest is neither a rank nor MPI_PROC_NULL. False for MPI_PROC_NULL.
inline bool checkDestination(const Communicator& comm, int dest) {
  if (static_cast<unsigned>(dest) < static_cast<unsigned>(comm.peerCount())) [[likely]]
    return true;
  if (dest != MPI_PROC_NULL)
    failRank("dest", dest, comm, false);
  return false;
}

/// The same for a source, which may be MPI_ANY_SOURCE.
inline bool checkSource(const Communicator& comm, int source) {
  if (static_cast<unsigned>(source) < static_cast<unsigned>(comm.peerCount()) || source == MPI_ANY_SOURCE)
      [[likely]]
    return true;
  if (source != MPI_PROC_NULL)
    failRank("source", source, comm, true);
  return false;
}

/// MPI_ERR_COUNT, and MPI_ERR_BUFFER for a null buffer (or a constant such as MPI_IN_PLACE) that has data.
inline MessageBuffer checkedBuffer(const void* buffer, MPI_Count count, const Datatype& type) {
  checkCount(count);
  const MessageBuffer data = messageBuffer(buffer, count, type);
  constexpr std::uintptr_t constants = 16; // no object has such an address
  if (reinterpret_cast<std::uintptr_t>(buffer) < constants && data.bytes != 0 && type.isPlain()) [[unlikely]]
    failBuffer(buffer, count);
  return data;
}

} // namespace mpl::api
