#include "coll/Algorithms.h"
#include "coll/Halving.h"

namespace mpl::algorithm {

namespace {

// The elements of each rank within all elements.
class Slices {
public:
  Slices(Schedule& schedule, const Block& input, const Parts& parts, int ranks)
      : input_(input), parts_(parts) {
    if (parts.isRegular())
      return;
    starts_ = reinterpret_cast<MPI_Count*>(
        schedule.scratch(static_cast<std::size_t>(ranks + 1) * sizeof(MPI_Count)));
    starts_[0] = 0;
    for (int rank = 0; rank < ranks; ++rank)
      starts_[rank + 1] = starts_[rank] + parts.count(rank);
  }

  Block of(int rank) const { return input_.elements(start(rank), parts_.count(rank)); }
  /// Elements before the rank's; of the number of ranks: all.
  MPI_Count start(int rank) const { return starts_ != nullptr ? starts_[rank] : rank * parts_.count(0); }

private:
  const Block& input_;
  const Parts& parts_;
  MPI_Count* starts_ = nullptr;
};

// In each round a rank and its partner split the slices that they have in common: a rank sends what it has
// for the partner's half, and adds what comes to its own. For operations that commute.
void halving(Schedule& schedule, Members me, const Block& input, const Slices& slices, void* result,
             const Op& op) {
  const PowerOfTwo group(me);
  const Block target = slices.of(me.rank).movedTo(result);
  const bool inPlace = input.at == result;
  if (group.isServed()) {
    schedule.send(input, group.pairPartner());
    schedule.waitAll(); // the contribution may lie where the result goes
    schedule.receive(target, group.pairPartner());
    return;
  }
  Block have = input;
  MPI_Count before = 0; // elements before those that it has
  const auto part = [&](MPI_Count from, MPI_Count to) { return have.elements(from - before, to - from); };
  if (group.isPaired()) {
    have = schedule.scratchLike(input);
    schedule.wait(schedule.receive(have, group.pairPartner()));
    schedule.reduce(input, have.at, op);
  }
  int first = 0; // of the workers who have these slices in common, two times `width`
  for (int width = group.workers() / 2; width >= 1; width /= 2) {
    const auto start = [&](int worker) { return slices.start(group.firstRankOf(worker)); };
    const bool isUpper = group.worker() >= first + width;
    const Block lower = part(start(first), start(first + width));
    const Block upper = part(start(first + width), start(first + 2 * width));
    const Block& mine = isUpper ? upper : lower;
    const int partner = group.rankOf(group.worker() + (isUpper ? -width : width));
    const bool isResult = width == 1 && !group.isPaired() && !inPlace;
    const Block room = isResult ? target : schedule.scratchLike(mine);
    const int slot = schedule.receive(room, partner);
    schedule.send(isUpper ? lower : upper, partner);
    schedule.wait(slot);
    schedule.reduce(mine, room.at, op);
    first += isUpper ? width : 0;
    before = start(first);
    have = room;
  }
  if (group.isPaired())
    schedule.send(part(slices.start(group.pairPartner()), slices.start(me.rank)), group.pairPartner());
  if (inPlace)
    schedule.waitAll(); // contributions are sent from there
  if (have.at != result)
    schedule.copy(part(slices.start(me.rank), slices.start(me.rank + 1)), target);
}

// Every contribution to a slice goes straight to its rank, which applies them in the order of ranks; those
// that may be swapped as they come round the ring, with two buffers.
void pairwise(Schedule& schedule, Members me, const Block& input, const Slices& slices, void* result,
              const Op& op) {
  const Block own = slices.of(me.rank);
  if (op.isCommutative()) {
    const Block target = own.movedTo(result);
    // The last contribution comes to where the result goes, unless that is where contributions are sent from.
    const bool inPlace = input.at == result;
    Block have = own;
    const Block rooms[2] = {schedule.scratchLike(own), me.size > 2 ? schedule.scratchLike(own) : Block{}};
    for (int distance = 1; distance < me.size; ++distance) {
      const Block& room = distance == me.size - 1 && !inPlace ? target : rooms[distance % 2 == 0];
      const int slot = schedule.receive(room, me.beyond(-distance));
      schedule.send(slices.of(me.beyond(distance)), me.beyond(distance));
      schedule.wait(slot);
      schedule.reduce(have, room.at, op);
      have = room;
    }
    if (inPlace) {
      schedule.waitAll();
      schedule.copy(have, target);
    }
    return;
  }
  Block have{};
  for (int distance = 1; distance < me.size; ++distance)
    schedule.send(slices.of(me.beyond(distance)), me.beyond(distance));
  const Block rooms[2] = {schedule.scratchLike(own), schedule.scratchLike(own)};
  for (int rank = 0; rank < me.size; ++rank) {
    const Block& room = rooms[rank % 2];
    if (rank == me.rank)
      schedule.copy(own, room);
    else
      schedule.wait(schedule.receive(room, rank));
    if (rank > 0)
      schedule.reduce(have, room.at, op);
    have = room;
  }
  schedule.waitAll();
  schedule.copy(have, own.movedTo(result));
}

} // namespace

void reduceScatter(Schedule& schedule, Members me, const Block& input, const Parts& parts, void* result,
                   const Op& op) {
  const Slices slices(schedule, input, parts, me.size);
  const Block own = slices.of(me.rank);
  if (me.size == 1) {
    if (own.at != result)
      schedule.copy(own, own.movedTo(result));
    return;
  }
  const Algorithm chosen = choose(Collective::reduceScatter, me.size, input.bytes(), me.reach);
  if (chosen == Algorithm::halving && op.isCommutative()) {
    halving(schedule, me, input, slices, result, op);
    return;
  }
  if (chosen != Algorithm::recursiveDoubling) {
    pairwise(schedule, me, input, slices, result, op);
    return;
  }
  const Block all = schedule.scratchLike(input);
  allreduce(schedule, me, input, all.at, op);
  schedule.waitAll();
  const Slices results(schedule, all, parts, me.size);
  schedule.copy(results.of(me.rank), own.movedTo(result));
}

} // namespace mpl::algorithm
