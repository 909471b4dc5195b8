#pragma once

#include "coll/Parts.h"
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

} // namespace shared
} // namespace mpl
