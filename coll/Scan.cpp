#include "coll/Algorithms.h"

#include <algorithm>

namespace mpl::algorithm {

namespace {

// In the round with distance d a rank has the result over the 2d-1 ... ranks up to itself, sends it d further
// on, and puts what comes from d before in front of its own. It begins with sending its contribution from
// where the program has it, and combines only what somebody still wants: the rank itself or a later one.
bool sendsBeyond(Members me, int distance) {
  return me.rank + distance < me.size;
}

void doubling(Schedule& schedule, Members me, const Block& input, void* result, const Op& op) {
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

void exclusiveDoubling(Schedule& schedule, Members me, const Block& input, void* result, const Op& op) {
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

// Along the chain of ranks in segments, each of them moved and combined once by each rank. They are counted
// in elements, which are of one size at all ranks. Of an exclusive scan the result is what comes, and what
// goes is made apart.
void pipeline(Schedule& schedule, Members me, const Block& input, void* result, const Op& op,
              bool exclusive) {
  constexpr std::size_t segmentBytes = 64 * 1024;
  const std::size_t elementBytes = std::max<std::size_t>(1, input.type->size());
  const auto length = static_cast<MPI_Count>(std::max<std::size_t>(1, segmentBytes / elementBytes));
  const auto segment = [&](const Block& whole, MPI_Count from) {
    return whole.elements(from, std::min(length, input.count - from));
  };
  const Block target = input.movedTo(result);
  const bool isFirst = me.rank == 0, isLast = me.rank == me.size - 1;
  if (isFirst) {
    for (MPI_Count from = 0; from < input.count; from += length)
      schedule.send(segment(input, from), 1);
    if (!exclusive && input.at != result)
      schedule.copy(input, target);
    return;
  }
  // What the messages before have left to this rank: of a scan they come apart, of an exclusive one to the
  // result.
  const bool combines = !exclusive || !isLast;
  const Block inclusive = !exclusive ? target : combines ? schedule.scratchLike(input) : input;
  const Block arrived = exclusive ? target : schedule.scratchLike(input);
  if (combines && input.at != inclusive.at)
    schedule.copy(input, inclusive);
  int arriving = schedule.receive(segment(arrived, 0), me.rank - 1);
  for (MPI_Count from = 0; from < input.count; from += length) {
    const int slot = arriving;
    if (from + length < input.count)
      arriving = schedule.receive(segment(arrived, from + length), me.rank - 1);
    schedule.wait(slot);
    if (combines)
      schedule.reduce(segment(arrived, from), segment(inclusive, from).at, op);
    if (!isLast)
      schedule.send(segment(inclusive, from), me.rank + 1);
  }
}

bool isInPieces(Members me, const Block& input) {
  return me.size > 1 && input.count > 0 &&
         choose(Collective::scan, me.size, input.bytes(), me.reach) == Algorithm::pipeline;
}

} // namespace

void scan(Schedule& schedule, Members me, const Block& input, void* result, const Op& op) {
  if (isInPieces(me, input))
    pipeline(schedule, me, input, result, op, false);
  else
    doubling(schedule, me, input, result, op);
}

void exclusiveScan(Schedule& schedule, Members me, const Block& input, void* result, const Op& op) {
  if (isInPieces(me, input))
    pipeline(schedule, me, input, result, op, true);
  else
    exclusiveDoubling(schedule, me, input, result, op);
}

} // namespace mpl::algorithm
