#include "mpl/TypeMap.h"

#include "test/unit/mpl/ReferenceType.h"

#include <gtest/gtest.h>

#include <limits>

namespace mpl::test {
namespace {

TypeMap of(MPI_Datatype handle) {
  return datatypeOf(handle).map();
}

TypeMap joined(std::initializer_list<std::tuple<MPI_Count, MPI_Count, TypeMap>> parts) {
  TypeMapJoiner joiner(false, parts.size());
  for (const auto& [displacement, count, map] : parts)
    joiner.add(map, displacement, count);
  return joiner.join();
}

TEST(TypeMap, BasicTypes) {
  const TypeMap map = of(MPI_DOUBLE);
  EXPECT_EQ(map.size(), 8);
  EXPECT_EQ(map.lowerBound, 0);
  EXPECT_EQ(map.extent(), 8);
  EXPECT_EQ(map.alignment, 8);
  EXPECT_FALSE(map.explicitBounds);
}

// The examples of section 5.1: {(double,0),(char,8)} has extent 16.
TEST(TypeMap, ExtentIsPaddedForAlignment) {
  const TypeMap map = joined({{0, 1, of(MPI_DOUBLE)}, {8, 1, of(MPI_CHAR)}});
  EXPECT_EQ(map.size(), 9);
  EXPECT_EQ(map.extent(), 16);
  EXPECT_EQ(map.trueUpperBound, 9);
  const TypeMap three = map.repeated(3, map.extent());
  EXPECT_EQ(three.extent(), 48);
  EXPECT_EQ(three.trueUpperBound, 41);
  EXPECT_EQ(three.size(), 27);
}

TEST(TypeMap, PaddingCountsFromTheLowerBound) {
  const TypeMap map = joined({{-3, 1, of(MPI_CHAR)}, {0, 1, of(MPI_INT)}});
  EXPECT_EQ(map.lowerBound, -3);
  EXPECT_EQ(map.upperBound, 5) << "7 bytes are padded to 8";
}

// Section 5.1.7's example of a type with markers: -3 and 6 around an int give extent 9, two of them 18.
TEST(TypeMap, MarkersOfResizedTypes) {
  const TypeMap resized = of(MPI_INT).resized(-3, 9);
  EXPECT_EQ(resized.lowerBound, -3);
  EXPECT_EQ(resized.upperBound, 6);
  EXPECT_EQ(resized.extent(), 9);
  EXPECT_EQ(resized.trueLowerBound, 0);
  EXPECT_EQ(resized.trueUpperBound, 4);
  const TypeMap two = resized.repeated(2, resized.extent());
  EXPECT_EQ(two.lowerBound, -3);
  EXPECT_EQ(two.upperBound, 15);
  EXPECT_EQ(two.trueUpperBound, 13);
}

TEST(TypeMap, MarkersStayInWhatIsMadeOfThem) {
  // Data without markers beyond those of another part does not count.
  const TypeMap map = joined({{0, 1, of(MPI_INT).resized(0, 8)}, {20, 1, of(MPI_INT)}});
  EXPECT_EQ(map.lowerBound, 0);
  EXPECT_EQ(map.upperBound, 8);
  EXPECT_EQ(map.trueUpperBound, 24);
  EXPECT_TRUE(map.explicitBounds);
  // Resizing again puts new markers in the place of the old ones.
  EXPECT_EQ(map.resized(4, 100).lowerBound, 4);
  EXPECT_EQ(map.resized(4, 100).upperBound, 104);
  // Markers are not padded.
  EXPECT_EQ(of(MPI_DOUBLE).resized(0, 9).repeated(2, 9).extent(), 18);
}

TEST(TypeMap, EmptyMapsHaveNoBounds) {
  const TypeMap empty = of(MPI_INT).repeated(0, 4);
  EXPECT_EQ(empty.extent(), 0);
  EXPECT_EQ(empty.size(), 0);
  EXPECT_FALSE(empty.hasData());
  const TypeMap map = joined({{-100, 1, empty}, {8, 1, of(MPI_INT)}, {500, 0, of(MPI_INT)}});
  EXPECT_EQ(map.lowerBound, 8);
  EXPECT_EQ(map.upperBound, 12);
  // Only markers: bounds without data.
  const TypeMap markers = empty.resized(-2, 10).repeated(3, 10);
  EXPECT_EQ(markers.size(), 0);
  EXPECT_EQ(markers.lowerBound, -2);
  EXPECT_EQ(markers.upperBound, 28);
  EXPECT_EQ(markers.trueUpperBound, 0);
}

TEST(TypeMap, NegativeExtents) {
  const TypeMap map = of(MPI_INT).resized(0, -8).repeated(3, -8);
  EXPECT_EQ(map.lowerBound, -16);
  EXPECT_EQ(map.upperBound, -8);
  EXPECT_EQ(map.trueLowerBound, -16);
  EXPECT_EQ(map.trueUpperBound, 4);
}

TEST(TypeMap, BoundsBeyondMpiCountFail) {
  constexpr MPI_Count most = std::numeric_limits<MPI_Count>::max();
  const auto errorOf = [](auto&& run) {
    try {
      static_cast<void>(run());
    } catch (const Error& error) {
      return error.errorClass();
    }
    return MPI_SUCCESS;
  };
  EXPECT_EQ(errorOf([] { return of(MPI_INT).resized(most, 1); }), MPI_ERR_COUNT);
  EXPECT_EQ(errorOf([] { return of(MPI_INT).repeated(3, most / 2); }), MPI_ERR_COUNT);
  EXPECT_EQ(errorOf([] { return of(MPI_INT).repeated(most, 4); }), MPI_ERR_COUNT);
  EXPECT_EQ(errorOf([] { return joined({{most - 1, 1, of(MPI_INT)}}); }), MPI_ERR_COUNT);
  EXPECT_EQ(errorOf([] {
              return joined({{-most, 1, of(MPI_INT)}, {most - 4, 1, of(MPI_INT)}});
            }),
            MPI_ERR_COUNT);
}

class RandomMaps : public testing::TestWithParam<unsigned> {};

TEST_P(RandomMaps, BoundsAsTheListOfElementsSays) {
  std::mt19937 random(GetParam());
  for (int round = 0; round < 200; ++round) {
    const TypePair pair = randomType(random, 1 + round % 5);
    const TypeMap& map = pair.type->map();
    ASSERT_EQ(map.size(), pair.reference.size()) << round;
    ASSERT_EQ(map.lowerBound, pair.reference.lowerBound()) << round;
    ASSERT_EQ(map.upperBound, pair.reference.upperBound()) << round;
    ASSERT_EQ(map.trueLowerBound, pair.reference.trueLowerBound()) << round;
    ASSERT_EQ(map.trueUpperBound, pair.reference.trueUpperBound()) << round;
    ASSERT_EQ(map.typed.size(), map.size()) << round;
  }
}

TEST_P(RandomMaps, TypedLayoutsTellTheTypeOfEveryElement) {
  std::mt19937 random(GetParam() + 50);
  for (int round = 0; round < 60; ++round) {
    const TypePair pair = randomType(random, 1 + round % 4);
    const auto& items = pair.reference.items;
    BasicType common = items.empty() ? BasicType::none : items.front().basic;
    for (const auto& item : items)
      if (item.basic != common)
        common = BasicType::none;
    ASSERT_EQ(pair.type->basic(), common) << round;
    if (common != BasicType::none) {
      ASSERT_EQ(pair.type->map().typed.root(), pair.type->layout().root()) << "one tree is enough";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomMaps, testing::Range(1U, 11U));

} // namespace
} // namespace mpl::test
