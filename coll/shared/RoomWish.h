#pragma once

#include <atomic>
#include <cstdint>

namespace mpl {

/// A line in memory that the members of a group share: since when one of them wishes for larger slots. All
/// zeros: no wish. It is hardly ever written, so that to look at it costs nothing.
///
/// Members decide alike: a wish of a step that all have ended is seen by all who know that they have, and
/// whether a later one is seen as well makes no difference to wasMadeBy().
struct alignas(64) RoomWish {
  std::atomic<std::uint64_t> since;

  /// Any member, any number of times. step: from 1; it must not have been ended.
  void make(std::uint64_t step) noexcept {
    std::uint64_t first = since.load(std::memory_order_relaxed);
    while ((first == 0 || first > step) &&
           !since.compare_exchange_weak(first, step, std::memory_order_relaxed)) {
    }
  }
  /// Whether a member had the wish in this step or before.
  bool wasMadeBy(std::uint64_t step) const noexcept {
    const std::uint64_t first = since.load(std::memory_order_relaxed);
    return first != 0 && first <= step;
  }
};
static_assert(sizeof(RoomWish) == 64);

} // namespace mpl
