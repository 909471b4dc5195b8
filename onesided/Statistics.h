#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace mpl {

/// What windows did in this process, for MPL_STATS and tools: counted by origins for each transport, and of
/// what was done here for others. Counted only where somebody asks for it (the common case of puts and gets
/// then takes the general path). Any thread may count.
class Statistics {
public:
  enum class Counter : std::uint8_t { connections, puts, gets, updates, putBytes, getBytes, updateBytes };
  static constexpr std::size_t counters = 7;
  static constexpr std::size_t ways = 8; ///< more than there are transports

  static bool enabled() noexcept { return enabled_.load(std::memory_order_relaxed); }
  static void enable() noexcept { enabled_.store(true, std::memory_order_relaxed); }

  /// way: index of the transport in allTransports().
  static void count(std::size_t way, Counter what, std::uint64_t by = 1) noexcept {
    if (enabled()) [[unlikely]]
      values_[way][static_cast<std::size_t>(what)].fetch_add(by, std::memory_order_relaxed);
  }
  static void countServed() noexcept {
    if (enabled()) [[unlikely]]
      served_.fetch_add(1, std::memory_order_relaxed);
  }
  static std::uint64_t value(std::size_t way, Counter what) noexcept {
    return values_[way][static_cast<std::size_t>(what)].load(std::memory_order_relaxed);
  }
  static std::uint64_t served() noexcept { return served_.load(std::memory_order_relaxed); }

  /// "shm: 1 connection, 3 puts of 24 bytes, ..." for one transport; empty where nothing was counted.
  static std::string describe(std::size_t way, const char* name);

private:
  static inline std::atomic<bool> enabled_{false};
  static std::array<std::array<std::atomic<std::uint64_t>, counters>, ways> values_;
  static inline std::atomic<std::uint64_t> served_{0};
};

} // namespace mpl
