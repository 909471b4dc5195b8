// Running schedules: what happens again, what happens when something fails.
#include "coll/Algorithms.h"
#include "test/unit/coll/FakeNetwork.h"

#include <gtest/gtest.h>

#include <array>

namespace mpl::test {
namespace {

Block numbers(int* at, MPI_Count count) {
  return Block::of(at, count, datatypeOf(MPI_INT));
}

TEST(ScheduleRun, CanBeRunAgainWithNewContents) {
  constexpr int size = 5;
  FakeWorld world(size, 1);
  std::array<int, size> inputs{};
  std::array<int, size> results{};
  for (int rank = 0; rank < size; ++rank)
    algorithm::allreduce(world.schedule(rank), {rank, size},
                         numbers(&inputs[static_cast<std::size_t>(rank)], 1),
                         &results[static_cast<std::size_t>(rank)], opOf(MPI_SUM));
  for (int round = 1; round <= 10; ++round) {
    for (int rank = 0; rank < size; ++rank)
      inputs[static_cast<std::size_t>(rank)] = rank * round;
    ASSERT_TRUE(world.runAll());
    for (int result : results)
      EXPECT_EQ(result, 10 * round);
    EXPECT_TRUE(world.network.isQuiet());
  }
}

// A rank whose buffer is too small must not keep its part of the tree waiting.
TEST(ScheduleRun, TruncationIsReportedWhereItHappensAndNobodyWaits) {
  constexpr int size = 8;
  for (unsigned seed = 0; seed < 20; ++seed) {
    FakeWorld world(size, seed);
    std::array<std::array<int, 4>, size> buffers{};
    buffers[0] = {1, 2, 3, 4};
    for (int rank = 0; rank < size; ++rank)
      algorithm::broadcast(world.schedule(rank), {rank, size},
                           numbers(buffers[static_cast<std::size_t>(rank)].data(), rank == 4 ? 2 : 4), 0);
    ASSERT_TRUE(world.runAll());
    EXPECT_TRUE(world.network.isQuiet());
    for (int rank = 0; rank < size; ++rank) {
      EXPECT_EQ(world.run(rank).error().has_value(), rank == 4);
      if (rank < 4) {
        EXPECT_EQ(buffers[static_cast<std::size_t>(rank)][3], rank == 0 ? 4 : buffers[0][3]);
      }
    }
    EXPECT_EQ(world.run(4).error()->errorClass(), MPI_ERR_TRUNCATE);
    EXPECT_EQ(buffers[4], (std::array<int, 4>{1, 2, 0, 0}));
  }
}

TEST(ScheduleRun, OwnDataThatDoesNotFitIsTruncationToo) {
  FakeWorld world(1, 1);
  std::array<int, 4> from{1, 2, 3, 4};
  std::array<int, 4> to{};
  algorithm::gather(world.schedule(0), {0, 1}, numbers(from.data(), 4),
                    Parts(to.data(), 2, datatypeOf(MPI_INT)), 0, true);
  ASSERT_TRUE(world.runAll());
  ASSERT_TRUE(world.run(0).error().has_value());
  EXPECT_EQ(world.run(0).error()->errorClass(), MPI_ERR_TRUNCATE);
  EXPECT_EQ(to, (std::array<int, 4>{1, 2, 0, 0}));
}

// Whoever needs the dead rank, directly or by way of others, ends with an error; nothing goes on in memory of
// the ranks that have left.
TEST(ScheduleRun, DeathOfAMemberEndsTheCollectiveForAllThatNeedIt) {
  constexpr int size = 6;
  for (int dead = 0; dead < size; ++dead)
    for (unsigned seed = 0; seed < 10; ++seed) {
      FakeWorld world(size, seed);
      world.network.kill(dead);
      std::array<int, size> inputs{};
      std::array<int, size> results{};
      for (int rank = 0; rank < size; ++rank)
        algorithm::allreduce(world.schedule(rank), {rank, size},
                             numbers(&inputs[static_cast<std::size_t>(rank)], 1),
                             &results[static_cast<std::size_t>(rank)], opOf(MPI_SUM));
      ASSERT_TRUE(world.runAll());
      for (int rank = 0; rank < size; ++rank)
        if (rank != dead) {
          ASSERT_TRUE(world.run(rank).error().has_value()) << "rank " << rank << ", dead " << dead;
          EXPECT_EQ(world.run(rank).error()->errorClass(), MPI_ERR_PROC_ABORTED);
        }
    }
}

// A send that nobody receives any more stays with the run, so that its memory can be kept.
TEST(ScheduleRun, SendsThatCannotEndAreHandedOver) {
  FakeNetwork network(3);
  std::array<int, 4> data{1, 2, 3, 4};
  bool seen = false;
  for (int attempt = 0; attempt < 50; ++attempt) {
    Schedule schedule;
    FakeTransport transport(network, 0);
    ScheduleRun<FakeTransport> run(schedule, transport);
    schedule.send(numbers(data.data(), 4), 1);
    schedule.receive(numbers(data.data(), 4), 1);
    run.begin();
    EXPECT_FALSE(run.advance());
    network.kill(1);
    int turns = 0;
    while (!run.advance())
      ASSERT_LT(++turns, 1000);
    ASSERT_TRUE(run.error().has_value());
    for (FakeNetwork::Operation* left : run.abandoned()) {
      EXPECT_FALSE(left->complete);
      EXPECT_FALSE(left->cancelled);
      seen = true;
    }
    network.revive(1);
  }
  EXPECT_TRUE(seen);
}

} // namespace
} // namespace mpl::test
