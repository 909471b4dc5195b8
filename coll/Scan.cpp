#include "coll/Algorithms.h"

namespace mpl::algorithm {

namespace {

// In the round with distance d a rank has the result over the 2d-1 ... ranks up to itself, sends it d further
// on and puts what comes from d before in front of its own. `exclusive`, where wanted, collects the same
// without this rank's own contribution.
void doubling(Schedule& schedule, Members me, const Block& inclusive, const Block* exclusive, const Op& op) {
  const Block room = schedule.scratchLike(inclusive);
  bool haveExclusive = false;
  for (int distance = 1; distance < me.size; distance *= 2) {
    const bool receives = me.rank - distance >= 0;
    if (me.rank + distance < me.size)
      schedule.send(inclusive, me.rank + distance);
    if (receives)
      schedule.receive(room, me.rank - distance);
    schedule.waitAll();
    if (!receives)
      continue;
    schedule.reduce(room, inclusive.at, op);
    if (exclusive == nullptr)
      continue;
    if (haveExclusive)
      schedule.reduce(room, exclusive->at, op);
    else
      schedule.copy(room, *exclusive);
    haveExclusive = true;
  }
}

} // namespace

void scan(Schedule& schedule, Members me, const Block& input, void* result, const Op& op) {
  const Block inclusive = input.movedTo(result);
  if (input.at != result)
    schedule.copy(input, inclusive);
  if (me.size > 1)
    doubling(schedule, me, inclusive, nullptr, op);
}

void exclusiveScan(Schedule& schedule, Members me, const Block& input, void* result, const Op& op) {
  if (me.size == 1)
    return;
  const Block inclusive = schedule.scratchLike(input);
  const Block exclusive = input.movedTo(result);
  schedule.copy(input, inclusive);
  doubling(schedule, me, inclusive, &exclusive, op);
}

} // namespace mpl::algorithm
