#include "coll/Algorithms.h"

namespace mpl::algorithm {

namespace {

// All at once: sendBlock(i) goes to the i-th destination.
template <class SendBlock>
void exchange(Schedule& schedule, const Neighborhood& neighbors, SendBlock&& sendBlock,
              const Parts& receive) {
  for (const int i : neighbors.receiveOrder)
    if (const int source = neighbors.sources[static_cast<std::size_t>(i)]; source != MPI_PROC_NULL)
      schedule.receive(receive.block(i), source);
  for (int i = 0; i < neighbors.outdegree(); ++i)
    if (const int destination = neighbors.destinations[static_cast<std::size_t>(i)];
        destination != MPI_PROC_NULL)
      schedule.send(sendBlock(i), destination);
}

} // namespace

void neighborAllgather(Schedule& schedule, const Neighborhood& neighbors, const Block& send,
                       const Parts& receive) {
  exchange(
      schedule, neighbors, [&](int) { return send; }, receive);
}

void neighborAlltoall(Schedule& schedule, const Neighborhood& neighbors, const Parts& send,
                      const Parts& receive) {
  exchange(
      schedule, neighbors, [&](int i) { return send.block(i); }, receive);
}

} // namespace mpl::algorithm
