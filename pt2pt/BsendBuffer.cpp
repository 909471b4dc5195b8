#include "pt2pt/BsendBuffer.h"

#include "pt2pt/Progress.h"
#include "pt2pt/Send.h"
#include "pt2pt/SessionScope.h"

#include <algorithm>

namespace mpl {

namespace {

std::shared_ptr<BsendBuffer> processBuffer;

std::shared_ptr<BsendBuffer>& slot(BsendScope scope) {
  if (scope.comm != nullptr)
    return scope.comm->bsendBuffer;
  return scope.session != nullptr ? scope.session->bsendBuffer : processBuffer;
}

// A message on its way out of a buffer; the request's owner while it is pending.
struct Departure {
  std::shared_ptr<BsendBuffer> buffer;
  std::byte* block;
};

void departed(Request& request) {
  const std::unique_ptr<Departure> departure(static_cast<Departure*>(request.owner));
  request.owner = nullptr;
  departure->buffer->release(departure->block);
}

// MPI_Buffer_iflush: done when the buffer is idle.
class Flush final : public Operation, public ProgressHook {
public:
  Flush(Request& request, std::shared_ptr<BsendBuffer> buffer)
      : request_(request), buffer_(std::move(buffer)) {}
  ~Flush() override { engine.removeHook(*this); }

  bool advance() override {
    if (!buffer_->isIdle())
      return false;
    request_.complete();
    return true;
  }
  const char* description() const override { return "flush of a send buffer"; }

private:
  Request& request_;
  std::shared_ptr<BsendBuffer> buffer_;
};

} // namespace

std::byte* BsendBuffer::allocate(std::size_t bytes) {
  if (isAutomatic()) {
    auto memory = std::make_unique<std::byte[]>(bytes + 1);
    std::byte* block = memory.get();
    automatic_.emplace(block, std::move(memory));
    return block;
  }
  // First gap that is large enough. What the standard lets us take per message beside the data
  // (MPI_BSEND_OVERHEAD) is not needed: the books are kept elsewhere.
  const std::size_t length = std::max<std::size_t>(bytes, 1);
  std::byte* gap = static_cast<std::byte*>(address_);
  std::byte* const end = gap + size_;
  for (const auto& [block, blockLength] : used_) {
    if (static_cast<std::size_t>(block - gap) >= length)
      break;
    gap = block + blockLength;
  }
  if (static_cast<std::size_t>(end - gap) < length)
    return nullptr;
  used_.emplace(gap, length);
  return gap;
}

void BsendBuffer::release(std::byte* block) noexcept {
  if (isAutomatic())
    automatic_.erase(block);
  else
    used_.erase(block);
}

void attachBsendBuffer(BsendScope scope, void* address, MPI_Count size) {
  auto made = std::make_shared<BsendBuffer>(address, size);
  EngineLock lock;
  auto& attached = slot(scope);
  if (attached)
    fail(MPI_ERR_BUFFER, "a buffer of ", attached->size(), " bytes is attached already");
  attached = std::move(made);
}

std::shared_ptr<BsendBuffer> detachBsendBuffer(BsendScope scope) {
  flushBsendBuffer(scope);
  EngineLock lock;
  return std::move(slot(scope));
}

void flushBsendBuffer(BsendScope scope) {
  std::shared_ptr<BsendBuffer> buffer;
  {
    EngineLock lock;
    buffer = slot(scope);
  }
  if (buffer)
    waitUntil([&] { return buffer->isIdle(); });
}

MPI_Request startFlushOfBsendBuffer(BsendScope scope) {
  EngineLock lock;
  std::shared_ptr<BsendBuffer> buffer = slot(scope);
  if (!buffer || buffer->isIdle())
    return completedSend;
  Request& request = requestPool.take();
  request.begin(Request::Kind::Other);
  request.outcome = Outcome::empty();
  auto flush = std::make_unique<Flush>(request, std::move(buffer));
  engine.addHook(*flush);
  request.operation = std::move(flush);
  return request.handle;
}

void bsend(Communicator& comm, const void* buffer, MPI_Count count, const Datatype& datatype, int destination,
           int tag) {
  std::shared_ptr<BsendBuffer> store =
      comm.bsendBuffer ? comm.bsendBuffer : slot({nullptr, comm.sessionScope.get()});
  if (!store)
    fail(MPI_ERR_BUFFER, "no buffer is attached for buffered sends (MPI_Buffer_attach)");
  const PackCursor cursor = datatype.cursor(buffer, count);
  const std::size_t bytes = cursor.totalBytes();
  std::byte* block = store->allocate(bytes);
  if (block == nullptr) {
    engine.progress(); // messages that have left meanwhile make room
    block = store->allocate(bytes);
  }
  if (block == nullptr)
    fail(MPI_ERR_BUFFER, "the attached buffer of ", store->size(), " bytes has no room for a message of ",
         bytes, " bytes");
  cursor.pack(0, block, bytes);

  Request* request = nullptr;
  try {
    request = startSend<SendMode::Standard>(comm, comm.messageContext(), {block, bytes, bytes, 0, true},
                                            nullptr, destination, tag);
  } catch (...) {
    store->release(block);
    throw;
  }
  if (request == nullptr) {
    store->release(block);
    return;
  }
  request->owner = new Departure{std::move(store), block};
  request->onComplete = departed;
  request->detached = true;
}

} // namespace mpl
