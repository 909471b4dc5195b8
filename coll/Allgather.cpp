#include "coll/Algorithms.h"

#include <algorithm>

namespace mpl::algorithm {

namespace {

void linear(Schedule& schedule, Members me, const Block& own, const Parts& receive) {
  for (int distance = 1; distance < me.size; ++distance)
    schedule.receive(receive.block(me.beyond(distance)), me.beyond(distance));
  for (int distance = 1; distance < me.size; ++distance)
    schedule.send(own, me.beyond(-distance));
}

void ring(Schedule& schedule, Members me, const Parts& receive) {
  for (int round = 0; round + 1 < me.size; ++round) {
    const int arriving = schedule.receive(receive.block(me.beyond(-round - 1)), me.beyond(-1));
    schedule.send(receive.block(me.beyond(-round)), me.beyond(1));
    schedule.wait(arriving);
  }
}

// After the round with distance d a rank has the blocks of 2d ranks, its own first, packed in the order of
// ranks.
void bruck(Schedule& schedule, Members me, const Block& own, const Parts& receive) {
  // Where the block of the rank `place` further on lies; counts may differ from rank to rank.
  const auto entries = static_cast<std::size_t>(me.size) + 1;
  auto* starts = reinterpret_cast<MPI_Count*>(schedule.scratch(entries * sizeof(MPI_Count)));
  starts[0] = 0;
  for (int place = 0; place < me.size; ++place)
    starts[place + 1] = starts[place] + static_cast<MPI_Count>(receive.block(me.beyond(place)).bytes());
  const Block packed = schedule.scratchBlock(static_cast<std::size_t>(starts[me.size]));
  const auto places = [&](int from, int to) {
    return packed.elements(starts[from], starts[to] - starts[from]);
  };

  schedule.copy(own, places(0, 1));
  for (int have = 1; have < me.size; have *= 2) {
    const int more = std::min(have, me.size - have);
    // The partner counts from its own rank on: its first places are what is missing here.
    schedule.receive(places(have, have + more), me.beyond(have));
    schedule.send(places(0, more), me.beyond(-have));
    schedule.waitAll();
  }
  for (int place = 1; place < me.size; ++place)
    schedule.copy(places(place, place + 1), receive.block(me.beyond(place)));
}

std::size_t totalBytes(const Parts& parts, int ranks) {
  if (parts.isRegular())
    return parts.block(0).bytes() * static_cast<std::size_t>(ranks);
  std::size_t total = 0;
  for (int rank = 0; rank < ranks; ++rank)
    total += parts.block(rank).bytes();
  return total;
}

} // namespace

void allgather(Schedule& schedule, Members me, const Block& send, const Parts& receive) {
  const Block own = receive.block(me.rank);
  if (!send.isInPlace())
    schedule.copy(send, own);
  if (me.size == 1)
    return;
  switch (choose(Collective::allgather, me.size, totalBytes(receive, me.size), me.reach)) {
  case Algorithm::linear:
    linear(schedule, me, own, receive);
    break;
  case Algorithm::bruck:
    bruck(schedule, me, own, receive);
    break;
  default:
    ring(schedule, me, receive);
  }
}

} // namespace mpl::algorithm
