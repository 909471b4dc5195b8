#include "coll/Halving.h"

namespace mpl {

Halving::Halving(Schedule& schedule, Members me, const Block& input, const Block& result, const Op& op)
    : group_(me) {
  if (group_.isServed()) {
    schedule.send(input, group_.pairPartner());
    return;
  }
  if (!isAt(input, result.at))
    schedule.copy(input, result);
  // Operations that commute are applied in place, so that half the room will do.
  const bool swapping = !op.isCommutative();
  const MPI_Count roomCount = swapping || group_.isPaired() ? result.count : result.count - result.count / 2;
  const Block room = schedule.scratchLike(result.elements(0, roomCount));
  if (group_.isPaired()) {
    schedule.wait(schedule.receive(room, group_.pairPartner()));
    schedule.reduce(room, result.at, op);
  }

  // Where the current partial result is; the other block takes what arrives.
  Block have = result;
  Block other = room;
  ranges_[0] = {0, result.count};
  for (int bit = 1; bit < group_.workers(); bit *= 2, ++rounds_) {
    const Range all = ranges_[static_cast<std::size_t>(rounds_)];
    const MPI_Count middle = all.from + all.count() / 2;
    const bool isLower = (group_.worker() & bit) == 0;
    const Range mine = isLower ? Range{all.from, middle} : Range{middle, all.to};
    const Range theirs = isLower ? Range{middle, all.to} : Range{all.from, middle};
    ranges_[static_cast<std::size_t>(rounds_) + 1] = mine;
    const Block arriving = other.elements(swapping ? mine.from : 0, mine.count());
    const Block kept = have.elements(mine.from, mine.count());
    const int slot = schedule.receive(arriving, partner(rounds_));
    schedule.send(have.elements(theirs.from, theirs.count()), partner(rounds_));
    schedule.wait(slot);
    if (!isLower || !swapping) {
      schedule.reduce(arriving, kept.at, op);
    } else {
      schedule.reduce(kept, arriving.at, op);
      std::swap(have, other);
    }
    // Gathering, later, overwrites what is being sent here.
    schedule.waitAll();
  }
  if (!isAt(have, result.at)) {
    const Range mine = own();
    schedule.copy(have.elements(mine.from, mine.count()), result.elements(mine.from, mine.count()));
  }
}

} // namespace mpl
