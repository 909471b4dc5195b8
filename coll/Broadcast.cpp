#include "coll/Tree.h"

namespace mpl::algorithm {

namespace {

void binomial(Schedule& schedule, Members me, const Block& data, int root) {
  const BinomialTree tree(me, root);
  if (!tree.isRoot())
    schedule.wait(schedule.receive(data, tree.parent()));
  tree.children(true, [&](int child, int, int) { schedule.send(data, child); });
}

// The segments must be the same at all ranks, whose layouts may differ: they are counted in bytes, and data
// with gaps goes through packed memory.
void pipeline(Schedule& schedule, Members me, const Block& data, int root) {
  constexpr MPI_Count smallest = 128 * 1024;
  constexpr MPI_Count mostSegments = 256;

  const BinomialTree places(me, root);
  const bool isLast = places.place() == me.size - 1;
  const auto bytes = static_cast<MPI_Count>(data.bytes());
  Block run = data.isOneRun() ? data.run() : schedule.scratchBlock(data.bytes());
  if (places.isRoot() && !data.isOneRun())
    schedule.copy(data, run);

  const MPI_Count length = std::max(smallest, (bytes + mostSegments - 1) / mostSegments);
  const auto segment = [&](MPI_Count from) { return run.elements(from, std::min(length, bytes - from)); };
  int arriving = places.isRoot() ? 0 : schedule.receive(segment(0), me.beyond(-1));
  for (MPI_Count from = 0; from < bytes; from += length) {
    if (!places.isRoot()) {
      const int arrived = arriving;
      if (from + length < bytes)
        arriving = schedule.receive(segment(from + length), me.beyond(-1));
      schedule.wait(arrived);
    }
    if (!isLast)
      schedule.send(segment(from), me.beyond(1));
  }
  if (!places.isRoot() && !data.isOneRun())
    schedule.copy(run, data);
}

} // namespace

void broadcast(Schedule& schedule, Members me, const Block& data, int root) {
  if (me.size == 1)
    return;
  if (choose(Collective::broadcast, me.size, data.bytes(), me.reach) == Algorithm::pipeline &&
      data.bytes() != 0)
    pipeline(schedule, me, data, root);
  else
    binomial(schedule, me, data, root);
}

} // namespace mpl::algorithm
