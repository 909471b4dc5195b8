#include "onesided/ElementType.h"

#include "mpl/DatatypeConstructors.h"
#include "onesided/TargetRuns.h"

#include <gtest/gtest.h>

#include <array>
#include <span>

namespace mpl {
namespace {

TEST(ElementType, ThePredefinedDatatypeOfDerivedOnes) {
  Datatype& type = datatypeOf(MPI_DOUBLE);
  EXPECT_EQ(predefinedIn(type), &type);
  const Ref<Datatype> spread = makeResized(type, 0, 32, false);
  EXPECT_EQ(predefinedIn(*spread), &type);
  const Ref<Datatype> twice = makeResized(*spread, -8, 64, false);
  EXPECT_EQ(predefinedIn(*twice), &type);
}

TEST(ElementType, ComponentsOfWhichThereAreNoneDoNotCount) {
  const std::array<MPI_Aint, 2> places{0, 8};
  const std::array<MPI_Datatype, 2> types{MPI_INT, MPI_DOUBLE};
  const std::array<int, 2> ints{1, 0};
  EXPECT_EQ(predefinedIn(*makeStruct(std::span<const int>(ints), places.data(), types.data())),
            &datatypeOf(MPI_INT));
  const std::array<MPI_Count, 2> doubles{0, 3};
  EXPECT_EQ(predefinedIn(*makeStruct(std::span<const MPI_Count>(doubles),
                                     std::array<MPI_Count, 2>{0, 8}.data(), types.data())),
            &datatypeOf(MPI_DOUBLE));
  const std::array<int, 2> both{1, 1};
  EXPECT_EQ(predefinedIn(*makeStruct(std::span<const int>(both), places.data(), types.data())), nullptr);
}

TEST(ElementType, SameMachineTypeIsTheSameElement) {
  EXPECT_EQ(ElementType::of(datatypeOf(MPI_INT)), ElementType::of(datatypeOf(MPI_INT32_T)));
  EXPECT_FALSE(ElementType::of(datatypeOf(MPI_INT)) == ElementType::of(datatypeOf(MPI_FLOAT)));
  EXPECT_FALSE(ElementType::of(datatypeOf(MPI_INT)) == ElementType::of(datatypeOf(MPI_2INT)));
}

TEST(ElementType, PairsHaveTheLayoutOfAStruct) {
  struct ShortInt {
    short value;
    int index;
  };
  struct LongDoubleInt {
    long double value;
    int index;
  };
  const ElementType small = ElementType::of(datatypeOf(MPI_SHORT_INT));
  EXPECT_EQ(small.packedSize(), 6u);
  EXPECT_EQ(small.indexOffset(), offsetof(ShortInt, index));
  EXPECT_EQ(small.extent(), sizeof(ShortInt));
  const ElementType large = ElementType::of(datatypeOf(MPI_LONG_DOUBLE_INT));
  EXPECT_EQ(large.extent(), sizeof(LongDoubleInt));
}

using Piece = std::pair<std::uint64_t, std::uint64_t>;

std::vector<Piece> runsOf(const Datatype& type, std::uint64_t at, MPI_Count count) {
  std::vector<Piece> runs;
  forEachRun(type, at, count,
             [&](std::uint64_t address, std::uint64_t bytes) { runs.emplace_back(address, bytes); });
  return runs;
}

TEST(TargetRuns, ContiguousDataIsOneRun) {
  EXPECT_EQ(runsOf(datatypeOf(MPI_BYTE), 1000, 70000), (std::vector<Piece>{{1000, 70000}}));
  EXPECT_TRUE(runsOf(datatypeOf(MPI_INT), 1000, 0).empty());
}

TEST(TargetRuns, GapsPartThem) {
  const Ref<Datatype> spread = makeResized(datatypeOf(MPI_INT), 0, 12, false);
  EXPECT_EQ(runsOf(*spread, 100, 3), (std::vector<Piece>{{100, 4}, {112, 4}, {124, 4}}));
}

std::vector<Piece> elementsOf(MPI_Datatype element, const Datatype& type, std::uint64_t at, MPI_Count count) {
  std::vector<Piece> runs;
  for (const UpdateRun& run : elementRuns(type, at, count, ElementType::of(datatypeOf(element))))
    runs.emplace_back(run.address, run.count);
  return runs;
}

TEST(TargetRuns, ElementsOfPlainAndSpreadData) {
  EXPECT_EQ(elementsOf(MPI_INT, datatypeOf(MPI_INT), 64, 5), (std::vector<Piece>{{64, 5}}));
  const Ref<Datatype> spread = makeResized(datatypeOf(MPI_INT), 0, 12, false);
  EXPECT_EQ(elementsOf(MPI_INT, *spread, 100, 2), (std::vector<Piece>{{100, 1}, {112, 1}}));
}

TEST(TargetRuns, PairsWithGapsCountAsWholes) {
  // 8 + 4 bytes of 16, and 2 + 4 of 8 with the gap inside
  EXPECT_EQ(elementsOf(MPI_DOUBLE_INT, datatypeOf(MPI_DOUBLE_INT), 160, 3), (std::vector<Piece>{{160, 3}}));
  EXPECT_EQ(elementsOf(MPI_SHORT_INT, datatypeOf(MPI_SHORT_INT), 160, 3), (std::vector<Piece>{{160, 3}}));
  const Ref<Datatype> spread = makeResized(datatypeOf(MPI_SHORT_INT), 0, 40, false);
  EXPECT_EQ(elementsOf(MPI_SHORT_INT, *spread, 160, 2), (std::vector<Piece>{{160, 1}, {200, 1}}));
}

} // namespace
} // namespace mpl
