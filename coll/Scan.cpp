#include "coll/Algorithms.h"

namespace mpl::algorithm {

namespace {

// In the round with distance d a rank has the result over the 2d-1 ... ranks up to itself, sends it d further
// on, and puts what comes from d before in front of its own. It begins with sending its contribution from
// where the program has it, and combines only what somebody still wants: the rank itself or a later one.
bool sendsBeyond(Members me, int distance) {
  return me.rank + distance < me.size;
}

} // namespace

void scan(Schedule& schedule, Members me, const Block& input, void* result, const Op& op) {
  const Block target = input.movedTo(result);
  const bool isInPlace = input.at == result;
  if (me.rank == 0) {
    for (int distance = 1; distance < me.size; distance *= 2)
      schedule.send(input, distance);
    if (!isInPlace)
      schedule.copy(input, target); // while the messages are under way
    return;
  }
  const Block room = schedule.scratchLike(input);
  Block have = input;
  for (int distance = 1; distance < me.size; distance *= 2) {
    const bool receives = me.rank >= distance;
    if (sendsBeyond(me, distance))
      schedule.send(have, me.rank + distance);
    if (receives)
      schedule.receive(room, me.rank - distance);
    if (distance == 1 && !isInPlace)
      schedule.copy(input, target);
    schedule.waitAll();
    if (receives)
      schedule.reduce(room, target.at, op);
    have = target;
  }
}

void exclusiveScan(Schedule& schedule, Members me, const Block& input, void* result, const Op& op) {
  if (me.rank == 0) {
    for (int distance = 1; distance < me.size; distance *= 2)
      schedule.send(input, distance);
    return;
  }
  const Block exclusive = input.movedTo(result);
  // What this rank sends once it has received something: a memory of its own, for the result lacks its
  // contribution.
  const bool isApart = sendsBeyond(me, 2) || (input.at == result && sendsBeyond(me, 1));
  const Block inclusive = isApart ? schedule.scratchLike(input) : input;
  if (isApart)
    schedule.copy(input, inclusive);
  Block room = exclusive; // takes what comes first as it is
  for (int distance = 1; distance < me.size; distance *= 2) {
    const bool receives = me.rank >= distance;
    if (sendsBeyond(me, distance))
      schedule.send(inclusive, me.rank + distance);
    if (receives)
      schedule.receive(room, me.rank - distance);
    schedule.waitAll();
    if (!receives)
      continue;
    if (sendsBeyond(me, 2 * distance))
      schedule.reduce(room, inclusive.at, op);
    if (distance == 1) {
      if (me.rank >= 2)
        room = schedule.scratchLike(input);
    } else {
      schedule.reduce(room, exclusive.at, op);
    }
  }
}

} // namespace mpl::algorithm
