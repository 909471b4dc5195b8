#include "mpl/DatatypeConstructors.h"

#include "test/unit/mpl/ReferenceType.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace mpl::test {
namespace {

struct Grid {
  std::vector<int> globalSizes;
  std::vector<int> distributions;
  std::vector<int> arguments;
  std::vector<int> processSizes;
  int order;

  int processes() const {
    int product = 1;
    for (const int size : processSizes)
      product *= size;
    return product;
  }
  DarrayShape<int> shape(int rank) const {
    return {processes(),         rank, globalSizes, distributions.data(), arguments.data(),
            processSizes.data(), order};
  }
};

/// Who has index `index` of dimension i, as the standard's text says it.
int ownerOf(const Grid& grid, std::size_t i, int index) {
  const int size = grid.globalSizes[i];
  const int processes = grid.processSizes[i];
  const int argument = grid.arguments[i];
  switch (grid.distributions[i]) {
  case MPI_DISTRIBUTE_NONE:
    return 0;
  case MPI_DISTRIBUTE_BLOCK:
    return index / (argument == MPI_DISTRIBUTE_DFLT_DARG ? (size + processes - 1) / processes : argument);
  default:
    return index / (argument == MPI_DISTRIBUTE_DFLT_DARG ? 1 : argument) % processes;
  }
}

/// All places of the array in memory order; those of this rank are taken.
ReferenceType reference(const Grid& grid, int rank, const ReferenceType& old) {
  const std::size_t dimensions = grid.globalSizes.size();
  std::vector<int> coordinates(dimensions);
  for (std::size_t i = dimensions; i-- > 0; rank /= grid.processSizes[i])
    coordinates[i] = rank % grid.processSizes[i];
  MPI_Count all = 1;
  for (const int size : grid.globalSizes)
    all *= size;
  ReferenceType result;
  for (MPI_Count place = 0; place < all; ++place) {
    MPI_Count rest = place;
    bool mine = true;
    for (std::size_t step = 0; step < dimensions; ++step) {
      const std::size_t i = grid.order == MPI_ORDER_C ? dimensions - 1 - step : step;
      mine = mine && ownerOf(grid, i, static_cast<int>(rest % grid.globalSizes[i])) == coordinates[i];
      rest /= grid.globalSizes[i];
    }
    if (mine)
      result.add(old, place * old.extent(), 1);
  }
  return ReferenceType::resized(result, 0, all * old.extent());
}

void expectSame(const Grid& grid, MPI_Datatype oldHandle) {
  const TypePair old = predefinedType(oldHandle);
  std::size_t total = 0;
  for (int rank = 0; rank < grid.processes(); ++rank) {
    const Ref<Datatype> type = makeDarray(grid.shape(rank), *old.type);
    const ReferenceType expected = reference(grid, rank, old.reference);
    ASSERT_EQ(type->size(), static_cast<std::size_t>(expected.size())) << "rank " << rank;
    ASSERT_EQ(type->lowerBound(), 0);
    ASSERT_EQ(type->extent(), expected.extent());
    TypeMemory memory(expected, 2, 5);
    std::vector<unsigned char> packed(2 * type->size());
    type->cursor(memory.base(), 2).pack(0, packed.data(), packed.size());
    ASSERT_EQ(packed, expected.pack(memory.base(), 2)) << "rank " << rank;
    total += type->size();
  }
  std::size_t all = old.type->size();
  for (const int size : grid.globalSizes)
    all *= static_cast<std::size_t>(size);
  ASSERT_EQ(total, all) << "each element has one owner";
}

TEST(Darray, BlockCyclicAndNone) {
  constexpr int dflt = MPI_DISTRIBUTE_DFLT_DARG;
  for (const int order : {MPI_ORDER_C, MPI_ORDER_FORTRAN}) {
    expectSame({{10}, {MPI_DISTRIBUTE_BLOCK}, {dflt}, {3}, order}, MPI_INT);
    expectSame({{10}, {MPI_DISTRIBUTE_BLOCK}, {7}, {3}, order}, MPI_INT);
    expectSame({{10}, {MPI_DISTRIBUTE_CYCLIC}, {dflt}, {3}, order}, MPI_INT);
    expectSame({{11}, {MPI_DISTRIBUTE_CYCLIC}, {2}, {3}, order}, MPI_DOUBLE_INT);
    expectSame({{3, 4}, {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK}, {dflt, dflt}, {1, 2}, order}, MPI_SHORT);
    expectSame({{4, 7, 5},
                {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC},
                {dflt, dflt, 2},
                {2, 2, 2},
                order},
               MPI_INT);
  }
}

TEST(Darray, RandomGrids) {
  std::mt19937 random(17);
  const auto pick = [&](int from, int to) { return from + static_cast<int>(random() % (to - from + 1U)); };
  for (int round = 0; round < 120; ++round) {
    Grid grid;
    const int dimensions = pick(1, 3);
    for (int i = 0; i < dimensions; ++i) {
      const int size = pick(1, 9);
      const int kind = pick(0, 2);
      const int processes = kind == 0 ? 1 : pick(1, 3);
      grid.globalSizes.push_back(size);
      grid.processSizes.push_back(processes);
      grid.distributions.push_back(kind == 0   ? MPI_DISTRIBUTE_NONE
                                   : kind == 1 ? MPI_DISTRIBUTE_BLOCK
                                               : MPI_DISTRIBUTE_CYCLIC);
      const bool fixed = pick(0, 1) == 1;
      const int least = kind == 1 ? (size + processes - 1) / processes : 1;
      grid.arguments.push_back(fixed ? pick(least, least + 2) : MPI_DISTRIBUTE_DFLT_DARG);
    }
    grid.order = pick(0, 1) == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    expectSame(grid, round % 3 == 0 ? MPI_SHORT_INT : MPI_INT);
    if (HasFatalFailure())
      FAIL() << "round " << round;
  }
}

TEST(Darray, BothFormsAgreeAndTellTheirArguments) {
  const Grid grid{{10, 6},
                  {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC},
                  {MPI_DISTRIBUTE_DFLT_DARG, 2},
                  {2, 3},
                  MPI_ORDER_C};
  const Ref<Datatype> small = makeDarray(grid.shape(4), datatypeOf(MPI_INT));
  EXPECT_EQ(small->envelope().integers,
            (std::vector<int>{6, 4, 2, 10, 6, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC,
                              MPI_DISTRIBUTE_DFLT_DARG, 2, 2, 3, MPI_ORDER_C}));
  const std::vector<MPI_Count> sizes = {10, 6};
  const Ref<Datatype> large =
      makeDarray(DarrayShape<MPI_Count>{6, 4, sizes, grid.distributions.data(), grid.arguments.data(),
                                        grid.processSizes.data(), MPI_ORDER_C},
                 datatypeOf(MPI_INT));
  EXPECT_EQ(large->envelope().integers,
            (std::vector<int>{6, 4, 2, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_DFLT_DARG,
                              2, 2, 3, MPI_ORDER_C}));
  EXPECT_EQ(large->envelope().largeCounts, sizes);
  EXPECT_EQ(small->size(), large->size());
  EXPECT_EQ(small->trueLowerBound(), large->trueLowerBound());
}

TEST(Darray, BadArguments) {
  const Grid good{{10, 6},
                  {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC},
                  {MPI_DISTRIBUTE_DFLT_DARG, 2},
                  {2, 3},
                  MPI_ORDER_C};
  const auto errorOf = [](const DarrayShape<int>& shape) {
    try {
      makeDarray(shape, datatypeOf(MPI_INT));
    } catch (const Error& error) {
      return error.errorClass();
    }
    return MPI_SUCCESS;
  };
  EXPECT_EQ(errorOf(good.shape(5)), MPI_SUCCESS);
  EXPECT_EQ(errorOf(good.shape(6)), MPI_ERR_ARG);
  EXPECT_EQ(errorOf(good.shape(-1)), MPI_ERR_ARG);
  DarrayShape<int> shape = good.shape(0);
  shape.size = 7;
  EXPECT_EQ(errorOf(shape), MPI_ERR_ARG) << "not the product of the process sizes";
  const auto changed = [&](auto change) {
    Grid grid = good;
    change(grid);
    return errorOf(grid.shape(0));
  };
  EXPECT_EQ(changed([](Grid& grid) { grid.order = 1; }), MPI_ERR_ARG);
  EXPECT_EQ(changed([](Grid& grid) { grid.globalSizes[0] = 0; }), MPI_ERR_ARG);
  EXPECT_EQ(changed([](Grid& grid) { grid.distributions[0] = 3; }), MPI_ERR_ARG);
  EXPECT_EQ(changed([](Grid& grid) { grid.arguments[1] = 0; }), MPI_ERR_ARG);
  EXPECT_EQ(changed([](Grid& grid) { grid.arguments[0] = 4; }), MPI_ERR_ARG)
      << "2 blocks of 4 do not hold 10";
  EXPECT_EQ(changed([](Grid& grid) { grid.distributions[0] = MPI_DISTRIBUTE_NONE; }), MPI_ERR_ARG)
      << "two processes for a dimension that is not distributed";
}

} // namespace
} // namespace mpl::test
