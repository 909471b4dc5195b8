#include "coll/Tree.h"

namespace mpl::algorithm {

namespace {

void linearGather(Schedule& schedule, Members me, const Block& send, const Parts& receive, int root) {
  if (me.rank != root) {
    schedule.send(send, root);
    return;
  }
  for (int distance = 1; distance < me.size; ++distance) {
    const int rank = me.beyond(distance);
    schedule.receive(receive.block(rank), rank);
  }
  if (!send.isInPlace())
    schedule.copy(send, receive.block(root));
}

// A subtree's blocks travel packed, in the order of places. At the root the blocks of a subtree lie side by
// side in the receive buffer, unless they go round the end of the ranks.
void binomialGather(Schedule& schedule, Members me, const Block& send, const Parts& receive, int root) {
  const BinomialTree tree(me, root);
  if (tree.isRoot()) {
    int wrapped = -1; // at most one subtree does
    Block packed;
    int wrappedChild = 0;
    tree.children(false, [&](int child, int, int width) {
      if (child + width <= me.size) {
        schedule.receive(receive.blocks(child, width), child);
        return;
      }
      packed = schedule.scratchBlock(receive.block(root).bytes() * static_cast<std::size_t>(width));
      wrapped = schedule.receive(packed, child);
      wrappedChild = child;
    });
    if (!send.isInPlace())
      schedule.copy(send, receive.block(root));
    if (wrapped >= 0) {
      const int before = me.size - wrappedChild;
      const Block end = receive.blocks(wrappedChild, before);
      const auto cut = static_cast<MPI_Count>(end.bytes());
      const auto rest = static_cast<MPI_Count>(receive.block(root).bytes());
      schedule.wait(wrapped);
      schedule.copy(packed.elements(0, cut), end);
      schedule.copy(packed.elements(cut, packed.count - cut),
                    receive.blocks(0, rest == 0 ? 0 : static_cast<int>((packed.count - cut) / rest)));
    }
    return;
  }
  if (tree.isLeaf()) {
    schedule.send(send, tree.parent());
    return;
  }
  const auto bytes = static_cast<MPI_Count>(send.bytes());
  const Block packed = schedule.scratchBlock(send.bytes() * static_cast<std::size_t>(tree.subtree()));
  tree.children(false, [&](int child, int offset, int width) {
    schedule.receive(packed.elements(bytes * offset, bytes * width), child);
  });
  schedule.copy(send, packed.elements(0, bytes));
  schedule.waitAll();
  schedule.send(packed, tree.parent());
}

void linearScatter(Schedule& schedule, Members me, const Parts& send, const Block& receive, int root) {
  if (me.rank != root) {
    schedule.receive(receive, root);
    return;
  }
  for (int distance = 1; distance < me.size; ++distance) {
    const int rank = me.beyond(distance);
    schedule.send(send.block(rank), rank);
  }
  if (!receive.isInPlace())
    schedule.copy(send.block(root), receive);
}

void binomialScatter(Schedule& schedule, Members me, const Parts& send, const Block& receive, int root) {
  const BinomialTree tree(me, root);
  if (tree.isRoot()) {
    tree.children(true, [&](int child, int, int width) {
      if (child + width <= me.size) {
        schedule.send(send.blocks(child, width), child);
        return;
      }
      const int before = me.size - child;
      const std::size_t bytes = send.block(root).bytes();
      const Block packed = schedule.scratchBlock(bytes * static_cast<std::size_t>(width));
      const auto cut = static_cast<MPI_Count>(bytes) * before;
      schedule.copy(send.blocks(child, before), packed.elements(0, cut));
      schedule.copy(send.blocks(0, width - before), packed.elements(cut, packed.count - cut));
      schedule.send(packed, child);
    });
    if (!receive.isInPlace())
      schedule.copy(send.block(root), receive);
    return;
  }
  if (tree.isLeaf()) {
    schedule.receive(receive, tree.parent());
    return;
  }
  const auto bytes = static_cast<MPI_Count>(receive.bytes());
  const Block packed = schedule.scratchBlock(receive.bytes() * static_cast<std::size_t>(tree.subtree()));
  schedule.wait(schedule.receive(packed, tree.parent()));
  tree.children(true, [&](int child, int offset, int width) {
    schedule.send(packed.elements(bytes * offset, bytes * width), child);
  });
  schedule.copy(packed.elements(0, bytes), receive);
}

Algorithm chosen(Collective collective, Members me, std::size_t bytes, bool regular) {
  return regular ? choose(collective, me.size, bytes, me.reach) : Algorithm::linear;
}

} // namespace

void gather(Schedule& schedule, Members me, const Block& send, const Parts& receive, int root, bool regular) {
  const std::size_t bytes = me.rank == root ? receive.block(root).bytes() : send.bytes();
  if (chosen(Collective::gather, me, bytes, regular) == Algorithm::binomial)
    binomialGather(schedule, me, send, receive, root);
  else
    linearGather(schedule, me, send, receive, root);
}

void scatter(Schedule& schedule, Members me, const Parts& send, const Block& receive, int root,
             bool regular) {
  const std::size_t bytes = me.rank == root ? send.block(root).bytes() : receive.bytes();
  if (chosen(Collective::scatter, me, bytes, regular) == Algorithm::binomial)
    binomialScatter(schedule, me, send, receive, root);
  else
    linearScatter(schedule, me, send, receive, root);
}

} // namespace mpl::algorithm
