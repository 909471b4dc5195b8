#pragma once

#include "mpi.h"

#include <cstdint>

namespace mpl {

struct Target;

/// Where the last put or get went: the next one with the same arguments, but for addresses and counts, goes
/// there without asking tables. Kept in programs of one thread only, and for predefined datatypes, which are
/// never freed; the target takes its own back when it may not be used so any more.
struct LastRoute {
  MPI_Win window = nullptr;
  MPI_Datatype type = nullptr;
  int rank = 0;
  bool isMapped = false; ///< the target is, else it is direct
  std::int64_t elementBytes = 0;
  std::int64_t dispUnit = 1;
  std::uint64_t base = 0;   ///< of the target's memory: here where it is mapped, else there
  std::uint64_t bytes = 0;  ///< of the target; 0 where there is no route, so that nothing is within it
  Target* target = nullptr; ///< open and fast

  [[gnu::always_inline]] bool fits(MPI_Win win, int to, MPI_Datatype datatype) const noexcept {
    return win == window && to == rank && datatype == type;
  }
  void forget(const Target* gone) noexcept {
    if (target == gone)
      bytes = 0;
  }
};

[[gnu::visibility("hidden")]] extern constinit LastRoute lastRoute;

} // namespace mpl
