#pragma once

#include "onesided/LastRoute.h"
#include "onesided/MemberBlock.h"
#include "onesided/RmaOperation.h"
#include "onesided/Transports.h"
#include "onesided/ucx/MessageLink.h"

#include <atomic>
#include <memory>
#include <vector>

namespace mpl {

/// One member of a window as this process sees it that has talked to it.
struct Target {
  enum class Lock : std::uint8_t { none, taking, shared, exclusive, unchecked };

  Target() = default;
  ~Target() { lastRoute.forget(this); }
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  // What a put or get in the common case looks at. First what saves an instruction there.
  Pending pending;                ///< parts that still need this process's memory
  UcxWay direct;                  ///< leads there where UCX itself puts and gets
  std::atomic<bool> open{false};  ///< the window's epoch allows access, and the way is ready
  std::atomic<bool> fast{false};  ///< and nobody counts
  std::atomic<bool> quick{false}; ///< and a flush is nothing but a fence
  std::byte* mapped = nullptr;    ///< the target's part, where load and store reach it
  std::uint64_t bytes = 0;
  std::int64_t dispUnit = 1;
  std::uint64_t base = 0;          ///< at the target
  std::atomic<bool> stored{false}; ///< elements were stored by the transport, which messages could overtake
  bool dirty = false;              ///< something was put over the link since its last flush

  int rank = 0;
  bool ready = false;  ///< the way is known
  bool chosen = false; ///< of the group of MPI_Win_start
  Lock lock = Lock::none;
  bool asking = false; ///< a thread waits for the lock to be granted
  std::atomic<unsigned> flushes{0};
  MemberBlock* block = nullptr; ///< where on this node
  std::size_t transport = 0;    ///< the next to try, in the list of transports
  AnyLink link;
  std::unique_ptr<MessageLink> messages;
  Pending arrival; ///< parts of flushes
  std::vector<std::shared_ptr<RmaOperation>> operations;

  /// From now on operations look at everything.
  void slowDown() noexcept {
    fast = false;
    quick = false;
    lastRoute.forget(this);
  }
  /// The epoch does not allow access any more.
  void close() noexcept {
    open = false;
    slowDown();
  }
  /// Counts a flush; true now and then, when it is time to look for deaths.
  bool isTimeToLook() noexcept {
    const unsigned count = flushes.load(std::memory_order_relaxed) + 1;
    flushes.store(count, std::memory_order_relaxed);
    return (count & 63) == 0;
  }
  bool isMapped() const noexcept { return mapped != nullptr; }
  /// Index of the transport in allTransports(), once there is a link.
  std::size_t way() const noexcept { return link.index() - 1; }
};

} // namespace mpl
