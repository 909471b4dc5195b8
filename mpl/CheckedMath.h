#pragma once

#include "mpl/Error.h"

namespace mpl {

/// Arithmetic on sizes and displacements that fails (MPI_ERR_COUNT) rather than wrap.
inline MPI_Count checkedMultiply(MPI_Count a, MPI_Count b) {
  MPI_Count result = 0;
  if (__builtin_mul_overflow(a, b, &result)) [[unlikely]]
    fail(MPI_ERR_COUNT, "the datatype is too large: ", a, " times ", b, " bytes goes beyond MPI_Count");
  return result;
}

inline MPI_Count checkedAdd(MPI_Count a, MPI_Count b) {
  MPI_Count result = 0;
  if (__builtin_add_overflow(a, b, &result)) [[unlikely]]
    fail(MPI_ERR_COUNT, "the datatype is too large: ", a, " plus ", b, " bytes goes beyond MPI_Count");
  return result;
}

inline MPI_Count checkedSubtract(MPI_Count a, MPI_Count b) {
  MPI_Count result = 0;
  if (__builtin_sub_overflow(a, b, &result)) [[unlikely]]
    fail(MPI_ERR_COUNT, "the datatype is too large: ", a, " minus ", b, " bytes goes beyond MPI_Count");
  return result;
}

} // namespace mpl
