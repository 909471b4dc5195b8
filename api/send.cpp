// Blocking and non-blocking sends: MPI-5.0, sections 3.2.1, 3.4, 3.6 and 3.7.2.
//
// All of them: count >= 0 elements of a committed datatype at buf; dest a rank of comm (of the remote group for
// inter-communicators) or MPI_PROC_NULL; tag in 0..MPI_TAG_UB. Errors: MPI_ERR_COMM, MPI_ERR_COUNT, MPI_ERR_TYPE,
// MPI_ERR_BUFFER, MPI_ERR_TAG, MPI_ERR_RANK, MPI_ERR_PROC_ABORTED where the receiver died. Any thread at
// MPI_THREAD_MULTIPLE.
#include "api/Checks.h"
#include "api/Guard.h"
#include "pt2pt/BsendBuffer.h"
#include "pt2pt/Completion.h"
#include "pt2pt/FastPath.h"
#include "pt2pt/Send.h"

using namespace mpl;
using namespace mpl::api;

namespace {

[[gnu::noinline]] int finishSend(const char* function, Request& request, MPI_Comm comm) {
  return guarded(function, comm, [&] { finishBlocking(request, MPI_STATUS_IGNORE); });
}

// Starts the send; nullptr: complete. toNobody tells a send to MPI_PROC_NULL.
template <SendMode mode>
Request* begin(const void* buffer, MPI_Count count, MPI_Datatype datatype, int dest,
                                             int tag, MPI_Comm comm, bool& toNobody) {
  Communicator& c = communicatorOf(comm);
  const Datatype& type = committedDatatypeOf(datatype);
  const MessageBuffer data = checkedBuffer(buffer, count, type);
  checkSendTag(tag);
  toNobody = !checkDestination(c, dest);
  if (toNobody) [[unlikely]]
    return nullptr;
  EngineLock lock;
  return startSend<mode>(c, c.messageContext(), data, &type, dest, tag);
}

template <SendMode mode>
[[gnu::noinline]] int sendGenerally(const char* function, const void* buffer, MPI_Count count,
                                    MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return guarded(function, comm, [&] {
    bool toNobody = false;
    if (Request* request = begin<mode>(buffer, count, datatype, dest, tag, comm, toNobody))
      finishBlocking(*request, MPI_STATUS_IGNORE);
  });
}

template <SendMode mode>
[[gnu::noinline]] int isendGenerally(const char* function, const void* buffer, MPI_Count count,
                                     MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                                     MPI_Request* request) {
  return guarded(function, comm, [&] {
    checkPointer(request, "request");
    bool toNobody = false;
    const Request* started = begin<mode>(buffer, count, datatype, dest, tag, comm, toNobody);
    *request = started != nullptr ? started->handle : toNobody ? completedNothing : completedSend;
  });
}

template <SendMode mode>
[[gnu::always_inline]] inline int send(const char* function, const void* buffer, MPI_Count count,
                                       MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  Request* started = fastPath::send<mode>(buffer, count, datatype, dest, tag, comm);
  if (started == nullptr) [[likely]]
    return MPI_SUCCESS;
  if (started == fastPath::notTaken())
    return sendGenerally<mode>(function, buffer, count, datatype, dest, tag, comm);
  return finishSend(function, *started, comm);
}

template <SendMode mode>
[[gnu::always_inline]] inline int isend(const char* function, const void* buffer, MPI_Count count,
                                        MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                                        MPI_Request* request) {
  if (request == nullptr) [[unlikely]]
    return isendGenerally<mode>(function, buffer, count, datatype, dest, tag, comm, request);
  const Request* started = fastPath::send<mode>(buffer, count, datatype, dest, tag, comm);
  if (started == nullptr) [[likely]] {
    *request = completedSend;
    return MPI_SUCCESS;
  }
  if (started == fastPath::notTaken())
    return isendGenerally<mode>(function, buffer, count, datatype, dest, tag, comm, request);
  *request = started->handle;
  return MPI_SUCCESS;
}

// False for MPI_PROC_NULL.
bool bufferedSend(const void* buffer, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
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

int bsendCall(const char* function, const void* buffer, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
              MPI_Comm comm) {
  return guarded(function, comm, [&] { bufferedSend(buffer, count, datatype, dest, tag, comm); });
}

int ibsendCall(const char* function, const void* buffer, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
               MPI_Comm comm, MPI_Request* request) {
  return guarded(function, comm, [&] {
    checkPointer(request, "request");
    *request = bufferedSend(buffer, count, datatype, dest, tag, comm) ? completedSend : completedNothing;
  });
}

} // namespace

extern "C" {

/// Standard mode: returns when buf may be used again.
int PMPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return send<SendMode::Standard>("MPI_Send", buf, count, datatype, dest, tag, comm);
}
int PMPI_Send_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return send<SendMode::Standard>("MPI_Send_c", buf, count, datatype, dest, tag, comm);
}

/// Synchronous mode: returns when the receive has started.
int PMPI_Ssend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return send<SendMode::Synchronous>("MPI_Ssend", buf, count, datatype, dest, tag, comm);
}
int PMPI_Ssend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return send<SendMode::Synchronous>("MPI_Ssend_c", buf, count, datatype, dest, tag, comm);
}

/// Ready mode: the program promises that the receive is posted; treated as standard mode.
int PMPI_Rsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return send<SendMode::Standard>("MPI_Rsend", buf, count, datatype, dest, tag, comm);
}
int PMPI_Rsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return send<SendMode::Standard>("MPI_Rsend_c", buf, count, datatype, dest, tag, comm);
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
  return isend<SendMode::Standard>("MPI_Isend", buf, count, datatype, dest, tag, comm, request);
}
int PMPI_Isend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                 MPI_Request* request) {
  return isend<SendMode::Standard>("MPI_Isend_c", buf, count, datatype, dest, tag, comm, request);
}

int PMPI_Issend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                MPI_Request* request) {
  return isend<SendMode::Synchronous>("MPI_Issend", buf, count, datatype, dest, tag, comm, request);
}
int PMPI_Issend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  return isend<SendMode::Synchronous>("MPI_Issend_c", buf, count, datatype, dest, tag, comm, request);
}

int PMPI_Irsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                MPI_Request* request) {
  return isend<SendMode::Standard>("MPI_Irsend", buf, count, datatype, dest, tag, comm, request);
}
int PMPI_Irsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                  MPI_Request* request) {
  return isend<SendMode::Standard>("MPI_Irsend_c", buf, count, datatype, dest, tag, comm, request);
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
