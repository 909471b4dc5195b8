#pragma once

#include "api/Checks.h"
#include "api/CollectiveArguments.h"

#include <algorithm>

/// Buffers of collectives, checked: what CollectiveArguments.h says of errors is found here.
namespace mpl::api {

/// MPI_ERR_BUFFER, with the reason why the address is none.
[[noreturn, gnu::cold]] void failAddress(const char* name, const void* buffer, MPI_Count count);

/// A buffer that may not be MPI_IN_PLACE. Null is an address where the datatype has absolute ones.
Block checkedBlock(const char* bufferName, const void* buffer, const char* countName, MPI_Count count,
                   MPI_Datatype datatype);
Block sendBlock(const void* buffer, MPI_Count count, MPI_Datatype datatype);
Block receiveBlock(const void* buffer, MPI_Count count, MPI_Datatype datatype);
inline Block inPlaceBlock() {
  return Block{MPI_IN_PLACE, 0, nullptr};
}

/// Blocks side by side, all of the same size.
Parts regularParts(const char* bufferName, const void* buffer, const char* countName, MPI_Count count,
                   MPI_Datatype datatype);

/// MPI_ERR_BUFFER where both sides hold data, and they are the same memory.
void checkApart(const Block& send, const Block& receive);

struct PartNames {
  const char* buffer;
  const char* counts;
  const char* displacements;
  const char* types;
};
inline constexpr PartNames sendNames{"sendbuf", "sendcounts", "sdispls", "sendtypes"};
inline constexpr PartNames receiveNames{"recvbuf", "recvcounts", "rdispls", "recvtypes"};

template <class Count> void checkCounts(const char* name, const Count* counts, int ranks) {
  if (ranks != 0) // without neighbours programs leave the arrays out
    checkPointer(counts, name);
  for (int rank = 0; rank < ranks; ++rank)
    if (counts[rank] < 0) [[unlikely]]
      fail(MPI_ERR_COUNT, name, "[", rank, "] is ", counts[rank], ", which is negative");
}

template <class Count>
Parts vectorParts(const PartNames& names, const void* buffer, Vector<Count> shape, MPI_Datatype datatype,
                  int ranks) {
  checkCounts(names.counts, shape.counts, ranks);
  if (ranks != 0)
    checkPointer(shape.displacements, names.displacements);
  MPI_Count largest = 0;
  for (int rank = 0; rank < ranks; ++rank)
    largest = std::max<MPI_Count>(largest, shape.counts[rank]);
  const Block all = checkedBlock(names.buffer, buffer, names.counts, largest, datatype);
  return Parts(all.at, shape.counts, shape.displacements, *all.type);
}

template <class Shape>
Parts typedParts(const PartNames& names, const void* buffer, Shape shape, const MPI_Datatype* types,
                 int ranks) {
  checkCounts(names.counts, shape.counts, ranks);
  if (ranks != 0)
    checkPointer(shape.displacements, names.displacements);
  if (ranks != 0)
    checkPointer(types, names.types);
  if (buffer == MPI_IN_PLACE)
    failAddress(names.buffer, buffer, 0);
  for (int rank = 0; rank < ranks; ++rank)
    if (shape.counts[rank] != 0)
      committedDatatypeOf(types[rank]);
  return Parts(buffer, shape.counts, shape.displacements, types);
}

} // namespace mpl::api
