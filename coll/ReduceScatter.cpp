#include "coll/Algorithms.h"

namespace mpl::algorithm {

namespace {

// The elements of each rank within all elements.
class Slices {
public:
  Slices(Schedule& schedule, const Block& input, const Parts& parts, int ranks)
      : input_(input), parts_(parts) {
    if (parts.isRegular())
      return;
    starts_ =
        reinterpret_cast<MPI_Count*>(schedule.scratch(static_cast<std::size_t>(ranks) * sizeof(MPI_Count)));
    MPI_Count start = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      starts_[rank] = start;
      start += parts.count(rank);
    }
  }

  Block of(int rank) const {
    const MPI_Count start = starts_ != nullptr ? starts_[rank] : rank * parts_.count(rank);
    return input_.elements(start, parts_.count(rank));
  }

private:
  const Block& input_;
  const Parts& parts_;
  MPI_Count* starts_ = nullptr;
};

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
  if (choose(Collective::reduceScatter, me.size, input.bytes(), me.reach) == Algorithm::pairwise) {
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
