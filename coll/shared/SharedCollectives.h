#pragma once

#include "coll/Neighborhood.h"
#include "coll/Parts.h"
#include "coll/shared/Elements.h"
#include "coll/shared/SharedGroup.h"

namespace mpl {

/// The blocking collectives among ranks who share memory. Arguments as in Algorithms.h, where ranks are those
/// in the group; what decides (bytes) is known alike at all. Reductions are for datatypes without gaps
/// (Datatype::isPlain); every element is combined from the last rank to the first, whatever its place and the
/// size of the data, so that all ranks get the same bits, in every run.
///
/// Errors: MPI_ERR_TRUNCATE at the rank whose buffer is too small; MPI_ERR_PROC_ABORTED.
namespace shared {

void barrier(SharedGroup& group);
void broadcast(SharedGroup& group, const Block& data, int root);
/// Blocks of the same size at all ranks.
void gather(SharedGroup& group, const Block& send, const Parts& receive, int root);
void scatter(SharedGroup& group, const Parts& send, const Block& receive, int root);
void allgather(SharedGroup& group, const Block& send, const Parts& receive);
void alltoall(SharedGroup& group, const Parts& send, const Parts& receive);
/// input: where the contribution is, which may be the memory of the result.
void reduce(SharedGroup& group, const Block& input, void* result, const Op& op, int root);
void allreduce(SharedGroup& group, const Block& input, void* result, const Op& op);
/// Up to a slot of data (group.prepare() was called).
void reduceScatter(SharedGroup& group, const Block& input, const Parts& parts, void* result, const Op& op);
/// Each rank combines the contributions of all up to itself.
void scan(SharedGroup& group, const Block& input, void* result, const Op& op);
void exclusiveScan(SharedGroup& group, const Block& input, void* result, const Op& op);

/// Blocks of different sizes, which others need not know. Small ones go through slots, others are read where
/// they lie: only where SharedGroup::reachesMemory() and, for scatterVarying and exchange (all-to-all),
/// hasRoomForTables().
bool hasRoomForTables(const SharedGroup& group) noexcept;
void gatherVarying(SharedGroup& group, const Block& send, const Parts& receive, int root);
void scatterVarying(SharedGroup& group, const Parts& send, const Block& receive, int root);
void allgatherVarying(SharedGroup& group, const Block& send, const Parts& receive);
void exchange(SharedGroup& group, const Parts& send, const Parts& receive);
/// Arguments as in Algorithms.h.
void neighborAllgather(SharedGroup& group, const Neighborhood& neighbors, const Block& send,
                       const Parts& receive);
void neighborAlltoall(SharedGroup& group, const Neighborhood& neighbors, const Parts& send,
                      const Parts& receive);

} // namespace shared

/// The same for large data, which is copied once, from one process's memory into another's
/// (SharedGroup::reachesMemory()).
namespace direct {

void broadcast(SharedGroup& group, const Block& data, int root);
void gather(SharedGroup& group, const Block& send, const Parts& receive, int root);
void scatter(SharedGroup& group, const Parts& send, const Block& receive, int root);
void allgather(SharedGroup& group, const Block& send, const Parts& receive);
/// Elements not larger than SharedGroup::firstSlotBytes. Each rank combines a part.
void reduce(SharedGroup& group, const Block& input, void* result, const Op& op, int root);
void allreduce(SharedGroup& group, const Block& input, void* result, const Op& op);
void reduceScatter(SharedGroup& group, const Block& input, const Parts& parts, void* result, const Op& op);

} // namespace direct

/// A rank's elements of a reduce-scatter within all elements.
inline Range sliceOf(const Parts& parts, int rank) noexcept {
  if (parts.isRegular())
    return {rank * parts.count(rank), parts.count(rank)};
  MPI_Count first = 0;
  for (int before = 0; before < rank; ++before)
    first += parts.count(before);
  return {first, parts.count(rank)};
}

} // namespace mpl
