#pragma once

#include "onesided/rpma/RpmaDevice.h"

#include <array>
#include <atomic>
#include <cstdint>

namespace mpl {

/// Registrations of origins' memory, kept for the next operation on the same buffer. Memory that is unmapped
/// loses its registration, so that other memory mapped at its place is not taken for it: UCX's memory hooks
/// tell. Where they cannot be had, nothing is kept beyond its use. RmaLock held.
class RegistrationCache {
public:
  struct Entry {
    std::unique_ptr<RpmaMemory> memory;
    std::byte* base = nullptr;
    std::size_t bytes = 0;
    bool writable = false;
    unsigned users = 0;
    std::uint64_t lastUse = 0;
    std::atomic<bool> stale{false};

    bool holds(const std::byte* begin, std::size_t length) const noexcept {
      return memory && begin >= base && length <= bytes &&
             static_cast<std::size_t>(begin - base) <= bytes - length;
    }
  };

  void start(RpmaDevice& device);

  /// Registered memory that holds the range; release() when the operation is over. nullptr where the device
  /// does not take it, or everything is in use.
  Entry* acquire(const void* base, std::size_t bytes, bool writable);
  void release(Entry& entry) noexcept;

  /// Called by the hooks, in any thread, without a lock: no more than marks are set.
  void unmapped(const std::byte* base, std::size_t bytes) noexcept;

private:
  static constexpr std::size_t entries = 32;
  Entry* place() noexcept;

  RpmaDevice* device_ = nullptr;
  bool hooked_ = false;
  std::uint64_t clock_ = 0;
  std::array<Entry, entries> entries_;
  // The ranges again, for unmapped(): 0 bytes where there is none.
  std::array<std::atomic<std::uintptr_t>, entries> begins_{};
  std::array<std::atomic<std::size_t>, entries> lengths_{};
};

extern RegistrationCache& registrationCache; ///< never destroyed: the hooks may come late

} // namespace mpl
