#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace mpl {

/// A lock in memory that processes share, for work that takes microseconds. It knows its holder, so that one
/// who died there does not keep the others out for ever. Zero bytes are a free one.
class SharedLock {
public:
  /// me: the number of this process among those who share. hasEnded(number) is asked now and then while the
  /// lock does not come free.
  template <class HasEnded> void take(std::uint32_t me, HasEnded&& hasEnded) noexcept {
    std::uint32_t holder = 0;
    if (!word_.compare_exchange_strong(holder, me + 1, std::memory_order_acquire)) [[unlikely]]
      waitFor(me, hasEnded);
  }
  void release() noexcept { word_.store(0, std::memory_order_release); }
  bool isFree() const noexcept { return word_.load(std::memory_order_relaxed) == 0; }

  /// One turn of waiting for such work; true now and then, when it has taken long.
  static bool pause(unsigned& turns) noexcept;

private:
  template <class HasEnded> void waitFor(std::uint32_t me, HasEnded&& hasEnded) noexcept {
    unsigned turns = 0;
    for (;;) {
      std::uint32_t holder = word_.load(std::memory_order_relaxed);
      const bool isOrphan = holder != 0 && pause(turns) && hasEnded(holder - 1);
      if ((holder == 0 || isOrphan) && word_.compare_exchange_weak(holder, me + 1, std::memory_order_acquire))
        return;
    }
  }

  std::atomic<std::uint32_t> word_{0};
};

/// Locks for elements that no processor instruction updates as a whole: of 16 bytes, pairs, and those that
/// are not aligned. They lie in memory that all who update by themselves can see. An element's lock follows
/// from where it begins, and the same location is always accessed with the same datatype (section 12.7.1), so
/// it always has the same lock.
struct ElementLocks {
  std::array<SharedLock, 16> locks;

  SharedLock& of(std::uint64_t place) noexcept { return locks[(place / 8 + place / 512) % locks.size()]; }
};

/// How the elements of one member's part are updated at present (see Updater). Zero bytes are a fresh one.
struct UpdateGate {
  std::atomic<bool> isLocked{false}; ///< by holders of the lock; else by atomic instructions
  SharedLock lock;
  std::atomic<std::uint64_t> excess{0}; ///< instructions that were spent on many elements at once
  std::uint64_t singles = 0;            ///< updates of single elements, one after the other; lock held

  ElementLocks elements;
};

/// How many updates by instructions a member is making just now: by its program, and by its service to
/// others.
struct UpdateMark {
  std::atomic<std::uint32_t> program{0};
  std::atomic<std::uint32_t> service{0};
};

} // namespace mpl
