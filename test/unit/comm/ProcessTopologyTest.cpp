#include "comm/ProcessTopology.h"

#include "mpl/Error.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

namespace mpl {
namespace {

// The factorization into `parts` with the smallest largest factor, by trying all.
int smallestLargest(int n, int parts, int most) {
  if (parts == 1)
    return n <= most ? n : 0;
  for (int largest = 1; largest <= most; ++largest)
    if (n % largest == 0 && smallestLargest(n / largest, parts - 1, largest) != 0)
      return largest;
  return 0;
}

TEST(ProcessTopology, DimensionsAreBalanced) {
  for (int parts = 1; parts <= 4; ++parts)
    for (int n = 1; n <= 400; ++n) {
      std::vector<int> dims(static_cast<std::size_t>(parts), 0);
      balanceDimensions(n, dims);
      EXPECT_EQ(std::accumulate(dims.begin(), dims.end(), 1, std::multiplies<>()), n);
      EXPECT_TRUE(std::is_sorted(dims.rbegin(), dims.rend())) << n;
      EXPECT_EQ(dims.front(), smallestLargest(n, parts, n)) << n << " in " << parts;
    }
}

TEST(ProcessTopology, GivenDimensionsStay) {
  std::vector<int> dims{0, 5, 0, 2};
  balanceDimensions(120, dims);
  EXPECT_EQ(dims, (std::vector<int>{4, 5, 3, 2}));
  for (std::vector<int> bad : {std::vector<int>{7, 0}, std::vector<int>{-1, 0}, std::vector<int>{2, 3}})
    EXPECT_THROW(balanceDimensions(120, bad), Error);
}

TEST(ProcessTopology, CoordinatesAndRanksBelongTogether) {
  const Cartesian grid({3, 4, 5}, {0, 1, 0});
  EXPECT_EQ(grid.processes(), 60);
  for (int rank = 0; rank < 60; ++rank)
    EXPECT_EQ(grid.rankAt(grid.coordinates(rank)), rank);
  EXPECT_EQ(grid.coordinates(1), (std::vector<int>{0, 0, 1}));
  EXPECT_EQ(grid.rankAt(std::vector<int>{0, -1, 0}), 15);
  EXPECT_EQ(grid.rankAt(std::vector<int>{0, 9, 0}), 5);
  EXPECT_EQ(grid.rankAt(std::vector<int>{3, 0, 0}), MPI_PROC_NULL);
  EXPECT_EQ(grid.neighbor(0, 1, INT_MIN), 0); // a multiple of 4
  EXPECT_EQ(grid.neighbor(59, 0, INT_MAX), MPI_PROC_NULL);
}

TEST(ProcessTopology, WhatIsSentUpwardsComesFromBelow) {
  for (int length : {1, 2, 3}) {
    const Cartesian ring({length}, {1});
    const Neighborhood mine = ring.neighborhood(0);
    EXPECT_EQ(mine.sources, (std::vector<int>{length - 1, length == 1 ? 0 : 1}));
    EXPECT_EQ(mine.sources, mine.destinations);
    // The first block that a neighbour sends goes to its lower side, so it arrives here from above.
    EXPECT_EQ(mine.receiveOrder, (std::vector<int>{1, 0}));
  }
  const Neighborhood corner = Cartesian({2, 2}, {0, 0}).neighborhood(0);
  EXPECT_EQ(corner.sources, (std::vector<int>{MPI_PROC_NULL, 2, MPI_PROC_NULL, 1}));
}

TEST(ProcessTopology, NeighborsOfAGraph) {
  const Graph graph{{2, 2, 5}, {1, 2, 0, 0, 1}};
  EXPECT_EQ(graph.neighbors(0).size(), 2u);
  EXPECT_EQ(graph.neighbors(1).size(), 0u);
  const Neighborhood last = graph.neighborhood(2);
  EXPECT_EQ(last.sources, (std::vector<int>{0, 0, 1}));
  EXPECT_EQ(last.receiveOrder, (std::vector<int>{0, 1, 2}));
}

} // namespace
} // namespace mpl
