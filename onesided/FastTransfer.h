#pragma once

#include "onesided/RmaLock.h"
#include "onesided/Window.h"

#include <cstdint>

/// The common case of puts and gets: plain data, a target that was accessed before in this epoch, in range.
/// Everything else, wrong arguments included, is left to the general path (Rma.h), which checks again and
/// explains.
namespace mpl::fastTransfer {

constexpr std::uintptr_t constants = 16; // MPI_BOTTOM and such are below

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
  if (__builtin_mul_overflow(originCount, static_cast<std::int64_t>(type->size()), &bytes) ||
      __builtin_mul_overflow(disp, target->dispUnit, &offset) ||
      static_cast<std::uint64_t>(offset) > target->bytes ||
      static_cast<std::uint64_t>(bytes) > target->bytes - static_cast<std::uint64_t>(offset) ||
      reinterpret_cast<std::uintptr_t>(origin) < constants)
    return false;
  way = {target, static_cast<std::uint64_t>(offset), static_cast<std::size_t>(bytes)};
  return true;
}

/// Where a transfer goes that is like the last one: an address here where the route is mapped, else there.
struct Place {
  std::uint64_t address;
  std::size_t bytes; ///< at least 1
};

/// find() where the last transfer was like this one.
template <class Int>
[[gnu::always_inline]] inline bool findAgain(MPI_Win win, const void* origin, Int originCount,
                                             MPI_Datatype originType, int rank, MPI_Aint disp,
                                             Int targetCount, MPI_Datatype targetType, Place& place) {
  const LastRoute& route = lastRoute;
  // In this order fewer registers have to be saved.
  if (originCount != targetCount || originType != targetType || !route.fits(win, rank, originType))
    return false;
  std::int64_t bytes = 0;
  if constexpr (sizeof(Int) < sizeof bytes)
    bytes = originCount * route.elementBytes;
  else if (__builtin_mul_overflow(originCount, route.elementBytes, &bytes))
    return false;
  std::int64_t offset = 0;
  if (__builtin_mul_overflow(disp, route.dispUnit, &offset))
    return false;
  // What is negative is larger than any memory when it is taken for unsigned, and an end that is not behind
  // its beginning has no bytes or is too large.
  const auto from = static_cast<std::uint64_t>(offset);
  const std::uint64_t end = from + static_cast<std::uint64_t>(bytes);
  if (end <= from || end > route.bytes || reinterpret_cast<std::uintptr_t>(origin) < constants)
    return false;
  place = {route.base + from, static_cast<std::size_t>(bytes)};
  return true;
}

/// Keeps the way for findAgain().
inline void remember(MPI_Win win, int rank, MPI_Datatype type, Target& target) noexcept {
  if (engineThreaded || (target.mapped == nullptr && !target.direct.leads()))
    return;
  if (const Datatype* predefined = datatypes->findPredefined(type))
    lastRoute = {.window = win,
                 .type = type,
                 .rank = rank,
                 .isMapped = target.mapped != nullptr,
                 .elementBytes = static_cast<std::int64_t>(predefined->size()),
                 .dispUnit = target.dispUnit,
                 .base =
                     target.mapped != nullptr ? reinterpret_cast<std::uint64_t>(target.mapped) : target.base,
                 .bytes = target.bytes,
                 .target = &target};
}

/// put() and get() of at least one byte over UCX, where the lock is known to be real. False, and nothing
/// done, where somebody else holds it.
[[gnu::always_inline]] inline bool tryPutDirectly(Target& target, const void* origin, std::size_t bytes,
                                                  std::uint64_t remote) {
  if (!RmaLock::tryToTake())
    return false;
  target.dirty = true;
  target.direct.put(origin, bytes, remote, target.pending);
  RmaLock::giveBack();
  return true;
}

[[gnu::always_inline]] inline bool tryGetDirectly(Target& target, void* origin, std::size_t bytes,
                                                  std::uint64_t remote) {
  if (!RmaLock::tryToTake())
    return false;
  target.direct.get(origin, bytes, remote, target.pending);
  RmaLock::giveBack();
  return true;
}

/// put() and get() over any transport, of at least one byte at the target's address remote. They may throw.
[[gnu::always_inline]] inline void putOverLink(Target& target, const void* origin, std::uint64_t remote,
                                               std::size_t bytes) {
  RmaLock lock;
  target.dirty = true;
  withLink(target.link, [&](auto& link) { link.put(origin, remote, bytes, target.pending); });
}

[[gnu::always_inline]] inline void getOverLink(Target& target, void* origin, std::uint64_t remote,
                                               std::size_t bytes) {
  RmaLock lock;
  withLink(target.link, [&](auto& link) { link.get(origin, remote, bytes, target.pending); });
}

} // namespace mpl::fastTransfer
