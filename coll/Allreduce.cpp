#include "coll/Halving.h"

namespace mpl::algorithm {

namespace {

// Pairs swap their partial results; both apply the operation in the order of ranks, so that all end with the
// same bits.
void recursiveDoubling(Schedule& schedule, Members me, const Block& input, void* result, const Op& op) {
  const PowerOfTwo group(me);
  const Block target = input.movedTo(result);
  if (group.isServed()) {
    schedule.send(input, group.pairPartner());
    schedule.waitAll(); // the contribution may lie where the result goes
    schedule.receive(target, group.pairPartner());
    return;
  }
  const Block room = schedule.scratchLike(input);
  Block have = input; // of the program, not to be written, until it lies in `target` or `room`
  const auto writable = [&] {
    if (!isAt(have, result) && !isAt(have, room.at)) {
      schedule.copy(have, target);
      have = target;
    }
  };
  if (group.isPaired()) {
    writable();
    schedule.wait(schedule.receive(room, group.pairPartner()));
    schedule.reduce(room, have.at, op);
  }
  for (int bit = 1; bit < group.workers(); bit *= 2) {
    const int partner = group.rankOf(group.worker() ^ bit);
    const bool partnerFirst = (group.worker() & bit) != 0;
    if (partnerFirst)
      writable();
    const Block arriving = isAt(have, result) ? room : target;
    schedule.receive(arriving, partner);
    schedule.send(have, partner);
    schedule.waitAll();
    if (partnerFirst) {
      schedule.reduce(arriving, have.at, op);
    } else {
      schedule.reduce(have, arriving.at, op);
      have = arriving;
    }
  }
  if (group.isPaired())
    schedule.send(have, group.pairPartner());
  if (!isAt(have, result))
    schedule.copy(have, target);
}

void halving(Schedule& schedule, Members me, const Block& input, void* result, const Op& op) {
  const Block all = input.movedTo(result);
  const Halving parts(schedule, me, input, all, op);
  const PowerOfTwo& group = parts.group();
  if (group.isServed()) {
    schedule.waitAll(); // the contribution may lie where the result goes
    schedule.receive(all, group.pairPartner());
    return;
  }
  for (int round = parts.rounds() - 1; round >= 0; --round) {
    const Halving::Range mine = parts.range(round + 1);
    const Halving::Range theirs = parts.partners(round);
    const int slot = schedule.receive(all.elements(theirs.from, theirs.count()), parts.partner(round));
    schedule.send(all.elements(mine.from, mine.count()), parts.partner(round));
    schedule.wait(slot);
  }
  if (group.isPaired())
    schedule.send(all, group.pairPartner());
}

} // namespace

void allreduce(Schedule& schedule, Members me, const Block& input, void* result, const Op& op) {
  if (me.size == 1) {
    if (!isAt(input, result))
      schedule.copy(input, input.movedTo(result));
    return;
  }
  if (choose(Collective::allreduce, me.size, input.bytes(), me.reach) == Algorithm::halving &&
      input.count >= me.size)
    halving(schedule, me, input, result, op);
  else
    recursiveDoubling(schedule, me, input, result, op);
}

} // namespace mpl::algorithm
