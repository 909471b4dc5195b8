// Put and get: MPI-5.0, section 12.3. By any thread at MPI_THREAD_MULTIPLE. They do not wait, but for the
// first access to a target in an epoch. target_disp counts in the target's disp_unit; of dynamic windows it
// is an address there. The target's data must have the same number of bytes as the origin's. Errors, to the
// window's handler: MPI_ERR_WIN, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_BUFFER, MPI_ERR_RANK, MPI_ERR_DISP,
// MPI_ERR_RMA_SYNC without an access epoch, MPI_ERR_RMA_RANGE, MPI_ERR_PROC_ABORTED. MPI_PROC_NULL does
// nothing.
#include "api/WindowArguments.h"
#include "mpl/LongCopy.h"
#include "onesided/FastTransfer.h"

#include <cstring>
#include <type_traits>

using namespace mpl;
using namespace mpl::api;

namespace {

// Functions with the same parameters in the same places as their callers are reached by a jump.

template <class Int>
[[gnu::cold, gnu::noinline]] int putSlowly(const void* origin, Int originCount, MPI_Datatype originType,
                                           int rank, MPI_Aint disp, Int targetCount, MPI_Datatype targetType,
                                           MPI_Win win) {
  return guardedOn(std::is_same_v<Int, int> ? "MPI_Put" : "MPI_Put_c", win, [&](Window& window) {
    rma::put(window, localData(origin, originCount, originType, "origin_count"),
             remoteData(rank, disp, targetCount, targetType));
  });
}

template <class Int>
[[gnu::cold, gnu::noinline]] int getSlowly(void* origin, Int originCount, MPI_Datatype originType, int rank,
                                           MPI_Aint disp, Int targetCount, MPI_Datatype targetType,
                                           MPI_Win win) {
  return guardedOn(std::is_same_v<Int, int> ? "MPI_Get" : "MPI_Get_c", win, [&](Window& window) {
    rma::get(window, localData(origin, originCount, originType, "origin_count"),
             remoteData(rank, disp, targetCount, targetType));
  });
}

[[gnu::noinline]] int copyBytes(void* to, const void* from, std::size_t bytes) noexcept {
  copyLong(to, from, bytes);
  return MPI_SUCCESS;
}

/// One load and one store for what fits a register.
[[gnu::always_inline]] inline int copy(void* to, const void* from, std::size_t bytes) {
  if (bytes == 8)
    std::memcpy(to, from, 8);
  else if (bytes == 4)
    std::memcpy(to, from, 4);
  else
    return copyBytes(to, from, bytes);
  return MPI_SUCCESS;
}

// Over any transport.

template <class Int>
[[gnu::noinline]] int putOverLink(const void* origin, Target& target, std::uint64_t offset, std::size_t bytes,
                                  MPI_Win win) {
  return guardedOn(std::is_same_v<Int, int> ? "MPI_Put" : "MPI_Put_c", win, [&](Window& window) {
    window.awaitRoom(target);
    fastTransfer::putOverLink(target, origin, target.base + offset, bytes);
  });
}

template <class Int>
[[gnu::noinline]] int getOverLink(void* origin, Target& target, std::uint64_t offset, std::size_t bytes,
                                  MPI_Win win) {
  return guardedOn(std::is_same_v<Int, int> ? "MPI_Get" : "MPI_Get_c", win, [&](Window& window) {
    window.awaitRoom(target);
    fastTransfer::getOverLink(target, origin, target.base + offset, bytes);
  });
}

template <class Int>
[[gnu::noinline]] int putAnywhere(const void* origin, Int originCount, MPI_Datatype originType, int rank,
                                  MPI_Aint disp, Int targetCount, MPI_Datatype targetType, MPI_Win win) {
  fastTransfer::Way way{};
  if (fastTransfer::find(win, origin, originCount, originType, rank, disp, targetCount, targetType, way)) {
    fastTransfer::remember(win, rank, originType, *way.target);
    if (way.target->isMapped())
      return copy(way.target->mapped + way.offset, origin, way.bytes);
    if (way.bytes != 0)
      return putOverLink<Int>(origin, *way.target, way.offset, way.bytes, win);
  }
  return putSlowly<Int>(origin, originCount, originType, rank, disp, targetCount, targetType, win);
}

template <class Int>
[[gnu::noinline]] int getAnywhere(void* origin, Int originCount, MPI_Datatype originType, int rank,
                                  MPI_Aint disp, Int targetCount, MPI_Datatype targetType, MPI_Win win) {
  fastTransfer::Way way{};
  if (fastTransfer::find(win, origin, originCount, originType, rank, disp, targetCount, targetType, way)) {
    fastTransfer::remember(win, rank, originType, *way.target);
    if (way.target->isMapped())
      return copy(origin, way.target->mapped + way.offset, way.bytes);
    if (way.bytes != 0)
      return getOverLink<Int>(origin, *way.target, way.offset, way.bytes, win);
  }
  return getSlowly<Int>(origin, originCount, originType, rank, disp, targetCount, targetType, win);
}

// Over UCX, in the common case.

[[gnu::cold, gnu::noinline]] int putInTurn(Target& target, const void* origin, std::size_t bytes,
                                           std::uint64_t remote) noexcept {
  fastTransfer::putOverLink(target, origin, remote, bytes);
  return MPI_SUCCESS;
}

[[gnu::noinline]] int putDirectly(Target& target, const void* origin, std::size_t bytes,
                                  std::uint64_t remote) noexcept {
  if (!fastTransfer::tryPutDirectly(target, origin, bytes, remote)) [[unlikely]]
    return putInTurn(target, origin, bytes, remote);
  return MPI_SUCCESS;
}

[[gnu::cold, gnu::noinline]] int getInTurn(Target& target, void* origin, std::size_t bytes,
                                           std::uint64_t remote) noexcept {
  fastTransfer::getOverLink(target, origin, remote, bytes);
  return MPI_SUCCESS;
}

[[gnu::noinline]] int getDirectly(Target& target, void* origin, std::size_t bytes,
                                  std::uint64_t remote) noexcept {
  if (!fastTransfer::tryGetDirectly(target, origin, bytes, remote)) [[unlikely]]
    return getInTurn(target, origin, bytes, remote);
  return MPI_SUCCESS;
}

template <class Int>
[[gnu::always_inline]] inline int put(const void* origin, Int originCount, MPI_Datatype originType, int rank,
                                      MPI_Aint disp, Int targetCount, MPI_Datatype targetType, MPI_Win win) {
  fastTransfer::Place place{};
  if (!fastTransfer::findAgain(win, origin, originCount, originType, rank, disp, targetCount, targetType,
                               place)) [[unlikely]]
    return putAnywhere<Int>(origin, originCount, originType, rank, disp, targetCount, targetType, win);
  if (lastRoute.isMapped)
    return copy(reinterpret_cast<void*>(place.address), origin, place.bytes);
  return putDirectly(*lastRoute.target, origin, place.bytes, place.address);
}

template <class Int>
[[gnu::always_inline]] inline int get(void* origin, Int originCount, MPI_Datatype originType, int rank,
                                      MPI_Aint disp, Int targetCount, MPI_Datatype targetType, MPI_Win win) {
  fastTransfer::Place place{};
  if (!fastTransfer::findAgain(win, origin, originCount, originType, rank, disp, targetCount, targetType,
                               place)) [[unlikely]]
    return getAnywhere<Int>(origin, originCount, originType, rank, disp, targetCount, targetType, win);
  if (lastRoute.isMapped)
    return copy(origin, reinterpret_cast<const void*>(place.address), place.bytes);
  return getDirectly(*lastRoute.target, origin, place.bytes, place.address);
}

} // namespace

extern "C" {

/// origin_addr may be changed after the next flush, flush_local or end of the epoch.
int PMPI_Put(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
             MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win) {
  return put(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
             target_datatype, win);
}
int PMPI_Put_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
               MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win) {
  return put(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
             target_datatype, win);
}

/// The data is there after the next flush, flush_local or end of the epoch.
int PMPI_Get(void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
             MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win) {
  return get(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
             target_datatype, win);
}
int PMPI_Get_c(void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
               MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win) {
  return get(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
             target_datatype, win);
}

} // extern "C"

#include "api/windowTransfer.aliases.h"
