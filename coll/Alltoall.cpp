#include "coll/Algorithms.h"

#include <algorithm>

namespace mpl::algorithm {

namespace {

// Nothing is sent for an empty block, since the receiver knows as well that it is empty.
void sendBlock(Schedule& schedule, const Parts& send, int rank) {
  if (const Block block = send.block(rank); block.bytes() != 0)
    schedule.send(block, rank);
}

void receiveBlock(Schedule& schedule, const Parts& receive, int rank) {
  if (const Block block = receive.block(rank); block.bytes() != 0)
    schedule.receive(block, rank);
}

// Everything at once, each rank beginning with another partner.
void linear(Schedule& schedule, Members me, const Parts& send, const Parts& receive) {
  for (int distance = 1; distance < me.size; ++distance)
    receiveBlock(schedule, receive, me.beyond(-distance));
  for (int distance = 1; distance < me.size; ++distance)
    sendBlock(schedule, send, me.beyond(distance));
}

// A few partners at a time: for large blocks, of which many under way would wait for each other, and for many
// ranks.
void pairwise(Schedule& schedule, Members me, const Parts& send, const Parts& receive) {
  constexpr int together = 4;
  for (int distance = 1; distance < me.size; ++distance) {
    receiveBlock(schedule, receive, me.beyond(-distance));
    sendBlock(schedule, send, me.beyond(distance));
    if (distance % together == 0)
      schedule.waitAll();
  }
}

// In round k of the pairing "r + partner = k (mod size)" both partners choose each other, so that a pair
// swaps its blocks through a packed copy of the outgoing one.
void inPlace(Schedule& schedule, Members me, const Parts& parts) {
  std::size_t largest = 0;
  for (int rank = 0; rank < me.size; ++rank)
    if (rank != me.rank)
      largest = std::max(largest, parts.block(rank).bytes());
  const Block room = schedule.scratchBlock(largest);
  for (int round = 0; round < me.size; ++round) {
    const int partner = (round - me.rank + me.size) % me.size;
    const Block block = partner == me.rank ? Block{} : parts.block(partner);
    if (block.bytes() == 0)
      continue;
    const Block leaving = room.elements(0, static_cast<MPI_Count>(block.bytes()));
    schedule.copy(block, leaving);
    schedule.receive(block, partner);
    schedule.send(leaving, partner);
    schedule.waitAll();
  }
}

// Blocks travel by way of ranks 1, 2, 4 ... further on: the block for the rank `place` further on moves in
// the rounds of the bits of `place`.
void bruck(Schedule& schedule, Members me, const Parts& send, const Parts& receive) {
  const auto bytes = static_cast<MPI_Count>(receive.block(0).bytes());
  const auto size = static_cast<std::size_t>(me.size);
  const Block places = schedule.scratchBlock(static_cast<std::size_t>(bytes) * size);
  const Block leaving = schedule.scratchBlock(static_cast<std::size_t>(bytes) * (size + 1) / 2);
  const Block arriving = schedule.scratchBlock(static_cast<std::size_t>(bytes) * (size + 1) / 2);
  const auto at = [bytes](const Block& room, int index) { return room.elements(bytes * index, bytes); };

  for (int place = 0; place < me.size; ++place)
    schedule.copy(send.block(me.beyond(place)), at(places, place));
  for (int bit = 1; bit < me.size; bit *= 2) {
    int moved = 0;
    for (int place = bit; place < me.size; ++place)
      if ((place & bit) != 0)
        schedule.copy(at(places, place), at(leaving, moved++));
    schedule.receive(arriving.elements(0, bytes * moved), me.beyond(-bit));
    schedule.send(leaving.elements(0, bytes * moved), me.beyond(bit));
    schedule.waitAll();
    moved = 0;
    for (int place = bit; place < me.size; ++place)
      if ((place & bit) != 0)
        schedule.copy(at(arriving, moved++), at(places, place));
  }
  for (int place = 0; place < me.size; ++place)
    schedule.copy(at(places, place), receive.block(me.beyond(-place)));
}

} // namespace

void alltoall(Schedule& schedule, Members me, const Parts& send, const Parts& receive) {
  if (send.isInPlace()) {
    inPlace(schedule, me, receive);
    return;
  }
  // With counts of their own no rank knows the sizes of all blocks: only what holds for any sizes will do.
  const bool regular = receive.isRegular();
  const auto chosen =
      choose(Collective::alltoall, me.size, regular ? receive.block(0).bytes() : SIZE_MAX, me.reach);
  if (regular && chosen == Algorithm::bruck) {
    bruck(schedule, me, send, receive);
    return;
  }
  schedule.copy(send.block(me.rank), receive.block(me.rank));
  if (chosen == Algorithm::linear)
    linear(schedule, me, send, receive);
  else
    pairwise(schedule, me, send, receive);
}

} // namespace mpl::algorithm
