#pragma once

#include "onesided/UpdateGate.h"

#include <atomic>
#include <cstdint>

namespace mpl {

/// The lock of one member's part of a window (MPI_Win_lock): how many hold it shared, or who holds it alone.
/// Lies in memory of the node where there is some.
class WindowLock {
public:
  /// owner: a rank in the window.
  bool tryTake(bool exclusive, int owner) noexcept {
    std::uint64_t now = word_.load(std::memory_order_relaxed);
    for (;;) {
      if (exclusive ? now != 0 : now >= firstOwner)
        return false;
      const std::uint64_t next = exclusive ? firstOwner * (static_cast<std::uint64_t>(owner) + 1) : now + 1;
      if (word_.compare_exchange_weak(now, next, std::memory_order_acquire, std::memory_order_relaxed))
        return true;
    }
  }
  void release(bool exclusive) noexcept {
    if (exclusive)
      word_.store(0, std::memory_order_release);
    else
      word_.fetch_sub(1, std::memory_order_release);
  }
  bool isFree() const noexcept { return word_.load(std::memory_order_relaxed) == 0; }

private:
  static constexpr std::uint64_t firstOwner = std::uint64_t{1} << 32;

  std::atomic<std::uint64_t> word_{0};
};

/// What the members of a window that share a node know of each other's parts. Zero bytes are a fresh one.
struct MemberBlock {
  alignas(64) WindowLock lock;
  alignas(64) UpdateGate gate;
  alignas(64) UpdateMark mark;
  std::int64_t process = 0; ///< the member's process id
  std::uint64_t bytes = 0;
  std::int64_t dispUnit = 1;
  std::uint64_t offset = 0; ///< of the part in the shared memory; notShared: it lies elsewhere

  // For those who copy through the kernel: the member's address of the part, and where in its process a
  // number lies that proves it is the right one.
  std::uint64_t base = 0;
  std::uint64_t proofAddress = 0;
  std::uint64_t proof = 0;

  static constexpr std::uint64_t notShared = ~std::uint64_t{0};
};

} // namespace mpl
