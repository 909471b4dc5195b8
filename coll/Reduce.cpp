#include "coll/Halving.h"
#include "coll/Tree.h"

namespace mpl::algorithm {

namespace {

// Up the tree: a rank's own contribution comes first, then those of its subtrees from the nearest on, which
// is the order of places. With the root at place 0 that is the order of ranks only where the root is rank 0.
void binomial(Schedule& schedule, Members me, const Block& input, void* result, const Op& op, int root) {
  constexpr std::size_t smallBytes = 65536;

  const BinomialTree tree(me, root);
  if (tree.isLeaf()) {
    schedule.send(input, tree.parent());
    return;
  }
  std::array<int, 32> children{};
  std::size_t count = 0;
  tree.children(false, [&](int child, int, int) { children[count++] = child; });

  // Each partial result lands where the last message did. The last one lands in the result itself, unless the
  // root's own contribution is still there.
  const bool small = input.bytes() <= smallBytes;
  std::array<Block, 32> places{};
  for (std::size_t i = 0; i < count; ++i) {
    const bool last = i + 1 == count;
    if (last && tree.isRoot() && !(count == 1 && isAt(input, result)))
      places[i] = input.movedTo(result);
    else
      places[i] = small || i < 2 ? schedule.scratchLike(input) : places[i - 2];
  }
  // Small contributions are received all together, large ones in turn. Into the result only when the
  // contribution there has been used.
  std::array<int, 32> slots{};
  const auto early = [&](std::size_t i) { return small && !isAt(input, places[i].at); };
  for (std::size_t i = 0; i < count; ++i)
    if (early(i))
      slots[i] = schedule.receive(places[i], children[i]);
  Block have = input;
  for (std::size_t i = 0; i < count; ++i) {
    if (!early(i))
      slots[i] = schedule.receive(places[i], children[i]);
    schedule.wait(slots[i]);
    schedule.reduce(have, places[i].at, op);
    have = places[i];
  }
  if (!tree.isRoot())
    schedule.send(have, tree.parent());
  else if (!isAt(have, result))
    schedule.copy(have, input.movedTo(result));
}

// Reduce-scatter, then the parts are gathered at the root along the same pairs, backwards.
void halving(Schedule& schedule, Members me, const Block& input, void* result, const Op& op, int root) {
  const PowerOfTwo group(me);
  const int rootWorker = group.workerFor(root);
  const bool isRoot = me.rank == root;
  const Block all = isRoot ? input.movedTo(result) : (group.isServed() ? input : schedule.scratchLike(input));
  const Halving parts(schedule, me, input, all, op);
  if (group.isServed()) {
    if (isRoot) {
      schedule.waitAll(); // the contribution may lie where the result goes
      schedule.receive(all, group.pairPartner());
    }
    return;
  }
  // After round r (backwards) only workers that agree with the root's worker in the bits from r on go on.
  for (int round = parts.rounds() - 1; round >= 0; --round) {
    const int differing = group.worker() ^ rootWorker;
    const Halving::Range mine = parts.range(round + 1);
    const Halving::Range theirs = parts.partners(round);
    if ((differing >> round & 1) != 0) {
      schedule.send(all.elements(mine.from, mine.count()), parts.partner(round));
      return;
    }
    schedule.wait(schedule.receive(all.elements(theirs.from, theirs.count()), parts.partner(round)));
  }
  if (!isRoot && group.isPaired() && group.pairPartner() == root)
    schedule.send(all, root);
}

} // namespace

void reduce(Schedule& schedule, Members me, const Block& input, void* result, const Op& op, int root) {
  if (me.size == 1) {
    if (!isAt(input, result))
      schedule.copy(input, input.movedTo(result));
    return;
  }
  if (choose(Collective::reduce, me.size, input.bytes(), me.reach) == Algorithm::halving &&
      input.count >= me.size) {
    halving(schedule, me, input, result, op, root);
    return;
  }
  if (op.isCommutative() || root == 0) {
    binomial(schedule, me, input, result, op, root);
    return;
  }
  // In the order of ranks, at rank 0, which passes the result on.
  const Block collected = me.rank == 0 ? schedule.scratchLike(input) : Block{};
  binomial(schedule, me, input, collected.at, op, 0);
  if (me.rank == 0)
    schedule.send(collected, root);
  if (me.rank == root) {
    schedule.waitAll(); // the contribution may lie where the result goes
    schedule.receive(input.movedTo(result), 0);
  }
}

} // namespace mpl::algorithm
