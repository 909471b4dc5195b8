// Blocking and non-blocking sends: MPI-5.0, sections 3.2.1, 3.4, 3.6 and 3.7.2.
//
// All of them: count >= 0 elements of a committed datatype at buf; dest a rank of comm (of the remote group
// for inter-communicators) or MPI_PROC_NULL; tag in 0..MPI_TAG_UB. Errors: MPI_ERR_COMM, MPI_ERR_COUNT,
// MPI_ERR_TYPE, MPI_ERR_BUFFER, MPI_ERR_TAG, MPI_ERR_RANK, MPI_ERR_PROC_ABORTED where the receiver died. Any
// thread at MPI_THREAD_MULTIPLE.
#include "pt2pt/Send.h"
#include "api/Checks.h"
#include "api/Guard.h"
#include "pt2pt/BsendBuffer.h"
#include "pt2pt/Completion.h"
#include "pt2pt/FastPath.h"
#include "pt2pt/node/NodeSend.h"

using namespace mpl;
using namespace mpl::api;

namespace {

namespace names {
constexpr const char* send = "MPI_Send";
constexpr const char* sendLarge = "MPI_Send_c";
constexpr const char* ssend = "MPI_Ssend";
constexpr const char* ssendLarge = "MPI_Ssend_c";
constexpr const char* rsend = "MPI_Rsend";
constexpr const char* rsendLarge = "MPI_Rsend_c";
constexpr const char* isend = "MPI_Isend";
constexpr const char* isendLarge = "MPI_Isend_c";
constexpr const char* issend = "MPI_Issend";
constexpr const char* issendLarge = "MPI_Issend_c";
constexpr const char* irsend = "MPI_Irsend";
constexpr const char* irsendLarge = "MPI_Irsend_c";
} // namespace names

[[gnu::noinline]] int finishSend(const char* function, Request& request) {
  return guarded(function, request.comm->handle(), [&] { finishBlocking(request, MPI_STATUS_IGNORE); });
}

// Starts the send; nullptr: complete. toNobody tells a send to MPI_PROC_NULL.
template <SendMode mode>
Request* begin(const void* buffer, MPI_Count count, const Datatype& type, int dest, int tag, Communicator& c,
               bool& toNobody) {
  checkCommitted(type);
  const MessageBuffer data = checkedBuffer(buffer, count, type);
  checkSendTag(tag);
  toNobody = !checkDestination(c, dest);
  if (toNobody) [[unlikely]]
    return nullptr;
  EngineLock lock;
  return startSend<mode>(c, c.messageContext(), data, &type, dest, tag);
}

// A call goes through up to three stages that have the same parameters in the same places, so that each is
// reached by a jump: the fast path for predefined handles; the fast path for all others (LookUp); the general
// path, which checks everything and explains. `name` is the function's, for messages.
template <SendMode mode, const char* const& name, class Count>
[[gnu::noinline]] int sendGenerally(const void* buffer, Count count, const Datatype* type, int dest, int tag,
                                    Communicator* comm) {
  return guarded(name, comm->handle(), [&] {
    bool toNobody = false;
    if (Request* request = begin<mode>(buffer, count, *type, dest, tag, *comm, toNobody))
      finishBlocking(*request, MPI_STATUS_IGNORE);
  });
}

template <SendMode mode, const char* const& name, class Count>
[[gnu::noinline]] int isendGenerally(const void* buffer, Count count, const Datatype* type, int dest, int tag,
                                     Communicator* comm, MPI_Request* request) {
  return guarded(name, comm->handle(), [&] {
    checkPointer(request, "request");
    bool toNobody = false;
    const Request* started = begin<mode>(buffer, count, *type, dest, tag, *comm, toNobody);
    *request = started != nullptr ? started->handle : toNobody ? completedNothing : completedSend;
  });
}

// What is left to do through memory of the node. A stage of its own, reached by a jump like the others: it
// needs more registers than the one through UCX has to save.
template <const char* const& name>
[[gnu::noinline]] int sendInLane(const void* buffer, std::int64_t bytes, Lane* lane, int dest, int tag,
                                 Communicator* comm) {
  Request* started = node::sendPlain(*lane, *comm, buffer, static_cast<std::uint64_t>(bytes), dest, tag);
  return started == nullptr ? MPI_SUCCESS : finishSend(name, *started);
}

[[gnu::noinline]] int isendInLane(const void* buffer, std::int64_t bytes, Lane* lane, int dest, int tag,
                                  Communicator* comm, MPI_Request* request) {
  const Request* started =
      node::sendPlain(*lane, *comm, buffer, static_cast<std::uint64_t>(bytes), dest, tag);
  *request = started == nullptr ? completedSend : started->handle;
  return MPI_SUCCESS;
}

template <const char* const& name>
[[gnu::always_inline]] inline int sendFast(const void* buffer, std::int64_t bytes, int dest, int tag,
                                           Communicator* comm, Route route) {
  if (route.isLane())
    return sendInLane<name>(buffer, bytes, &route.lane(), dest, tag, comm);
  Request* started = fastPath::send(buffer, bytes, dest, tag, comm, route.endpoint());
  return started == nullptr ? MPI_SUCCESS : finishSend(name, *started);
}

[[gnu::always_inline]] inline int isendFast(const void* buffer, std::int64_t bytes, int dest, int tag,
                                            Communicator* comm, Route route, MPI_Request* request) {
  if (route.isLane())
    return isendInLane(buffer, bytes, &route.lane(), dest, tag, comm, request);
  const Request* started = fastPath::send(buffer, bytes, dest, tag, comm, route.endpoint());
  if (started == nullptr) [[likely]]
    *request = completedSend;
  else
    *request = started->handle;
  return MPI_SUCCESS;
}

template <SendMode mode, const char* const& name, class Count>
[[gnu::noinline]] int sendLookUp(const void* buffer, Count count, MPI_Datatype datatype, int dest, int tag,
                                 MPI_Comm handle) {
  Communicator* comm = communicators->find(handle);
  const Datatype* type = datatypes->find(datatype);
  if (comm == nullptr || type == nullptr) [[unlikely]]
    return failHandles(name, handle, datatype);
  const std::size_t size = type->isPlain() ? type->size() : 0;
  std::int64_t bytes = 0;
  Route route;
  if (mode != SendMode::Standard || size == 0 ||
      !fastPath::fitsSend(buffer, count, size, dest, tag, comm, bytes, route))
    return sendGenerally<mode, name>(buffer, count, type, dest, tag, comm);
  return sendFast<name>(buffer, bytes, dest, tag, comm, route);
}

template <SendMode mode, const char* const& name, class Count>
[[gnu::always_inline]] inline int send(const void* buffer, Count count, MPI_Datatype datatype, int dest,
                                       int tag, MPI_Comm handle) {
  Communicator* comm = communicators->findPredefined(handle);
  const std::uint8_t size = plainSizeOf(datatype);
  std::int64_t bytes = 0;
  Route route;
  if (mode != SendMode::Standard || comm == nullptr || size == 0 ||
      !fastPath::fitsSend(buffer, count, size, dest, tag, comm, bytes, route)) [[unlikely]]
    return sendLookUp<mode, name>(buffer, count, datatype, dest, tag, handle);
  return sendFast<name>(buffer, bytes, dest, tag, comm, route);
}

template <SendMode mode, const char* const& name, class Count>
[[gnu::noinline]] int isendLookUp(const void* buffer, Count count, MPI_Datatype datatype, int dest, int tag,
                                  MPI_Comm handle, MPI_Request* request) {
  Communicator* comm = communicators->find(handle);
  const Datatype* type = datatypes->find(datatype);
  if (comm == nullptr || type == nullptr) [[unlikely]]
    return failHandles(name, handle, datatype);
  const std::size_t size = type->isPlain() ? type->size() : 0;
  std::int64_t bytes = 0;
  Route route;
  if (mode != SendMode::Standard || request == nullptr || size == 0 ||
      !fastPath::fitsSend(buffer, count, size, dest, tag, comm, bytes, route))
    return isendGenerally<mode, name>(buffer, count, type, dest, tag, comm, request);
  return isendFast(buffer, bytes, dest, tag, comm, route, request);
}

template <SendMode mode, const char* const& name, class Count>
[[gnu::always_inline]] inline int isend(const void* buffer, Count count, MPI_Datatype datatype, int dest,
                                        int tag, MPI_Comm handle, MPI_Request* request) {
  Communicator* comm = communicators->findPredefined(handle);
  const std::uint8_t size = plainSizeOf(datatype);
  std::int64_t bytes = 0;
  Route route;
  if (mode != SendMode::Standard || comm == nullptr || size == 0 ||
      !fastPath::fitsSend(buffer, count, size, dest, tag, comm, bytes, route) || request == nullptr)
      [[unlikely]]
    return isendLookUp<mode, name>(buffer, count, datatype, dest, tag, handle, request);
  return isendFast(buffer, bytes, dest, tag, comm, route, request);
}

// False for MPI_PROC_NULL.
bool bufferedSend(const void* buffer, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                  MPI_Comm comm) {
  Communicator& c = communicatorOf(comm);
  const Datatype& type = committedDatatypeOf(datatype);
  checkedBuffer(buffer, count, type);
  checkSendTag(tag);
  if (!checkDestination(c, dest))
    return false;
  EngineLock lock;
  bsend(c, buffer, count, type, dest, tag);
  return true;
}

int bsendCall(const char* function, const void* buffer, MPI_Count count, MPI_Datatype datatype, int dest,
              int tag, MPI_Comm comm) {
  return guarded(function, comm, [&] { bufferedSend(buffer, count, datatype, dest, tag, comm); });
}

int ibsendCall(const char* function, const void* buffer, MPI_Count count, MPI_Datatype datatype, int dest,
               int tag, MPI_Comm comm, MPI_Request* request) {
  return guarded(function, comm, [&] {
    checkPointer(request, "request");
    *request = bufferedSend(buffer, count, datatype, dest, tag, comm) ? completedSend : completedNothing;
  });
}

} // namespace

extern "C" {

/// Standard mode: returns when buf may be used again.
int PMPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return send<SendMode::Standard, names::send>(buf, count, datatype, dest, tag, comm);
}
int PMPI_Send_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return send<SendMode::Standard, names::sendLarge>(buf, count, datatype, dest, tag, comm);
}

/// Synchronous mode: returns when the receive has started.
int PMPI_Ssend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return send<SendMode::Synchronous, names::ssend>(buf, count, datatype, dest, tag, comm);
}
int PMPI_Ssend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return send<SendMode::Synchronous, names::ssendLarge>(buf, count, datatype, dest, tag, comm);
}

/// Ready mode: the program promises that the receive is posted; treated as standard mode.
int PMPI_Rsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return send<SendMode::Standard, names::rsend>(buf, count, datatype, dest, tag, comm);
}
int PMPI_Rsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return send<SendMode::Standard, names::rsendLarge>(buf, count, datatype, dest, tag, comm);
}

/// Buffered mode: copies into the attached buffer (communicator's first, then the process's) and returns.
/// MPI_ERR_BUFFER where none is attached or it has no room.
int PMPI_Bsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return bsendCall("MPI_Bsend", buf, count, datatype, dest, tag, comm);
}
int PMPI_Bsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return bsendCall("MPI_Bsend_c", buf, count, datatype, dest, tag, comm);
}

int PMPI_Isend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return isend<SendMode::Standard, names::isend>(buf, count, datatype, dest, tag, comm, request);
}
int PMPI_Isend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                 MPI_Request* request) {
  return isend<SendMode::Standard, names::isendLarge>(buf, count, datatype, dest, tag, comm, request);
}

int PMPI_Issend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                MPI_Request* request) {
  return isend<SendMode::Synchronous, names::issend>(buf, count, datatype, dest, tag, comm, request);
}
int PMPI_Issend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  return isend<SendMode::Synchronous, names::issendLarge>(buf, count, datatype, dest, tag, comm, request);
}

int PMPI_Irsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                MPI_Request* request) {
  return isend<SendMode::Standard, names::irsend>(buf, count, datatype, dest, tag, comm, request);
}
int PMPI_Irsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  return isend<SendMode::Standard, names::irsendLarge>(buf, count, datatype, dest, tag, comm, request);
}

int PMPI_Ibsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                MPI_Request* request) {
  return ibsendCall("MPI_Ibsend", buf, count, datatype, dest, tag, comm, request);
}
int PMPI_Ibsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  return ibsendCall("MPI_Ibsend_c", buf, count, datatype, dest, tag, comm, request);
}

} // extern "C"

#include "api/send.aliases.h"
