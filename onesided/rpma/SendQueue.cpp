#include "onesided/rpma/SendQueue.h"

#include "mpl/Config.h"
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

/// Splits what is not small: act(offset, bytes of the piece).
template <class Act> void forEachPiece(std::size_t bytes, bool inPlace, Act&& act) {
  const std::size_t most = inPlace ? SendQueue::pieceBytes : BounceRing::pieceBytes;
  for (std::size_t done = 0; done < bytes; done += most)
    act(done, std::min(most, bytes - done));
}

} // namespace

void SendQueue::Free::operator()(std::byte* memory) const noexcept {
  std::free(memory);
}

SendQueue::SendQueue(RpmaDevice& device, rpma_conn* connection)
    : connection_(connection), acknowledgedIsThere_(Config::get().word(Setting::rpmaFlush) == "ack") {
  constexpr std::size_t page = 4096;
  void* memory = nullptr;
  if (posix_memalign(&memory, page, BounceRing::totalBytes) != 0)
    mpl::fail(MPI_ERR_NO_MEM, "no memory for the buffers of a connection");
  memory_.reset(static_cast<std::byte*>(memory));
  registered_ = RpmaMemory::enter(device, memory, BounceRing::totalBytes,
                                  RPMA_MR_USAGE_WRITE_SRC | RPMA_MR_USAGE_READ_DST);
  if (!registered_ || rpma_conn_get_cq(connection, &completions_) != 0)
    mpl::fail(MPI_ERR_NO_MEM,
              "the buffers of a connection cannot be registered (the limit of locked memory?)");
}

bool SendQueue::waitForRoom(std::size_t bytes) {
  if (failure_ != MPI_SUCCESS)
    return false;
  ++rpmaCounters.throttled;
  while (failure_ == MPI_SUCCESS && !hasRoom(bytes))
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
  if (failure_ == MPI_SUCCESS)
    failure_ = MPI_ERR_OTHER;
  return false;
}

void SendQueue::putLarge(rpma_mr_remote* region, std::size_t offset, const std::byte* from, std::size_t bytes,
                         Pending& pending, int& lost) {
  RegistrationCache::Entry* registered = registrationCache.acquire(from, bytes, false);
  forEachPiece(bytes, registered != nullptr, [&](std::size_t done, std::size_t piece) {
    if (registered != nullptr)
      putInPlace(region, offset + done, from + done, piece, *registered, pending, lost);
    else
      putSmall(region, offset + done, from + done, piece, pending, lost);
  });
  if (registered != nullptr)
    registrationCache.release(*registered);
}

void SendQueue::putSmall(rpma_mr_remote* region, std::size_t offset, const std::byte* from, std::size_t bytes,
                         Pending& pending, int& lost) {
  if (!findRoomToPut(bytes, lost))
    return;
  ++rpmaCounters.writes;
  rpmaCounters.writtenBytes += bytes;
  const std::size_t at = ring_.take(bytes);
  std::memcpy(memory_.get() + at, from, bytes);
  place() = {ring_.end(), nullptr, nullptr, 0, 0, nullptr, &lost, false};
  if (!posted(
          rpma_write(connection_, region, offset, registered_->region(), at, bytes, signalOfPut(), ticket())))
    refuse(pending);
}

void SendQueue::store(rpma_mr_remote* region, std::size_t offset, const void* from, Pending& pending,
                      int& lost) {
  if (!findRoomToPut(0, lost))
    return;
  ++rpmaCounters.atomicWrites;
  std::array<char, RPMA_ATOMIC_WRITE_ALIGNMENT> value{};
  std::memcpy(value.data(), from, value.size());
  place() = {ring_.end(), nullptr, nullptr, 0, 0, nullptr, &lost, false};
  if (!posted(rpma_atomic_write(connection_, region, offset, value.data(), signalOfPut(), ticket())))
    refuse(pending);
}

void SendQueue::putInPlace(rpma_mr_remote* region, std::size_t offset, const std::byte* from,
                           std::size_t bytes, RegistrationCache::Entry& registered, Pending& pending,
                           int& lost) {
  if (!findRoomToPut(0, lost))
    return;
  ++rpmaCounters.writes;
  rpmaCounters.writtenBytes += bytes;
  ++registered.users;
  place() = {ring_.end(), &pending, nullptr, 0, bytes, &registered, &lost, false};
  if (!posted(rpma_write(connection_, region, offset, registered.memory->region(),
                         static_cast<std::size_t>(from - registered.base), bytes, signal(true), ticket())))
    return refuse(pending);
  pending.begin();
}

void SendQueue::getLarge(rpma_mr_remote* region, std::size_t offset, std::byte* to, std::size_t bytes,
                         Pending& pending) {
  RegistrationCache::Entry* registered = registrationCache.acquire(to, bytes, true);
  forEachPiece(bytes, registered != nullptr, [&](std::size_t done, std::size_t piece) {
    if (registered != nullptr)
      getInPlace(region, offset + done, to + done, piece, *registered, pending);
    else
      getSmall(region, offset + done, to + done, piece, pending);
  });
  if (registered != nullptr)
    registrationCache.release(*registered);
}

void SendQueue::getSmall(rpma_mr_remote* region, std::size_t offset, std::byte* to, std::size_t bytes,
                         Pending& pending) {
  if (!findRoom(bytes))
    return refuse(pending);
  ++rpmaCounters.reads;
  rpmaCounters.readBytes += bytes;
  const std::size_t at = ring_.take(bytes);
  place() = {ring_.end(), &pending, to, at, bytes, nullptr, nullptr, false};
  if (!posted(
          rpma_read(connection_, registered_->region(), at, region, offset, bytes, signal(true), ticket())))
    return refuse(pending);
  pending.begin();
}

void SendQueue::getInPlace(rpma_mr_remote* region, std::size_t offset, std::byte* to, std::size_t bytes,
                           RegistrationCache::Entry& registered, Pending& pending) {
  if (!findRoom())
    return refuse(pending);
  ++rpmaCounters.reads;
  rpmaCounters.readBytes += bytes;
  ++registered.users;
  place() = {ring_.end(), &pending, nullptr, 0, bytes, &registered, nullptr, false};
  if (!posted(rpma_read(connection_, registered.memory->region(),
                        static_cast<std::size_t>(to - registered.base), region, offset, bytes, signal(true),
                        ticket())))
    return refuse(pending);
  pending.begin();
}

// Only the last operation can tell that all before it are over, and only a small put of the same window can
// tell what was lost.
bool SendQueue::flushByAcknowledgement(Pending& pending, const int& lost) noexcept {
  if (isIdle())
    return failure_ == MPI_SUCCESS;
  Place& last = places_[(next_ - 1) % depth];
  if (lastSignal_ != next_ - 1 || last.pending != nullptr || last.lost != &lost || failure_ != MPI_SUCCESS)
    return false;
  last.pending = &pending;
  last.reports = true;
  pending.begin();
  return true;
}

void SendQueue::flush(rpma_mr_remote* region, Pending& pending, int& lost) {
  if (acknowledgedIsThere_ && flushByAcknowledgement(pending, lost))
    return;
  if (!findRoom())
    return refuse(pending);
  ++rpmaCounters.flushes;
  place() = {ring_.end(), &pending, nullptr, 0, 0, nullptr, &lost, true};
  constexpr std::size_t flushed = 8; // librpma looks at no length
  if (!posted(
          rpma_flush(connection_, region, 0, flushed, RPMA_FLUSH_TYPE_VISIBILITY, signal(true), ticket())))
    return refuse(pending);
  pending.begin();
}

[[gnu::always_inline]] inline void SendQueue::succeed(Place& place) noexcept {
  if (place.copyTo != nullptr)
    std::memcpy(place.copyTo, memory_.get() + place.copyFrom, place.bytes);
  ring_.giveBack(place.bounceEnd);
  if (place.registered != nullptr)
    registrationCache.release(*place.registered);
  int errorClass = MPI_SUCCESS;
  if (place.reports && place.lost != nullptr && *place.lost != MPI_SUCCESS) [[unlikely]]
    errorClass = std::exchange(*place.lost, MPI_SUCCESS);
  if (place.pending != nullptr)
    place.pending->end(errorClass);
}

void SendQueue::fail(Place& place, std::uint64_t sequence, int errorClass) noexcept {
  if (place.registered != nullptr)
    registrationCache.release(*place.registered);
  if (place.lost != nullptr && (sequence == culprit_ || *place.lost == MPI_SUCCESS))
    *place.lost = errorClass;
  if (place.reports && place.lost != nullptr)
    errorClass = std::exchange(*place.lost, MPI_SUCCESS);
  if (place.pending != nullptr)
    place.pending->end(errorClass);
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
      succeed(places_[done_ % depth]);
  }
  if (isIdle())
    ring_.clear();
  return static_cast<unsigned>(count);
}

void SendQueue::endAll(int errorClass) noexcept {
  if (failure_ == MPI_SUCCESS || errorClass == MPI_ERR_PROC_ABORTED)
    failure_ = errorClass;
  for (Pending* pending : std::exchange(refused_, {}))
    pending->end(errorClass);
  for (; done_ < next_; ++done_)
    fail(places_[done_ % depth], done_, done_ == culprit_ ? failure_ : errorClass);
}

void SendQueue::forget(const int& lost) noexcept {
  for (std::uint64_t at = done_; at < next_; ++at)
    if (Place& place = places_[at % depth]; place.lost == &lost)
      place.lost = nullptr;
}

} // namespace mpl
