#pragma once

#include "coll/Choice.h"
#include "coll/Neighborhood.h"
#include "coll/Parts.h"
#include "coll/Schedule.h"

namespace mpl {

/// This process among the members of an intra-communicator.
struct Members {
  int rank;
  int size;
  Reach reach = Reach::messages; ///< messages or node

  /// The rank `distance` places further on the ring, -size < distance < size.
  int beyond(int distance) const noexcept {
    const int sum = rank + distance;
    return sum < 0 ? sum + size : sum >= size ? sum - size : sum;
  }
};

/// The collectives of MPI-5.0, chapter 6, on intra-communicators: each function adds to an empty schedule
/// what this rank does. Arguments are those of the MPI function and are checked already; a block or parts
/// isInPlace() where the program gave MPI_IN_PLACE. What a rank's role makes insignificant may be anything.
///
/// The result of a reduction depends on nothing but the members' contributions, and operations that do not
/// commute are applied in the order of ranks. Choices between algorithms (Choice.h) use what all members
/// know.
namespace algorithm {

void barrier(Schedule& schedule, Members me);
void broadcast(Schedule& schedule, Members me, const Block& data, int root);

/// regular: MPI_Gather, MPI_Scatter, where every rank knows the size of every block; otherwise only the root
/// does.
void gather(Schedule& schedule, Members me, const Block& send, const Parts& receive, int root, bool regular);
void scatter(Schedule& schedule, Members me, const Parts& send, const Block& receive, int root, bool regular);

void allgather(Schedule& schedule, Members me, const Block& send, const Parts& receive);
/// Also of the kinds with counts, displacements and datatypes of their own.
void alltoall(Schedule& schedule, Members me, const Parts& send, const Parts& receive);

/// input: where the contribution is (the receive buffer, where the program gave MPI_IN_PLACE), count and
/// datatype; result: where the result goes, used at the root only.
void reduce(Schedule& schedule, Members me, const Block& input, void* result, const Op& op, int root);
void allreduce(Schedule& schedule, Members me, const Block& input, void* result, const Op& op);
/// parts: how many elements of the result each rank gets (without displacements); input: all elements.
void reduceScatter(Schedule& schedule, Members me, const Block& input, const Parts& parts, void* result,
                   const Op& op);
void scan(Schedule& schedule, Members me, const Block& input, void* result, const Op& op);
void exclusiveScan(Schedule& schedule, Members me, const Block& input, void* result, const Op& op);

/// Neighbourhood collectives (section 8.6); parts have a block for each source or destination.
void neighborAllgather(Schedule& schedule, const Neighborhood& neighbors, const Block& send,
                       const Parts& receive);
void neighborAlltoall(Schedule& schedule, const Neighborhood& neighbors, const Parts& send,
                      const Parts& receive);

} // namespace algorithm
} // namespace mpl
