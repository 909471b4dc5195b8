#include "coll/Schedule.h"

#include "mpl/DatatypeConstructors.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <set>

namespace mpl {
namespace {

TEST(Schedule, NumbersSendsAndReceivesInTheirOrder) {
  Schedule schedule;
  EXPECT_EQ(schedule.send(Block{}, 1), 0);
  EXPECT_EQ(schedule.receive(Block{}, 2), 1);
  schedule.wait(0);
  EXPECT_EQ(schedule.send(Block{}, 3), 2);
  EXPECT_EQ(schedule.slots(), 3);
  ASSERT_EQ(schedule.steps().size(), 4u);
  EXPECT_EQ(schedule.steps()[1].peer, 2);
  schedule.clear();
  EXPECT_EQ(schedule.slots(), 0);
  EXPECT_TRUE(schedule.steps().empty());
}

TEST(Schedule, ScratchIsAlignedAndNeverHandedOutTwice) {
  Schedule schedule;
  for (int use = 0; use < 3; ++use) {
    std::vector<std::pair<std::byte*, std::size_t>> given;
    for (std::size_t bytes : {1u, 100u, 0u, 64u, 5000u, 20000u, 3u, 1000000u, 63u}) {
      std::byte* memory = schedule.scratch(bytes);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 64, 0u);
      std::memset(memory, static_cast<int>(given.size() + 1), bytes);
      given.emplace_back(memory, bytes);
    }
    for (std::size_t i = 0; i < given.size(); ++i)
      for (std::size_t b = 0; b < given[i].second; ++b)
        ASSERT_EQ(given[i].first[b], std::byte(i + 1));
    schedule.clear();
  }
}

TEST(Schedule, ScratchLikeABlockHoldsItsElementsWithAnyBounds) {
  Schedule schedule;
  Datatype& number = datatypeOf(MPI_INT);
  for (const Ref<Datatype>& type :
       {makeResized(number, 100, 8, false), makeResized(number, -100, 4, false),
        makeHvector<MPI_Count>(3, 1, -16, number), makeResized(number, 0, -12, false)}) {
    for (MPI_Count count : {0, 1, 7}) {
      const Block room = schedule.scratchLike(Block::of(nullptr, count, *type));
      EXPECT_EQ(room.count, count);
      EXPECT_EQ(room.type, type.get());
      std::vector<int> values(static_cast<std::size_t>(count) * type->size() / sizeof(int));
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<int>(i) + 1;
      const std::size_t bytes = values.size() * sizeof(int);
      ASSERT_TRUE(copyData(Block::ofBytes(values.data(), bytes), room));
      std::vector<int> back(values.size());
      ASSERT_TRUE(copyData(room, Block::ofBytes(back.data(), bytes)));
      EXPECT_EQ(back, values);
    }
  }
}

TEST(Schedule, KeepsWhatTheProgramFrees) {
  Schedule schedule;
  const Ref<Datatype> type = makeContiguous(3, datatypeOf(MPI_INT));
  const auto before = type->references();
  schedule.keep(*type);
  EXPECT_EQ(type->references(), before + 1);
  schedule.clear();
  EXPECT_EQ(type->references(), before);
}

TEST(CopyData, GoesBetweenAnyLayoutsOfOneSignature) {
  Datatype& number = datatypeOf(MPI_INT);
  const Ref<Datatype> gaps = makeVector(5000, 1, 2, number);
  std::vector<int> spread(10000, -1);
  std::vector<int> other(10000, -1);
  std::vector<int> dense(5000);
  for (int i = 0; i < 5000; ++i)
    spread[static_cast<std::size_t>(2 * i)] = i;
  const Block from = Block::of(spread.data(), 1, *gaps);
  EXPECT_TRUE(copyData(from, Block::of(dense.data(), 5000, number)));
  EXPECT_EQ(dense[4999], 4999);
  EXPECT_TRUE(copyData(from, Block::of(other.data(), 1, *gaps)));
  EXPECT_EQ(other, spread);
  std::fill(other.begin(), other.end(), -1);
  EXPECT_TRUE(copyData(Block::of(dense.data(), 5000, number), Block::of(other.data(), 1, *gaps)));
  EXPECT_EQ(other, spread);
}

TEST(CopyData, TellsWhenTheDataDoesNotFitAndCopiesWhatDoes) {
  std::array<int, 4> from{1, 2, 3, 4};
  std::array<int, 4> to{0, 0, 0, 0};
  EXPECT_FALSE(
      copyData(Block::of(from.data(), 4, datatypeOf(MPI_INT)), Block::of(to.data(), 2, datatypeOf(MPI_INT))));
  EXPECT_EQ(to, (std::array<int, 4>{1, 2, 0, 0}));
}

} // namespace
} // namespace mpl
