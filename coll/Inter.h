#pragma once

#include "coll/Algorithms.h"
#include "coll/Parts.h"

namespace mpl {

/// This process in an inter-communicator: among the local group, and how the remote group's ranks are
/// numbered in schedules.
struct Sides {
  Members local;
  int remoteSize;

  int remote(int rank) const noexcept { return local.size + rank; }
  bool isLeader() const noexcept { return local.rank == 0; }
};

/// The collectives on inter-communicators (MPI-5.0, section 6.2.3), added to a schedule like those of
/// Algorithms.h. Leaders (ranks 0) speak for their groups. root: MPI_ROOT, MPI_PROC_NULL, or the root's rank
/// in the remote group. MPI_IN_PLACE does not occur. Parts have a block for each remote rank, but those of
/// reduceScatter one for each local rank.
namespace interAlgorithm {

void barrier(Schedule& schedule, Sides me);
void broadcast(Schedule& schedule, Sides me, const Block& data, int root);
void gather(Schedule& schedule, Sides me, const Block& send, const Parts& receive, int root);
void scatter(Schedule& schedule, Sides me, const Parts& send, const Block& receive, int root);
void allgather(Schedule& schedule, Sides me, const Block& send, const Parts& receive);
void alltoall(Schedule& schedule, Sides me, const Parts& send, const Parts& receive);
void reduce(Schedule& schedule, Sides me, const Block& input, void* result, const Op& op, int root);
void allreduce(Schedule& schedule, Sides me, const Block& input, void* result, const Op& op);
void reduceScatter(Schedule& schedule, Sides me, const Block& input, const Parts& parts, void* result,
                   const Op& op);

} // namespace interAlgorithm
} // namespace mpl
