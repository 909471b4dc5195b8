#pragma once

#include "onesided/Transport.h"
#include "onesided/rpma/BounceRing.h"
#include "onesided/rpma/RegistrationCache.h"

#include <array>
#include <memory>
#include <vector>

namespace mpl {

/// The operations of one connection, in order. Small data is copied through registered memory of the queue;
/// large data is registered where it lies and split. Where the queue is full, posting waits for the device,
/// which needs nobody else's help. RmaLock held.
class SendQueue {
public:
  static constexpr std::size_t depth = 64;
  /// One operation takes no more than so much.
  static constexpr std::size_t pieceBytes = std::size_t{4} << 20;

  /// connection: established; stays the caller's. Errors: MPI_ERR_NO_MEM.
  SendQueue(RpmaDevice& device, rpma_conn* connection);
  SendQueue(const SendQueue&) = delete;
  SendQueue& operator=(const SendQueue&) = delete;

  // As of TransportLink, with the target's region and the offset in it.

  /// lost: gets the class of the error where the data may not arrive, until forget().
  void put(rpma_mr_remote* region, std::size_t offset, const void* from, std::size_t bytes, Pending& pending,
           int& lost) {
    const auto* data = static_cast<const std::byte*>(from);
    if (bytes <= BounceRing::pieceBytes) [[likely]]
      putSmall(region, offset, data, bytes, pending, lost);
    else
      putLarge(region, offset, data, bytes, pending, lost);
  }
  /// Eight bytes at an offset that eight divides, which nobody sees in parts. from may be changed at once.
  void store(rpma_mr_remote* region, std::size_t offset, const void* from, Pending& pending, int& lost);
  void get(rpma_mr_remote* region, std::size_t offset, void* to, std::size_t bytes, Pending& pending) {
    auto* data = static_cast<std::byte*>(to);
    if (bytes <= BounceRing::pieceBytes) [[likely]]
      getSmall(region, offset, data, bytes, pending);
    else
      getLarge(region, offset, data, bytes, pending);
  }
  /// region: any of this connection with at least 8 bytes. lost: that of the puts, which it reports and
  /// clears. Where MPL_RPMA_FLUSH says ack, a single put is its own flush.
  void flush(rpma_mr_remote* region, Pending& pending, int& lost);

  /// Takes what has ended; returns how many.
  unsigned poll();
  /// The class of what broke the connection, or MPI_SUCCESS.
  int failure() const noexcept { return failure_; }
  /// The device has let go of this connection, which is no more: what is under way ends with that error; the
  /// operation that broke it with its own, where the target lives.
  void endAll(int errorClass) noexcept;
  void forget(const int& lost) noexcept;
  /// The device has nothing to do.
  bool isIdle() const noexcept { return next_ == done_; }
  /// Somebody may wait for something.
  bool hasUnfinished() const noexcept { return !isIdle() || !refused_.empty(); }

  /// What the connection's configuration must hold.
  static constexpr std::uint32_t queueSize = depth + 8;

private:
  struct Place {
    std::uint64_t bounceEnd = 0; ///< a mark in the ring
    Pending* pending = nullptr;
    std::byte* copyTo = nullptr; ///< from the ring, at the end
    std::size_t copyFrom = 0;    ///< in the ring
    std::size_t bytes = 0;
    RegistrationCache::Entry* registered = nullptr;
    int* lost = nullptr;
    bool reports = false; ///< what was lost, at the end
  };

  bool hasRoom(std::size_t bytes) const noexcept { return next_ - done_ < depth && ring_.fits(bytes); }
  /// A free place, with so much of the ring, after waiting for it; false where the connection is broken.
  bool findRoom(std::size_t bytes = 0) {
    return hasRoom(bytes) && failure_ == MPI_SUCCESS ? true : waitForRoom(bytes);
  }
  bool waitForRoom(std::size_t bytes);
  /// The same for a put: what cannot be made is lost.
  bool findRoomToPut(std::size_t bytes, int& lost) {
    if (findRoom(bytes)) [[likely]]
      return true;
    if (lost == MPI_SUCCESS)
      lost = MPI_ERR_OTHER;
    return false;
  }
  /// The connection is broken: the operation ends with the others.
  void refuse(Pending& pending) {
    pending.begin();
    refused_.push_back(&pending);
  }
  Place& place() noexcept { return places_[next_ % depth]; }
  /// The operation at next_ was handed over with this result.
  bool posted(int result);
  int signal(bool wanted) noexcept;
  /// A put that is alone may be its own flush.
  int signalOfPut() noexcept { return signal(acknowledgedIsThere_ && isIdle()); }
  bool flushByAcknowledgement(Pending& pending, const int& lost) noexcept;
  void* ticket() const noexcept { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(next_)); }
  void succeed(Place& place) noexcept;
  void fail(Place& place, std::uint64_t sequence, int errorClass) noexcept;
  void putLarge(rpma_mr_remote* region, std::size_t offset, const std::byte* from, std::size_t bytes,
                Pending& pending, int& lost);
  void putSmall(rpma_mr_remote* region, std::size_t offset, const std::byte* from, std::size_t bytes,
                Pending& pending, int& lost);
  void putInPlace(rpma_mr_remote* region, std::size_t offset, const std::byte* from, std::size_t bytes,
                  RegistrationCache::Entry& registered, Pending& pending, int& lost);
  void getLarge(rpma_mr_remote* region, std::size_t offset, std::byte* to, std::size_t bytes,
                Pending& pending);
  void getSmall(rpma_mr_remote* region, std::size_t offset, std::byte* to, std::size_t bytes,
                Pending& pending);
  void getInPlace(rpma_mr_remote* region, std::size_t offset, std::byte* to, std::size_t bytes,
                  RegistrationCache::Entry& registered, Pending& pending);

  static constexpr std::uint64_t signalEvery = 16;
  // Else a full ring could hold nothing that is signalled.
  static_assert(BounceRing::totalBytes >= 2 * signalEvery * BounceRing::pieceBytes);

  rpma_conn* connection_;
  const bool acknowledgedIsThere_; ///< what the target's device has acknowledged is in its memory
  rpma_cq* completions_ = nullptr;
  struct Free {
    void operator()(std::byte* memory) const noexcept;
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::unique_ptr<RpmaMemory> registered_;
  BounceRing ring_; // in memory_
  std::array<Place, depth> places_;
  std::vector<Pending*> refused_;
  std::uint64_t next_ = 1; // of the operation to come; the queue holds done_ .. next_ - 1
  std::uint64_t done_ = 1;
  std::uint64_t lastSignal_ = 0;
  int failure_ = MPI_SUCCESS;
  std::uint64_t culprit_ = 0; // the operation that it came with
};

} // namespace mpl
