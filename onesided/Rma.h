#pragma once

#include "mpl/Datatype.h"
#include "mpl/Op.h"
#include "onesided/Window.h"

namespace mpl {

/// Communication calls of MPI-5.0, sections 12.3 and 12.4, with arguments of which counts, handles and the
/// committed state of datatypes are checked; the target rank may be MPI_PROC_NULL. They wait only where the
/// target is accessed for the first time in an epoch. Errors: MPI_ERR_RANK, MPI_ERR_RMA_SYNC, MPI_ERR_DISP,
/// MPI_ERR_RMA_RANGE (data beyond the target's memory), MPI_ERR_TYPE (the datatypes do not fit each other),
/// MPI_ERR_OP, MPI_ERR_PROC_ABORTED.
namespace rma {

/// Data in this process's memory.
struct Local {
  void* buffer = nullptr;
  MPI_Count count = 0;
  const Datatype* type = nullptr;

  std::size_t bytes() const noexcept { return static_cast<std::size_t>(count) * type->size(); }
  bool isOneRun() const noexcept { return type->isContiguous() || (count == 1 && type->isOneBlock()); }
  /// The first byte of the run.
  std::byte* start() const noexcept {
    return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(buffer) +
                                        static_cast<std::uintptr_t>(type->trueLowerBound()));
  }
  PackCursor cursor() const noexcept { return type->cursor(buffer, count); }
};

/// Data in a target's memory.
struct Remote {
  int rank = 0;
  MPI_Aint disp = 0;
  MPI_Count count = 0;
  const Datatype* type = nullptr;

  std::size_t bytes() const noexcept { return static_cast<std::size_t>(count) * type->size(); }
};

/// An operation that a request will stand for, or nullptr.
using Tracked = std::shared_ptr<RmaOperation>;

void put(Window& window, const Local& origin, const Remote& place, const Tracked& tracked = {});
void get(Window& window, const Local& origin, const Remote& place, const Tracked& tracked = {});
void accumulate(Window& window, const Local& origin, const Remote& place, const Op& op,
                const Tracked& tracked = {});
/// origin is not looked at for MPI_NO_OP.
void getAccumulate(Window& window, const Local& origin, const Local& result, const Remote& place,
                   const Op& op, const Tracked& tracked = {});
void fetchAndOp(Window& window, const void* origin, void* result, const Datatype& type, int rank,
                MPI_Aint disp, const Op& op);
void compareAndSwap(Window& window, const void* origin, const void* compare, void* result,
                    const Datatype& type, int rank, MPI_Aint disp);

void requirePassive(Window& window, int rank);
MPI_Request requestFor(Window& window, const Tracked& tracked, const char* name);

/// A request for the operation that start(tracked) begins; errors come through the window's communicator.
/// Errors: MPI_ERR_RMA_SYNC outside passive-target epochs.
template <class Start> MPI_Request withRequest(Window& window, int rank, const char* name, Start&& start) {
  requirePassive(window, rank);
  const auto tracked = std::make_shared<RmaOperation>();
  start(tracked);
  return requestFor(window, tracked, name);
}

} // namespace rma
} // namespace mpl
