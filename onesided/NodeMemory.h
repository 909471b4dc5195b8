#pragma once

#include "onesided/AtomicUpdate.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <sys/types.h>

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
  alignas(64) ElementLocks elements;
  alignas(64) std::uint64_t bytes = 0;
  std::int64_t dispUnit = 1;
  std::uint64_t offset = 0; ///< of the part in the shared memory; notShared: it lies elsewhere

  // For those who copy through the kernel: the member's process, its address of the part, and where in that
  // process a number lies that proves it is the right one.
  std::int64_t process = 0;
  std::uint64_t base = 0;
  std::uint64_t proofAddress = 0;
  std::uint64_t proof = 0;

  static constexpr std::uint64_t notShared = ~std::uint64_t{0};
};

/// Memory that several processes of a node map. It has no name in any file system: nothing is left of it
/// when its processes end, in whatever way, and nobody else can guess it. Pages come into being when they are
/// first touched.
class NodeMemory {
public:
  NodeMemory() = default;
  ~NodeMemory() { unmap(); }
  NodeMemory(NodeMemory&& other) noexcept;
  NodeMemory& operator=(NodeMemory&& other) noexcept;

  /// New memory of zeros. Errors: MPI_ERR_NO_MEM, naming the limit.
  static NodeMemory create(std::size_t bytes);
  /// That of another process, by its process id and descriptor(); an empty object where this process may not.
  static NodeMemory attach(pid_t creator, int descriptor, std::size_t bytes);

  /// Given up once all have attached.
  int descriptor() const noexcept { return descriptor_; }
  void closeDescriptor() noexcept;

  explicit operator bool() const noexcept { return data_ != nullptr; }
  std::byte* data() const noexcept { return data_; }
  std::size_t bytes() const noexcept { return bytes_; }

private:
  void unmap() noexcept;

  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  int descriptor_ = -1;
};

} // namespace mpl
