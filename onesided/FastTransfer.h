#pragma once

#include "mpl/LongCopy.h"
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

/// originType and targetType are the program's handles.
[[gnu::always_inline]] inline bool find(MPI_Win win, const void* origin, MPI_Count originCount,
                                        MPI_Datatype originType, int rank, MPI_Aint disp,
                                        MPI_Count targetCount, MPI_Datatype targetType, Way& way) {
  const Window* window = windows->findMade(win);
  if (window == nullptr || originType != targetType || originCount != targetCount)
    return false;
  Target* target = window->fastTarget(rank);
  const Datatype* type = datatypes->find(originType);
  if (target == nullptr || type == nullptr || !type->isPlain())
    return false;
  // What is negative is larger than any memory when it is taken for unsigned.
  std::int64_t bytes = 0;
  std::int64_t offset = 0;
  constexpr std::uintptr_t constants = 16; // MPI_BOTTOM and such are below
  if (__builtin_mul_overflow(originCount, static_cast<std::int64_t>(type->size()), &bytes) ||
      __builtin_mul_overflow(disp, target->dispUnit, &offset) ||
      static_cast<std::uint64_t>(offset) > target->bytes ||
      static_cast<std::uint64_t>(bytes) > target->bytes - static_cast<std::uint64_t>(offset) ||
      reinterpret_cast<std::uintptr_t>(origin) < constants)
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
    copyLong(to, from, bytes);
}

/// False where it goes another way than shared memory or UCX, and where there is nothing to do.
[[gnu::always_inline]] inline bool put(const Way& way, const void* origin) {
  Target& target = *way.target;
  if (target.mapped != nullptr) {
    copy(target.mapped + way.offset, origin, way.bytes);
    return true;
  }
  if (target.direct == nullptr || way.bytes == 0)
    return false;
  RmaLock lock;
  target.dirty = true;
  target.direct->putPlainly(origin, target.base + way.offset, way.bytes, target.pending);
  return true;
}

[[gnu::always_inline]] inline bool get(const Way& way, void* origin) {
  Target& target = *way.target;
  if (target.mapped != nullptr) {
    copy(origin, target.mapped + way.offset, way.bytes);
    return true;
  }
  if (target.direct == nullptr || way.bytes == 0)
    return false;
  RmaLock lock;
  target.dirty = true;
  target.direct->getPlainly(origin, target.base + way.offset, way.bytes, target.pending);
  return true;
}

/// put() and get() over any other transport, of at least one byte. Unlike those they may throw.
[[gnu::always_inline]] inline void putOverLink(Target& target, const void* origin, std::uint64_t offset,
                                               std::size_t bytes) {
  RmaLock lock;
  target.dirty = true;
  withLink(target.link, [&](auto& link) { link.put(origin, target.base + offset, bytes, target.pending); });
}

[[gnu::always_inline]] inline void getOverLink(Target& target, void* origin, std::uint64_t offset,
                                               std::size_t bytes) {
  RmaLock lock;
  target.dirty = true;
  withLink(target.link, [&](auto& link) { link.get(origin, target.base + offset, bytes, target.pending); });
}

} // namespace mpl::fastTransfer
