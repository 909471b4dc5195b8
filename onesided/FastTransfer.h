#pragma once

#include "onesided/RmaLock.h"
#include "onesided/Window.h"

#include <cstring>

/// The common case of puts and gets: plain data, a target that was accessed before in this epoch, in range.
/// Everything else, wrong arguments included, is left to the general path (Rma.h), which checks again and
/// explains.
namespace mpl::fastTransfer {

/// Where a plain transfer goes.
struct Way {
  Target* target;
  std::uint64_t offset; ///< in the target's memory, in bytes
  std::size_t bytes;
};

[[gnu::always_inline]] inline bool find(const Window* window, const void* origin, MPI_Count originCount,
                                        const Datatype* originType, int rank, MPI_Aint disp,
                                        MPI_Count targetCount, const Datatype* targetType, Way& way) {
  if (window == nullptr || originType == nullptr || targetType == nullptr)
    return false;
  Target* target = window->openTarget(rank);
  if (target == nullptr || !target->fast || originType != targetType || originCount != targetCount ||
      !originType->isPlain())
    return false;
  std::int64_t bytes = 0;
  std::int64_t offset = 0;
  if (__builtin_mul_overflow(originCount, static_cast<std::int64_t>(originType->size()), &bytes) ||
      __builtin_mul_overflow(disp, target->dispUnit, &offset) || (bytes | offset) < 0)
    return false;
  constexpr std::uintptr_t constants = 16; // MPI_BOTTOM and such are below
  if (static_cast<std::uint64_t>(offset) > target->bytes ||
      static_cast<std::uint64_t>(bytes) > target->bytes - static_cast<std::uint64_t>(offset) ||
      reinterpret_cast<std::uintptr_t>(origin) < constants || bytes == 0)
    return false;
  way = {target, static_cast<std::uint64_t>(offset), static_cast<std::size_t>(bytes)};
  return true;
}

/// One load and one store for what fits a register.
[[gnu::always_inline]] inline void copy(void* to, const void* from, std::size_t bytes) {
  if (bytes == 8)
    std::memcpy(to, from, 8);
  else if (bytes == 4)
    std::memcpy(to, from, 4);
  else
    std::memcpy(to, from, bytes);
}

/// False where the general path has to do it.
[[gnu::always_inline]] inline bool put(const Way& way, const void* origin) {
  Target& target = *way.target;
  if (target.mapped != nullptr) {
    copy(target.mapped + way.offset, origin, way.bytes);
    return true;
  }
  if (target.direct == nullptr)
    return false;
  RmaLock lock;
  target.dirty = true;
  target.direct->put(origin, target.base + way.offset, way.bytes, target.pending);
  return true;
}

[[gnu::always_inline]] inline bool get(const Way& way, void* origin) {
  Target& target = *way.target;
  if (target.mapped != nullptr) {
    copy(origin, target.mapped + way.offset, way.bytes);
    return true;
  }
  if (target.direct == nullptr)
    return false;
  RmaLock lock;
  target.dirty = true;
  target.direct->get(origin, target.base + way.offset, way.bytes, target.pending);
  return true;
}

} // namespace mpl::fastTransfer
