#include "coll/Inter.h"

#include "coll/Tree.h"

namespace mpl::interAlgorithm {

namespace {

// Leaders swap what they have; the two blocks are different memory.
void swapWithOtherLeader(Schedule& schedule, Sides me, const Block& leaving, const Block& arriving) {
  schedule.receive(arriving, me.remote(0));
  schedule.send(leaving, me.remote(0));
  schedule.waitAll();
}

// The group's combined contribution, at the leader; elsewhere nothing.
Block reduceAtLeader(Schedule& schedule, Sides me, const Block& input, const Op& op) {
  const Block collected = me.isLeader() ? schedule.scratchLike(input) : Block{};
  algorithm::reduce(schedule, me.local, input, collected.at, op, 0);
  schedule.waitAll();
  return collected;
}

} // namespace

// Up the tree of each group, across, and down again.
void barrier(Schedule& schedule, Sides me) {
  const Block nothing{};
  const BinomialTree tree(me.local, 0);
  tree.children(false, [&](int child, int, int) { schedule.receive(nothing, child); });
  schedule.waitAll();
  if (tree.isRoot()) {
    swapWithOtherLeader(schedule, me, nothing, nothing);
  } else {
    schedule.send(nothing, tree.parent());
    schedule.wait(schedule.receive(nothing, tree.parent()));
  }
  tree.children(true, [&](int child, int, int) { schedule.send(nothing, child); });
}

void broadcast(Schedule& schedule, Sides me, const Block& data, int root) {
  if (root == MPI_PROC_NULL)
    return;
  if (root == MPI_ROOT) {
    schedule.send(data, me.remote(0));
    return;
  }
  if (me.isLeader())
    schedule.wait(schedule.receive(data, me.remote(root)));
  algorithm::broadcast(schedule, me.local, data, 0);
}

void gather(Schedule& schedule, Sides me, const Block& send, const Parts& receive, int root) {
  if (root == MPI_PROC_NULL)
    return;
  if (root != MPI_ROOT) {
    schedule.send(send, me.remote(root));
    return;
  }
  for (int rank = 0; rank < me.remoteSize; ++rank)
    schedule.receive(receive.block(rank), me.remote(rank));
}

void scatter(Schedule& schedule, Sides me, const Parts& send, const Block& receive, int root) {
  if (root == MPI_PROC_NULL)
    return;
  if (root != MPI_ROOT) {
    schedule.receive(receive, me.remote(root));
    return;
  }
  for (int rank = 0; rank < me.remoteSize; ++rank)
    schedule.send(send.block(rank), me.remote(rank));
}

void allgather(Schedule& schedule, Sides me, const Block& send, const Parts& receive) {
  for (int rank = 0; rank < me.remoteSize; ++rank)
    schedule.receive(receive.block(rank), me.remote(rank));
  // Each begins with another, so that not all send to one at first.
  for (int i = 0; i < me.remoteSize; ++i)
    schedule.send(send, me.remote((me.local.rank + i) % me.remoteSize));
}

void alltoall(Schedule& schedule, Sides me, const Parts& send, const Parts& receive) {
  for (int rank = 0; rank < me.remoteSize; ++rank)
    if (const Block block = receive.block(rank); block.bytes() != 0)
      schedule.receive(block, me.remote(rank));
  for (int i = 0; i < me.remoteSize; ++i) {
    const int rank = (me.local.rank + i) % me.remoteSize;
    if (const Block block = send.block(rank); block.bytes() != 0)
      schedule.send(block, me.remote(rank));
  }
}

void reduce(Schedule& schedule, Sides me, const Block& input, void* result, const Op& op, int root) {
  if (root == MPI_PROC_NULL)
    return;
  if (root == MPI_ROOT) {
    schedule.receive(input.movedTo(result), me.remote(0));
    return;
  }
  const Block collected = reduceAtLeader(schedule, me, input, op);
  if (me.isLeader())
    schedule.send(collected, me.remote(root));
}

void allreduce(Schedule& schedule, Sides me, const Block& input, void* result, const Op& op) {
  const Block collected = reduceAtLeader(schedule, me, input, op);
  const Block others = input.movedTo(result);
  if (me.isLeader())
    swapWithOtherLeader(schedule, me, collected, others);
  algorithm::broadcast(schedule, me.local, others, 0);
}

void reduceScatter(Schedule& schedule, Sides me, const Block& input, const Parts& parts, void* result,
                   const Op& op) {
  const Block collected = reduceAtLeader(schedule, me, input, op);
  const Block own{result, parts.count(me.local.rank), input.type};
  if (!me.isLeader()) {
    schedule.receive(own, 0);
    return;
  }
  const Block others = schedule.scratchLike(input);
  swapWithOtherLeader(schedule, me, collected, others);
  MPI_Count from = parts.count(0);
  for (int rank = 1; rank < me.local.size; ++rank) {
    schedule.send(others.elements(from, parts.count(rank)), rank);
    from += parts.count(rank);
  }
  schedule.copy(others.elements(0, parts.count(0)), own);
}

} // namespace mpl::interAlgorithm
