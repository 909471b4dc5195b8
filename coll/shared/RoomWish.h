#pragma once

#include <atomic>
#include <cstdint>

namespace mpl {

/// A line in memory that the members of a group share: from which step on one of them wishes for larger
/// slots. All zeros: no wish. It is hardly ever written, so that to look at it costs nothing.
///
/// Members decide alike: who begins a step sees every wish that is due by then, provided that all have ended
/// the steps in which those were made; whether it sees later ones as well makes no difference.
struct alignas(64) RoomWish {
  std::atomic<std::uint64_t> due;

  /// Any member, any number of times; the first step counts. step: from 1.
  void make(std::uint64_t step) noexcept {
    std::uint64_t first = due.load(std::memory_order_relaxed);
    while ((first == 0 || first > step) &&
           !due.compare_exchange_weak(first, step, std::memory_order_relaxed)) {
    }
  }
  bool isDueAt(std::uint64_t step) const noexcept {
    const std::uint64_t first = due.load(std::memory_order_relaxed);
    return first != 0 && first <= step;
  }
};
static_assert(sizeof(RoomWish) == 64);

} // namespace mpl
