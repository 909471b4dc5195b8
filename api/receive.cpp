// Blocking and non-blocking receives, combined send-receive: MPI-5.0, sections 3.2.4, 3.7.2 and 3.10.
//
// All of them: room for count >= 0 elements of a committed datatype at buf; source a rank, MPI_ANY_SOURCE or
// MPI_PROC_NULL; tag in 0..MPI_TAG_UB or MPI_ANY_TAG. Errors: MPI_ERR_COMM, MPI_ERR_COUNT, MPI_ERR_TYPE,
// MPI_ERR_BUFFER, MPI_ERR_TAG, MPI_ERR_RANK; MPI_ERR_TRUNCATE where the message is longer than the buffer
// (nothing is written beyond it, the status tells source and tag); MPI_ERR_PROC_ABORTED where the sender
// died. Any thread at MPI_THREAD_MULTIPLE.
#include "pt2pt/Receive.h"
#include "api/Checks.h"
#include "api/Guard.h"
#include "pt2pt/CombinedTransfer.h"
#include "pt2pt/Completion.h"
#include "pt2pt/FastPath.h"

using namespace mpl;
using namespace mpl::api;

namespace {

namespace names {
constexpr const char* recv = "MPI_Recv";
constexpr const char* recvLarge = "MPI_Recv_c";
constexpr const char* irecv = "MPI_Irecv";
constexpr const char* irecvLarge = "MPI_Irecv_c";
} // namespace names

// Starts the receive; nullptr for MPI_PROC_NULL.
Request* begin(void* buffer, MPI_Count count, const Datatype& type, int source, int tag, Communicator& c) {
  checkCommitted(type);
  const MessageBuffer data = checkedBuffer(buffer, count, type);
  checkReceiveTag(tag);
  if (!checkSource(c, source)) [[unlikely]]
    return nullptr;
  EngineLock lock;
  return &startReceive(c, c.messageContext(), data, &type, source, tag);
}

// A call goes through up to three stages that have the same parameters in the same places, so that each is
// reached by a jump: the fast path for predefined handles; the fast path for all others (LookUp); the general
// path, which checks everything and explains. `name` is the function's, for messages.
template <const char* const& name, class Count>
[[gnu::noinline]] int receiveGenerally(void* buffer, Count count, const Datatype* type, int source, int tag,
                                       Communicator* comm, MPI_Status* status) {
  return guarded(name, comm->handle(), [&] {
    if (Request* request = begin(buffer, count, *type, source, tag, *comm))
      finishBlocking(*request, status);
    else
      Outcome::noProcess().writeTo(status);
  });
}

template <const char* const& name, class Count>
[[gnu::noinline]] int ireceiveGenerally(void* buffer, Count count, const Datatype* type, int source, int tag,
                                        Communicator* comm, MPI_Request* request) {
  return guarded(name, comm->handle(), [&] {
    checkPointer(request, "request");
    const Request* started = begin(buffer, count, *type, source, tag, *comm);
    *request = started != nullptr ? started->handle : completedNothing;
  });
}

template <const char* const& name, class Count>
[[gnu::always_inline]] inline int receiveFast(void* buffer, std::int64_t bytes, int source, int tag,
                                              Communicator* comm, MPI_Status* status) {
  Request* started = fastPath::receive(buffer, bytes, source, tag, comm);
  return guarded(
      name, comm->handle(), [&]() __attribute__((always_inline)) { finishBlocking(*started, status); });
}

template <const char* const& name, class Count>
[[gnu::noinline]] int receiveLookUp(void* buffer, Count count, MPI_Datatype datatype, int source, int tag,
                                    MPI_Comm handle, MPI_Status* status) {
  Communicator* comm = communicators->find(handle);
  const Datatype* type = datatypes->find(datatype);
  if (comm == nullptr || type == nullptr) [[unlikely]]
    return failHandles(name, handle, datatype);
  const std::size_t size = type->isPlain() ? type->size() : 0;
  std::int64_t bytes = 0;
  if (size != 0 && fastPath::fitsLaneReceive(buffer, count, size, source, tag, comm, bytes)) {
    Request* started = fastPath::receiveInLane(buffer, bytes, source, tag, comm);
    return guarded(
        name, handle, [&]() __attribute__((always_inline)) { finishBlocking(*started, status); });
  }
  if (size == 0 || !fastPath::fitsReceive(buffer, count, size, source, tag, comm, bytes))
    return receiveGenerally<name>(buffer, count, type, source, tag, comm, status);
  return receiveFast<name, Count>(buffer, bytes, source, tag, comm, status);
}

template <const char* const& name, class Count>
[[gnu::always_inline]] inline int receive(void* buffer, Count count, MPI_Datatype datatype, int source,
                                          int tag, MPI_Comm handle, MPI_Status* status) {
  Communicator* comm = communicators->findPredefined(handle);
  const std::uint8_t size = plainSizeOf(datatype);
  std::int64_t bytes = 0;
  if (comm == nullptr || size == 0 || !fastPath::fitsReceive(buffer, count, size, source, tag, comm, bytes))
      [[unlikely]]
    return receiveLookUp<name>(buffer, count, datatype, source, tag, handle, status);
  return receiveFast<name, Count>(buffer, bytes, source, tag, comm, status);
}

template <const char* const& name, class Count>
[[gnu::noinline]] int ireceiveLookUp(void* buffer, Count count, MPI_Datatype datatype, int source, int tag,
                                     MPI_Comm handle, MPI_Request* request) {
  Communicator* comm = communicators->find(handle);
  const Datatype* type = datatypes->find(datatype);
  if (comm == nullptr || type == nullptr) [[unlikely]]
    return failHandles(name, handle, datatype);
  const std::size_t size = type->isPlain() ? type->size() : 0;
  std::int64_t bytes = 0;
  if (request != nullptr && size != 0 &&
      fastPath::fitsLaneReceive(buffer, count, size, source, tag, comm, bytes)) {
    *request = fastPath::receiveInLane(buffer, bytes, source, tag, comm)->handle;
    return MPI_SUCCESS;
  }
  if (request == nullptr || size == 0 ||
      !fastPath::fitsReceive(buffer, count, size, source, tag, comm, bytes))
    return ireceiveGenerally<name>(buffer, count, type, source, tag, comm, request);
  *request = fastPath::receive(buffer, bytes, source, tag, comm)->handle;
  return MPI_SUCCESS;
}

template <const char* const& name, class Count>
[[gnu::always_inline]] inline int ireceive(void* buffer, Count count, MPI_Datatype datatype, int source,
                                           int tag, MPI_Comm handle, MPI_Request* request) {
  Communicator* comm = communicators->findPredefined(handle);
  const std::uint8_t size = plainSizeOf(datatype);
  std::int64_t bytes = 0;
  if (comm == nullptr || size == 0 || !fastPath::fitsReceive(buffer, count, size, source, tag, comm, bytes) ||
      request == nullptr) [[unlikely]]
    return ireceiveLookUp<name>(buffer, count, datatype, source, tag, handle, request);
  *request = fastPath::receive(buffer, bytes, source, tag, comm)->handle;
  return MPI_SUCCESS;
}

// The arguments of one half of a combined call, checked.
TransferArguments half(Communicator& comm, const void* buffer, MPI_Count count, MPI_Datatype datatype,
                       int peer, int tag, bool sending) {
  Datatype& type = committedDatatypeOf(datatype);
  checkedBuffer(buffer, count, type);
  if (sending) {
    checkSendTag(tag);
    checkDestination(comm, peer);
  } else {
    checkReceiveTag(tag);
    checkSource(comm, peer);
  }
  return {const_cast<void*>(buffer), count, Ref<const Datatype>(&type), Ref<Communicator>(&comm), peer, tag};
}

struct SendReceive {
  const void* sendbuf;
  MPI_Count sendcount;
  MPI_Datatype sendtype;
  int dest;
  int sendtag;
  void* recvbuf;
  MPI_Count recvcount;
  MPI_Datatype recvtype;
  int source;
  int recvtag;
};

// Waits for a request whose handle the program never sees.
void wait(MPI_Request handle, MPI_Status* status) {
  Request& request = *requestOf(handle);
  waitFor(request);
  conclude(handle, request, status);
}

MPI_Request startSendReceive(const SendReceive& a, MPI_Comm comm) {
  Communicator& c = communicatorOf(comm);
  return startCombined(half(c, a.sendbuf, a.sendcount, a.sendtype, a.dest, a.sendtag, true),
                       half(c, a.recvbuf, a.recvcount, a.recvtype, a.source, a.recvtag, false), {});
}

int sendReceive(const char* function, const SendReceive& a, MPI_Comm comm, MPI_Status* status) {
  return guarded(function, comm, [&] {
    Communicator& c = communicatorOf(comm);
    const Datatype& sendType = committedDatatypeOf(a.sendtype);
    const MessageBuffer outgoing = checkedBuffer(a.sendbuf, a.sendcount, sendType);
    const Datatype& receiveType = committedDatatypeOf(a.recvtype);
    const MessageBuffer incoming = checkedBuffer(a.recvbuf, a.recvcount, receiveType);
    checkSendTag(a.sendtag);
    checkReceiveTag(a.recvtag);
    const bool sends = checkDestination(c, a.dest);
    const bool receives = checkSource(c, a.source);
    Request* received = nullptr;
    Request* sent = nullptr;
    {
      EngineLock lock;
      if (receives)
        received = &startReceive(c, c.messageContext(), incoming, &receiveType, a.source, a.recvtag);
      try {
        if (sends)
          sent = startSend<SendMode::Standard>(c, c.messageContext(), outgoing, &sendType, a.dest, a.sendtag);
      } catch (...) {
        // The receive must not write into the buffer after the call has failed.
        if (received != nullptr)
          withdraw(*received);
        if (received != nullptr && received->isComplete())
          requestPool.releaseUnseen(*received);
        throw;
      }
    }
    // Both end before either's error is told.
    if (sent != nullptr)
      waitFor(*sent);
    if (received != nullptr)
      waitFor(*received);
    if (received == nullptr)
      Outcome::noProcess().writeTo(status);
    std::exception_ptr failure;
    for (Request* request : {received, sent}) {
      if (request == nullptr)
        continue;
      try {
        finishBlocking(*request, request == received ? status : MPI_STATUS_IGNORE);
      } catch (...) {
        if (!failure)
          failure = std::current_exception();
      }
    }
    if (failure)
      std::rethrow_exception(failure);
  });
}

// The message is packed first, so that it can be received over while it is sent.
MPI_Request startReplace(void* buffer, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag,
                         int source, int recvtag, MPI_Comm comm) {
  Communicator& c = communicatorOf(comm);
  TransferArguments receive = half(c, buffer, count, datatype, source, recvtag, false);
  checkSendTag(sendtag);
  checkDestination(c, dest);
  MPI_Count bytes = 0;
  auto copy = packedCopy(buffer, count, *receive.datatype, bytes);
  const TransferArguments send{
      copy.get(), bytes, Ref<const Datatype>(&datatypeOf(MPI_BYTE)), Ref<Communicator>(&c), dest, sendtag};
  return startCombined(send, receive, std::move(copy));
}

} // namespace

extern "C" {

int PMPI_Recv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
              MPI_Status* status) {
  return receive<names::recv>(buf, count, datatype, source, tag, comm, status);
}
int PMPI_Recv_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                MPI_Status* status) {
  return receive<names::recvLarge>(buf, count, datatype, source, tag, comm, status);
}

int PMPI_Irecv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return ireceive<names::irecv>(buf, count, datatype, source, tag, comm, request);
}
int PMPI_Irecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                 MPI_Request* request) {
  return ireceive<names::irecvLarge>(buf, count, datatype, source, tag, comm, request);
}

/// Sends and receives at once; the buffers must not overlap.
int PMPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                  void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm,
                  MPI_Status* status) {
  return sendReceive(
      "MPI_Sendrecv",
      {sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag}, comm,
      status);
}
int PMPI_Sendrecv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag,
                    MPI_Comm comm, MPI_Status* status) {
  return sendReceive(
      "MPI_Sendrecv_c",
      {sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag}, comm,
      status);
}

/// The received message takes the place of the one that is sent.
int PMPI_Sendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source,
                          int recvtag, MPI_Comm comm, MPI_Status* status) {
  return guarded("MPI_Sendrecv_replace", comm, [&] {
    wait(startReplace(buf, count, datatype, dest, sendtag, source, recvtag, comm), status);
  });
}
int PMPI_Sendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag,
                            int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  return guarded("MPI_Sendrecv_replace_c", comm, [&] {
    wait(startReplace(buf, count, datatype, dest, sendtag, source, recvtag, comm), status);
  });
}

int PMPI_Isendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                   void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                   MPI_Comm comm, MPI_Request* request) {
  return guarded("MPI_Isendrecv", comm, [&] {
    checkPointer(request, "request");
    *request = startSendReceive(
        {sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag}, comm);
  });
}
int PMPI_Isendrecv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag,
                     void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag,
                     MPI_Comm comm, MPI_Request* request) {
  return guarded("MPI_Isendrecv_c", comm, [&] {
    checkPointer(request, "request");
    *request = startSendReceive(
        {sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag}, comm);
  });
}

int PMPI_Isendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source,
                           int recvtag, MPI_Comm comm, MPI_Request* request) {
  return guarded("MPI_Isendrecv_replace", comm, [&] {
    checkPointer(request, "request");
    *request = startReplace(buf, count, datatype, dest, sendtag, source, recvtag, comm);
  });
}
int PMPI_Isendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag,
                             int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
  return guarded("MPI_Isendrecv_replace_c", comm, [&] {
    checkPointer(request, "request");
    *request = startReplace(buf, count, datatype, dest, sendtag, source, recvtag, comm);
  });
}

} // extern "C"

#include "api/receive.aliases.h"
