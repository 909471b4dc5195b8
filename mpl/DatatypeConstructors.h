#pragma once

#include "mpl/Datatype.h"

#include <concepts>
#include <span>

namespace mpl {

/// The constructors of section 5.1. All give a datatype that is not committed and has no handle yet. Those
/// with a template parameter take int (and MPI_Aint for addresses) as well as MPI_Count: the choice decides
/// what MPI_Type_get_contents will tell. Errors: MPI_ERR_COUNT for a negative count or a size beyond what an
/// MPI_Count holds, MPI_ERR_ARG for the other arguments. Any thread may call them.

/// What a constructor's counts are: int, or MPI_Count in its form for large counts.
template <class T>
concept CountType = std::same_as<T, int> || std::same_as<T, MPI_Count>;

Ref<Datatype> makeDuplicate(Datatype& old);

template <CountType Count> Ref<Datatype> makeContiguous(Count count, Datatype& old);

/// The stride is in extents of the old datatype.
template <CountType Count>
Ref<Datatype> makeVector(Count count, Count blockLength, Count stride, Datatype& old);

// The displacements below are MPI_Aint (long) in the int forms and MPI_Count (also 64 bits) in the others.

/// The stride is in bytes.
template <CountType Count>
Ref<Datatype> makeHvector(Count count, Count blockLength, MPI_Count stride, Datatype& old);

template <CountType Count>
Ref<Datatype> makeIndexed(std::span<const Count> blockLengths, const Count* displacements, Datatype& old);

template <CountType Count, class Displacement>
Ref<Datatype> makeHindexed(std::span<const Count> blockLengths, const Displacement* displacements,
                           Datatype& old);

template <CountType Count>
Ref<Datatype> makeIndexedBlock(Count blockLength, std::span<const Count> displacements, Datatype& old);

template <CountType Count, class Displacement>
Ref<Datatype> makeHindexedBlock(Count blockLength, std::span<const Displacement> displacements,
                                Datatype& old);

template <CountType Count, class Displacement>
Ref<Datatype> makeStruct(std::span<const Count> blockLengths, const Displacement* displacements,
                         const MPI_Datatype* types);

/// The arrays have one entry for each dimension. order is MPI_ORDER_C or MPI_ORDER_FORTRAN.
template <CountType Count>
Ref<Datatype> makeSubarray(std::span<const Count> sizes, const Count* subsizes, const Count* starts,
                           int order, Datatype& old);

/// How a distributed array is spread over processes; the arrays have one entry for each dimension.
template <CountType Count> struct DarrayShape {
  int size = 0; ///< processes
  int rank = 0; ///< the one whose part is described
  std::span<const Count> globalSizes;
  const int* distributions = nullptr; ///< MPI_DISTRIBUTE_BLOCK, _CYCLIC or _NONE
  const int* arguments = nullptr;     ///< MPI_DISTRIBUTE_DFLT_DARG or a positive number
  const int* processSizes = nullptr;
  int order = MPI_ORDER_C;
};

template <CountType Count> Ref<Datatype> makeDarray(const DarrayShape<Count>& shape, Datatype& old);

/// largeCounts tells which form of MPI_Type_create_resized was called.
Ref<Datatype> makeResized(Datatype& old, MPI_Count lowerBound, MPI_Count extent, bool largeCounts);

} // namespace mpl
