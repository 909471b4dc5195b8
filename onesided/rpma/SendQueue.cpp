#include "onesided/rpma/SendQueue.h"

#include "mpl/Error.h"
#include "onesided/rpma/RpmaCounters.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <infiniband/verbs.h>
#include <utility>

namespace mpl {

namespace {

int errorClassOf(ibv_wc_status status) {
  switch (status) {
  case IBV_WC_SUCCESS:
    return MPI_SUCCESS;
  case IBV_WC_REM_ACCESS_ERR:
    return MPI_ERR_RMA_RANGE;
  case IBV_WC_RETRY_EXC_ERR: // nobody answers
  case IBV_WC_WR_FLUSH_ERR:  // the connection was closed before
    return MPI_ERR_PROC_ABORTED;
  default:
    return MPI_ERR_OTHER;
  }
}

} // namespace

void SendQueue::Free::operator()(std::byte* memory) const noexcept {
  std::free(memory);
}

SendQueue::SendQueue(RpmaDevice& device, rpma_conn* connection) : connection_(connection) {
  constexpr std::size_t page = 4096;
  void* memory = nullptr;
  if (posix_memalign(&memory, page, depth * bounceBytes) != 0)
    fail(MPI_ERR_NO_MEM, "no memory for the buffers of a connection");
  memory_.reset(static_cast<std::byte*>(memory));
  registered_ = RpmaMemory::enter(device, memory, depth * bounceBytes,
                                  RPMA_MR_USAGE_WRITE_SRC | RPMA_MR_USAGE_READ_DST);
  if (!registered_ || rpma_conn_get_cq(connection, &completions_) != 0)
    fail(MPI_ERR_NO_MEM, "the buffers of a connection cannot be registered (the limit of locked memory?)");
}

bool SendQueue::waitForRoom() {
  if (next_ - done_ < depth)
    return failure_ == MPI_SUCCESS;
  ++rpmaCounters.throttled;
  while (failure_ == MPI_SUCCESS && next_ - done_ >= depth)
    poll();
  return failure_ == MPI_SUCCESS;
}

// Places that nobody waits for come free with a later one that is signalled.
int SendQueue::signal(bool wanted) noexcept {
  if (!wanted && next_ - lastSignal_ < signalEvery)
    return RPMA_F_COMPLETION_ON_ERROR;
  lastSignal_ = next_;
  return RPMA_F_COMPLETION_ALWAYS;
}

bool SendQueue::posted(int result) {
  if (result == 0) {
    ++next_;
    return true;
  }
  Place& failed = place();
  if (failed.registered != nullptr)
    registrationCache.release(*failed.registered);
  failed = {};
  if (failure_ == MPI_SUCCESS)
    failure_ = MPI_ERR_OTHER;
  return false;
}

void SendQueue::put(rpma_mr_remote* region, std::size_t offset, const void* from, std::size_t bytes,
                    Pending& pending, int& lost) {
  const auto* data = static_cast<const std::byte*>(from);
  const bool large = bytes > bounceBytes;
  RegistrationCache::Entry* registered = large ? registrationCache.acquire(data, bytes, false) : nullptr;
  const std::size_t most = registered != nullptr ? pieceBytes : bounceBytes;
  for (std::size_t done = 0; done < bytes; done += most)
    putPiece(region, offset + done, data + done, std::min(most, bytes - done), registered, pending, lost);
  if (registered != nullptr)
    registrationCache.release(*registered);
}

void SendQueue::putPiece(rpma_mr_remote* region, std::size_t offset, const std::byte* from, std::size_t bytes,
                         RegistrationCache::Entry* registered, Pending& pending, int& lost) {
  if (!waitForRoom()) {
    lost = lost == MPI_SUCCESS ? errorOfOthers() : lost;
    return;
  }
  ++rpmaCounters.writes;
  rpmaCounters.writtenBytes += bytes;
  if (registered == nullptr) {
    std::memcpy(bounce(next_), from, bytes);
    place() = {nullptr, nullptr, 0, nullptr, &lost, false};
    if (!posted(rpma_write(connection_, region, offset, registered_->region(), bounceOffset(), bytes,
                           signal(false), ticket())))
      pending.fail(failure_);
    return;
  }
  ++registered->users;
  place() = {&pending, nullptr, bytes, registered, &lost, false};
  if (!posted(rpma_write(connection_, region, offset, registered->memory->region(),
                         static_cast<std::size_t>(from - registered->base), bytes, signal(true), ticket())))
    return pending.fail(failure_);
  pending.begin();
}

void SendQueue::get(rpma_mr_remote* region, std::size_t offset, void* to, std::size_t bytes,
                    Pending& pending) {
  auto* data = static_cast<std::byte*>(to);
  const bool large = bytes > bounceBytes;
  RegistrationCache::Entry* registered = large ? registrationCache.acquire(data, bytes, true) : nullptr;
  const std::size_t most = registered != nullptr ? pieceBytes : bounceBytes;
  for (std::size_t done = 0; done < bytes; done += most)
    getPiece(region, offset + done, data + done, std::min(most, bytes - done), registered, pending);
  if (registered != nullptr)
    registrationCache.release(*registered);
}

void SendQueue::getPiece(rpma_mr_remote* region, std::size_t offset, std::byte* to, std::size_t bytes,
                         RegistrationCache::Entry* registered, Pending& pending) {
  if (!waitForRoom())
    return pending.fail(errorOfOthers());
  ++rpmaCounters.reads;
  rpmaCounters.readBytes += bytes;
  int result = 0;
  if (registered == nullptr) {
    place() = {&pending, to, bytes, nullptr, nullptr, false};
    result = rpma_read(connection_, registered_->region(), bounceOffset(), region, offset, bytes,
                       signal(true), ticket());
  } else {
    ++registered->users;
    place() = {&pending, nullptr, bytes, registered, nullptr, false};
    result =
        rpma_read(connection_, registered->memory->region(), static_cast<std::size_t>(to - registered->base),
                  region, offset, bytes, signal(true), ticket());
  }
  if (!posted(result))
    return pending.fail(failure_);
  pending.begin();
}

void SendQueue::flush(rpma_mr_remote* region, Pending& pending, int& lost) {
  if (!waitForRoom())
    return pending.fail(errorOfOthers());
  ++rpmaCounters.flushes;
  place() = {&pending, nullptr, 0, nullptr, &lost, true};
  constexpr std::size_t flushed = 8; // librpma looks at no length
  if (!posted(
          rpma_flush(connection_, region, 0, flushed, RPMA_FLUSH_TYPE_VISIBILITY, signal(true), ticket())))
    return pending.fail(failure_);
  pending.begin();
}

void SendQueue::finish(Place& place, std::uint64_t sequence, int errorClass) noexcept {
  if (place.copyTo != nullptr && errorClass == MPI_SUCCESS)
    std::memcpy(place.copyTo, bounce(sequence), place.bytes);
  if (place.registered != nullptr)
    registrationCache.release(*place.registered);
  if (place.lost != nullptr && errorClass != MPI_SUCCESS &&
      (sequence == culprit_ || *place.lost == MPI_SUCCESS))
    *place.lost = errorClass;
  if (place.reports && place.lost != nullptr && *place.lost != MPI_SUCCESS)
    errorClass = std::exchange(*place.lost, MPI_SUCCESS);
  Pending* pending = place.pending;
  place = {};
  if (pending != nullptr)
    pending->end(errorClass);
}

unsigned SendQueue::poll() {
  if (isIdle() || failure_ != MPI_SUCCESS)
    return 0;
  constexpr int some = 16;
  std::array<ibv_wc, some> found;
  int count = 0;
  if (const int result = rpma_cq_get_wc(completions_, some, found.data(), &count); result != 0) {
    if (result != RPMA_E_NO_COMPLETION)
      failure_ = MPI_ERR_OTHER;
    return 0;
  }
  for (int i = 0; i < count; ++i) {
    const ibv_wc& completion = found[static_cast<std::size_t>(i)];
    if (completion.status != IBV_WC_SUCCESS) {
      // What was before it may or may not have arrived: endAll() comes when the device has let go.
      failure_ = errorClassOf(completion.status);
      culprit_ = completion.wr_id;
      return static_cast<unsigned>(i) + 1;
    }
    // A connection's operations end in their order.
    for (; done_ < next_ && done_ <= completion.wr_id; ++done_)
      finish(places_[done_ % depth], done_, MPI_SUCCESS);
  }
  return static_cast<unsigned>(count);
}

void SendQueue::endAll(int errorClass) noexcept {
  if (failure_ == MPI_SUCCESS)
    failure_ = errorClass;
  for (; done_ < next_; ++done_)
    finish(places_[done_ % depth], done_, done_ == culprit_ ? failure_ : errorClass);
}

void SendQueue::forget(const int& lost) noexcept {
  for (Place& place : places_)
    if (place.lost == &lost)
      place.lost = nullptr;
}

} // namespace mpl
