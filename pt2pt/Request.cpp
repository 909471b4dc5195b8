#include "pt2pt/Request.h"

#include "mpl/Datatype.h"
#include "pt2pt/Communicator.h"

#include <cstdlib>
#include <new>

namespace mpl {

constinit Immortal<HandleTable<Request, MPI_Request>> requests;
constinit RequestPool requestPool;

void Operation::start(Request&) {
  fail(MPI_ERR_REQUEST, "the request is not persistent");
}
void Operation::cancel(Request&) {}
void Operation::checkFree(const Request&) const {}
void Operation::freed(Request&) {}
void Operation::finished(Outcome&) {}
void Operation::retiring() {}

void Request::completeDetached() noexcept {
  publish();
  if (onComplete != nullptr)
    onComplete(*this);
  requestPool.release(*this);
}

void RequestPool::dropReferences(Request& request) noexcept {
  if (request.datatype != nullptr) {
    request.datatype->release();
    request.datatype = nullptr;
  }
  if (request.holdsComm) {
    request.holdsComm = false;
    request.comm->release();
  }
  request.comm = nullptr;
}

void RequestPool::takeThis(Request& request) {
  // Completions that ran since may have put others in front of it.
  Request** link = &free_;
  while (*link != &request)
    link = &(*link)->nextFree;
  *link = request.nextFree;
  if (free_ == nullptr)
    grow();
}

void Request::attach(Communicator& communicator) noexcept {
  communicator.retain();
  comm = &communicator;
  holdsComm = true;
}

void RequestPool::release(Request& request) noexcept {
  if (request.shared)
    return;
  dropReferences(request);
  request.operation.reset();
  request.onComplete = nullptr;
  request.active = request.persistent = request.detached = request.cancelRequested = false;
  request.handle = requests->renew(request.handle);
  if (!request.inTransport) // else it was given up, and its memory is UCX's for ever
    putBack(request);
}

void RequestPool::grow() {
  constexpr std::size_t perBlock = 64;
  constexpr std::size_t line = 64;
  const std::size_t room = (transportBytes_ + line - 1) / line * line;
  const std::size_t stride = room + (sizeof(Request) + line - 1) / line * line;
  auto* block = static_cast<std::byte*>(std::aligned_alloc(line, perBlock * stride));
  if (block == nullptr)
    fail(MPI_ERR_NO_MEM, "no memory for ", perBlock, " more requests");
  for (std::size_t i = perBlock; i-- > 0;) {
    auto* request = new (block + i * stride + room) Request();
    request->handle = requests->insert(request);
    putBack(*request);
  }
}

void registerSharedRequests() {
  static Request send;
  static Request nothing;
  for (Request* request : {&send, &nothing}) {
    request->shared = true;
    request->begin(Request::Kind::Other);
    request->complete();
  }
  send.outcome = Outcome::empty();
  nothing.outcome = Outcome::noProcess();
  requests->setPredefined(completedSend, &send);
  requests->setPredefined(completedNothing, &nothing);
}

} // namespace mpl
