#include "coll/Parts.h"

#include "mpl/DatatypeConstructors.h"

#include <gtest/gtest.h>

#include <array>

namespace mpl {
namespace {

std::ptrdiff_t distance(const Block& block, const void* base) {
  return static_cast<const char*>(block.at) - static_cast<const char*>(base);
}

TEST(Parts, EqualBlocksFollowEachOtherByExtents) {
  std::array<int, 100> memory{};
  const Ref<Datatype> type = makeResized(datatypeOf(MPI_INT), 0, 12, false);
  const Parts parts(memory.data(), 3, *type);
  EXPECT_TRUE(parts.isRegular());
  EXPECT_FALSE(parts.isInPlace());
  EXPECT_EQ(distance(parts.block(2), memory.data()), 2 * 3 * 12);
  EXPECT_EQ(parts.block(2).count, 3);
  EXPECT_EQ(parts.block(2).bytes(), 12u);
  const Block several = parts.blocks(1, 4);
  EXPECT_EQ(distance(several, memory.data()), 3 * 12);
  EXPECT_EQ(several.count, 12);
}

TEST(Parts, VectorsOfBothWidthsCountInExtents) {
  std::array<int, 100> memory{};
  const Datatype& type = datatypeOf(MPI_INT);
  const std::array<int, 3> counts{1, 0, 5};
  const std::array<int, 3> places{10, 20, -3};
  const std::array<MPI_Count, 3> largeCounts{1, 0, 5};
  const std::array<MPI_Aint, 3> largePlaces{10, 20, -3};
  for (const Parts& parts : {Parts(&memory[50], counts.data(), places.data(), type),
                             Parts(&memory[50], largeCounts.data(), largePlaces.data(), type)}) {
    EXPECT_FALSE(parts.isRegular());
    for (int rank = 0; rank < 3; ++rank) {
      const auto r = static_cast<std::size_t>(rank);
      EXPECT_EQ(parts.count(rank), counts[r]);
      EXPECT_EQ(parts.block(rank).count, counts[r]);
      EXPECT_EQ(distance(parts.block(rank), &memory[50]), places[r] * 4);
    }
  }
}

TEST(Parts, DatatypesOfTheirOwnGoWithBytes) {
  std::array<double, 20> memory{};
  const std::array<int, 3> counts{2, 0, 1};
  const std::array<int, 3> places{24, 0, 3};
  const std::array<MPI_Datatype, 3> types{MPI_DOUBLE, MPI_DATATYPE_NULL, MPI_CHAR};
  const Parts parts(memory.data(), counts.data(), places.data(), types.data());
  EXPECT_EQ(distance(parts.block(0), memory.data()), 24);
  EXPECT_EQ(parts.block(0).bytes(), 16u);
  EXPECT_EQ(parts.block(1).bytes(), 0u); // its datatype is not looked at
  EXPECT_EQ(distance(parts.block(2), memory.data()), 3);
  EXPECT_EQ(parts.block(2).bytes(), 1u);
}

TEST(Parts, DisplacementsBeyondFourGigabytes) {
  const std::array<MPI_Count, 2> counts{1, MPI_Count{1} << 40};
  const std::array<MPI_Aint, 2> places{0, MPI_Aint{1} << 33};
  const Parts parts(nullptr, counts.data(), places.data(), datatypeOf(MPI_INT));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(parts.block(1).at), std::uintptr_t{1} << 35);
  EXPECT_EQ(parts.block(1).bytes(), std::size_t{1} << 42);
}

TEST(Parts, KeepsItsDatatypesWithTheSchedule) {
  const Ref<Datatype> type = makeContiguous(2, datatypeOf(MPI_INT));
  type->commit();
  const auto before = type->references();
  Schedule schedule;
  Parts(nullptr, 1, *type).keepTypes(schedule, 4);
  EXPECT_EQ(type->references(), before + 1);
  Parts::inPlace().keepTypes(schedule, 4);
  Parts().keepTypes(schedule, 4);
  schedule.clear();
  EXPECT_EQ(type->references(), before);
}

} // namespace
} // namespace mpl
