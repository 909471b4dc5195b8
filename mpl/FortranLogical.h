#pragma once

#include <atomic>
#include <cstdint>

namespace mpl {

/// What Fortran's .TRUE. and .FALSE. look like in memory, as integers: compilers differ (1 or -1). Anything
/// that is not .FALSE. counts as true. Set before reductions of logicals run (MPI_Abi_set_fortran_booleans).
struct FortranLogical {
  std::atomic<std::int64_t> trueValue{1};
  std::atomic<std::int64_t> falseValue{0};
};

inline constinit FortranLogical fortranLogical;

} // namespace mpl
