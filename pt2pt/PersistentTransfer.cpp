#include "pt2pt/PersistentTransfer.h"

#include "pt2pt/Receive.h"

namespace mpl {

void PersistentTransfer::start(Request& request) {
  const TransferArguments& a = arguments_;
  if (a.peer == MPI_PROC_NULL) {
    request.begin(Request::Kind::Other);
    request.outcome = Outcome::noProcess();
    request.complete();
    return;
  }
  const MessageBuffer data = messageBuffer(a.buffer, a.count, *a.datatype);
  switch (kind_) {
  case PersistentKind::Standard:
  case PersistentKind::Ready:
    restartSend<SendMode::Standard>(request, *a.comm, data, a.datatype.get(), a.peer, a.tag);
    break;
  case PersistentKind::Synchronous:
    restartSend<SendMode::Synchronous>(request, *a.comm, data, a.datatype.get(), a.peer, a.tag);
    break;
  case PersistentKind::Buffered:
    bsend(*a.comm, a.buffer, a.count, *a.datatype, a.peer, a.tag);
    request.begin(Request::Kind::Other);
    request.outcome = Outcome::empty();
    request.complete();
    break;
  case PersistentKind::Receive:
    if (endpoints.deadCount() != 0)
      a.comm->checkSource(a.comm->messageContext(), a.peer, a.tag);
    startReceive(request, *a.comm, a.comm->messageContext(), data, a.datatype.get(), a.peer, a.tag);
    break;
  }
}

const char* PersistentTransfer::description() const {
  return kind_ == PersistentKind::Receive ? "persistent receive" : "persistent send";
}

MPI_Request makePersistent(PersistentKind kind, TransferArguments arguments) {
  auto operation = std::make_unique<PersistentTransfer>(kind, std::move(arguments));
  EngineLock lock;
  Request& request = requestPool.take();
  request.kind = Request::Kind::Other;
  request.persistent = true;
  request.active = false;
  request.outcome = Outcome::empty();
  request.operation = std::move(operation);
  return request.handle;
}

namespace {

void start(Request& request) {
  if (!request.persistent || !request.operation)
    fail(MPI_ERR_REQUEST, "the request is not persistent");
  if (request.isActive())
    fail(MPI_ERR_REQUEST, "the request is active already (", request.operation->description(), ")");
  if (request.inTransport) // given up when its peer died: UCX still has it
    fail(MPI_ERR_PROC_ABORTED, "the request (", request.operation->description(),
         ") cannot be started again: a process that it needs has died");
  EngineLock lock;
  try {
    request.operation->start(request);
  } catch (...) {
    request.active = false;
    throw;
  }
}

} // namespace

void startPersistent(Request& request) {
  Communicator* const comm = request.operation ? request.operation->communicator() : request.comm;
  if (comm == nullptr)
    return start(request);
  try {
    start(request);
  } catch (const CommunicatorError&) {
    throw;
  } catch (const Error& error) {
    throw CommunicatorError(*comm, error.errorClass(), error.message());
  }
}

} // namespace mpl
