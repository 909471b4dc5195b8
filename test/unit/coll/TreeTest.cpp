#include "coll/Tree.h"

#include "coll/Halving.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <vector>

namespace mpl {
namespace {

TEST(BinomialTree, ParentsAndChildrenSayTheSame) {
  for (int size = 1; size <= 40; ++size)
    for (int root = 0; root < size; root += 3)
      for (int rank = 0; rank < size; ++rank) {
        const BinomialTree tree({rank, size}, root);
        EXPECT_EQ(tree.isRoot(), rank == root);
        EXPECT_EQ(tree.rankAt(tree.place()), rank);
        int below = 1;
        bool hasChildren = false;
        tree.children(false, [&](int child, int offset, int width) {
          const BinomialTree other({child, size}, root);
          EXPECT_EQ(other.parent(), rank);
          EXPECT_EQ(other.place(), tree.place() + offset);
          EXPECT_EQ(other.subtree(), width);
          EXPECT_EQ(offset, below) << "the subtrees are not side by side";
          below += width;
          hasChildren = true;
        });
        EXPECT_EQ(below, tree.subtree());
        EXPECT_EQ(hasChildren, !tree.isLeaf());
      }
}

TEST(BinomialTree, ChildrenComeInBothOrders) {
  std::vector<int> up;
  std::vector<int> down;
  const BinomialTree tree({0, 13}, 0);
  tree.children(false, [&](int child, int, int) { up.push_back(child); });
  tree.children(true, [&](int child, int, int) { down.push_back(child); });
  EXPECT_EQ(up, (std::vector<int>{1, 2, 4, 8}));
  EXPECT_EQ(down, (std::vector<int>{8, 4, 2, 1}));
}

TEST(PowerOfTwo, EveryContributionHasOneWorkerAndTheOrderOfRanksIsKept) {
  for (int size = 1; size <= 40; ++size) {
    std::vector<int> workerOf(static_cast<std::size_t>(size));
    std::set<int> workers;
    for (int rank = 0; rank < size; ++rank) {
      const PowerOfTwo group({rank, size});
      EXPECT_EQ(group.workers() & (group.workers() - 1), 0);
      EXPECT_LE(group.workers(), size);
      EXPECT_GT(2 * group.workers(), size);
      workerOf[static_cast<std::size_t>(rank)] = group.workerFor(rank);
      if (group.isServed()) {
        EXPECT_EQ(group.workerFor(rank), PowerOfTwo({group.pairPartner(), size}).worker());
        continue;
      }
      EXPECT_EQ(group.worker(), group.workerFor(rank));
      EXPECT_EQ(group.rankOf(group.worker()), rank);
      workers.insert(group.worker());
    }
    EXPECT_EQ(static_cast<int>(workers.size()), PowerOfTwo({0, size}).workers());
    EXPECT_TRUE(std::is_sorted(workerOf.begin(), workerOf.end()));
  }
}

TEST(Halving, PartsAreDisjointAndCoverEverything) {
  for (int size = 1; size <= 20; ++size)
    for (MPI_Count count : {MPI_Count{20}, MPI_Count{21}, MPI_Count{1000}}) {
      std::vector<int> owners(static_cast<std::size_t>(count));
      std::vector<double> data(static_cast<std::size_t>(count));
      for (int rank = 0; rank < size; ++rank) {
        Schedule schedule;
        const Block all = Block::of(data.data(), count, datatypeOf(MPI_DOUBLE));
        const Halving parts(schedule, {rank, size}, all, all, opOf(MPI_SUM));
        if (parts.group().isServed())
          continue;
        for (MPI_Count i = parts.own().from; i < parts.own().to; ++i)
          ++owners[static_cast<std::size_t>(i)];
        for (int round = 0; round < parts.rounds(); ++round)
          EXPECT_EQ(parts.range(round + 1).count() + parts.partners(round).count(),
                    parts.range(round).count());
      }
      EXPECT_EQ(owners, std::vector<int>(owners.size(), 1));
    }
}

} // namespace
} // namespace mpl
