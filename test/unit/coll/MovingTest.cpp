// The collectives that move data, against what the standard says should lie where, on simulated ranks.
#include "test/unit/coll/FakeNetwork.h"
#include "test/unit/coll/TypedBuffer.h"

#include "coll/Algorithms.h"

#include <gtest/gtest.h>

#include <algorithm>

#include <memory>
#include <numeric>

namespace mpl::test {
namespace {

constexpr int largestWorld = 9;
constexpr unsigned seeds = 6;

// Runs the check for every world size, algorithm and seed.
template <class Check>
void forAll(Collective collective, std::initializer_list<Algorithm> algorithms, Check&& check) {
  for (Algorithm algorithm : algorithms) {
    forceAlgorithm(collective, algorithm);
    for (int size = 1; size <= largestWorld; ++size)
      for (unsigned seed = 0; seed < seeds; ++seed) {
        SCOPED_TRACE(text(collectiveName(collective), " by ", algorithmName(algorithm), ", ", size,
                          " ranks, seed ", seed));
        check(size, seed);
        if (::testing::Test::HasFailure()) {
          forceAlgorithm(collective, std::nullopt);
          return;
        }
      }
  }
  forceAlgorithm(collective, std::nullopt);
}

// Numbers in a block: a multiple of what every datatype can hold.
int randomNumbers(std::mt19937& random) {
  constexpr int factors[] = {0, 1, 1, 2, 5, 30};
  return TestTypes::commonNumbers * factors[random() % std::size(factors)];
}

const Datatype& randomType(std::mt19937& random) {
  return TestTypes::get().type(static_cast<unsigned>(random()));
}

TypedBuffer bufferFor(const Datatype& type, int numbers) {
  return TypedBuffer(type, numbers / TestTypes::numbersIn(type));
}

// Counts and displacements, in elements, for blocks of so many numbers, in a random order and with gaps.
template <class Count, class Displacement> struct Placement {
  std::vector<Count> counts;
  std::vector<Displacement> displacements;
  MPI_Count elements = 1;

  Placement(const std::vector<int>& numbers, const Datatype& type, std::mt19937& random) {
    counts.resize(numbers.size());
    displacements.resize(numbers.size());
    std::vector<std::size_t> order(numbers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t rank : order) {
      counts[rank] = numbers[rank] / TestTypes::numbersIn(type);
      displacements[rank] = static_cast<Displacement>(elements);
      elements += counts[rank] + static_cast<MPI_Count>(random() % 2);
    }
  }
};

class World : public FakeWorld {
public:
  using FakeWorld::FakeWorld;

  void expectRun() {
    ASSERT_TRUE(runAll()) << "the ranks wait for each other";
    for (int rank = 0; rank < size(); ++rank)
      EXPECT_FALSE(run(rank).error()) << "rank " << rank << ": " << run(rank).error()->message();
    EXPECT_TRUE(network.isQuiet());
  }
};

TEST(Broadcast, EveryRankGetsTheRootsData) {
  forAll(Collective::broadcast, {Algorithm::binomial, Algorithm::pipeline}, [](int size, unsigned seed) {
    World world(size, seed);
    auto& random = world.network.random();
    const int root = static_cast<int>(random() % static_cast<unsigned>(size));
    const int numbers = seed == 0 ? TestTypes::commonNumbers * 10000 : randomNumbers(random);
    std::vector<TypedBuffer> buffers;
    for (int rank = 0; rank < size; ++rank) {
      buffers.push_back(bufferFor(randomType(random), numbers));
      if (rank == root)
        buffers.back().write(0, numbersOf(root, numbers));
    }
    for (int rank = 0; rank < size; ++rank)
      algorithm::broadcast(world.schedule(rank), {rank, size},
                           buffers[static_cast<std::size_t>(rank)].block(), root);
    world.expectRun();
    for (TypedBuffer& buffer : buffers) {
      TypedBuffer expected = bufferFor(buffer.type(), numbers);
      expected.write(0, numbersOf(root, numbers));
      EXPECT_TRUE(buffer.memory() == expected.memory());
    }
  });
}

TEST(Gather, RootGetsEveryRanksBlock) {
  forAll(Collective::gather, {Algorithm::linear, Algorithm::binomial}, [](int size, unsigned seed) {
    World world(size, seed);
    auto& random = world.network.random();
    const int root = static_cast<int>(random() % static_cast<unsigned>(size));
    const int numbers = randomNumbers(random);
    const bool inPlace = random() % 2 == 0;
    const Datatype& type = randomType(random);
    TypedBuffer received = bufferFor(type, numbers * size);
    TypedBuffer expected = bufferFor(type, numbers * size);
    const MPI_Count count = received.elements() / size;
    std::vector<TypedBuffer> sent;
    for (int rank = 0; rank < size; ++rank) {
      sent.push_back(bufferFor(randomType(random), numbers));
      sent.back().write(0, numbersOf(rank, numbers));
      expected.write(rank * count, numbersOf(rank, numbers));
    }
    if (inPlace)
      received.write(root * count, numbersOf(root, numbers));
    for (int rank = 0; rank < size; ++rank) {
      const Block send = rank == root && inPlace ? Block{MPI_IN_PLACE, 0, nullptr}
                                                 : sent[static_cast<std::size_t>(rank)].block();
      const Parts receive = rank == root ? Parts(received.address(), count, type) : Parts();
      algorithm::gather(world.schedule(rank), {rank, size}, send, receive, root, true);
    }
    world.expectRun();
    EXPECT_TRUE(received.memory() == expected.memory());
  });
}

TEST(Gather, BlocksOfDifferentSizesLieWhereTheRootWantsThem) {
  forAll(Collective::gather, {Algorithm::linear}, [](int size, unsigned seed) {
    World world(size, seed);
    auto& random = world.network.random();
    const int root = static_cast<int>(random() % static_cast<unsigned>(size));
    const Datatype& type = randomType(random);
    std::vector<int> numbers(static_cast<std::size_t>(size));
    for (int& n : numbers)
      n = randomNumbers(random);
    const Placement<int, int> placement(numbers, type, random);
    TypedBuffer received(type, placement.elements);
    TypedBuffer expected(type, placement.elements);
    std::vector<TypedBuffer> sent;
    for (int rank = 0; rank < size; ++rank) {
      const auto r = static_cast<std::size_t>(rank);
      sent.push_back(bufferFor(randomType(random), numbers[r]));
      sent.back().write(0, numbersOf(rank, numbers[r]));
      expected.write(placement.displacements[r], numbersOf(rank, numbers[r]));
    }
    for (int rank = 0; rank < size; ++rank)
      algorithm::gather(world.schedule(rank), {rank, size}, sent[static_cast<std::size_t>(rank)].block(),
                        rank == root ? Parts(received.address(), placement.counts.data(),
                                             placement.displacements.data(), type)
                                     : Parts(),
                        root, false);
    world.expectRun();
    EXPECT_TRUE(received.memory() == expected.memory());
  });
}

TEST(Scatter, EveryRankGetsItsBlock) {
  forAll(Collective::scatter, {Algorithm::linear, Algorithm::binomial}, [](int size, unsigned seed) {
    World world(size, seed);
    auto& random = world.network.random();
    const int root = static_cast<int>(random() % static_cast<unsigned>(size));
    const int numbers = randomNumbers(random);
    const bool inPlace = random() % 2 == 0;
    TypedBuffer sent = bufferFor(randomType(random), numbers * size);
    const MPI_Count count = sent.elements() / size;
    std::vector<TypedBuffer> received;
    for (int rank = 0; rank < size; ++rank) {
      sent.write(rank * count, numbersOf(rank, numbers));
      received.push_back(bufferFor(randomType(random), numbers));
    }
    for (int rank = 0; rank < size; ++rank) {
      const Block receive = rank == root && inPlace ? Block{MPI_IN_PLACE, 0, nullptr}
                                                    : received[static_cast<std::size_t>(rank)].block();
      const Parts send = rank == root ? Parts(sent.address(), count, sent.type()) : Parts();
      algorithm::scatter(world.schedule(rank), {rank, size}, send, receive, root, true);
    }
    world.expectRun();
    for (int rank = 0; rank < size; ++rank) {
      TypedBuffer& buffer = received[static_cast<std::size_t>(rank)];
      TypedBuffer expected = bufferFor(buffer.type(), numbers);
      if (rank != root || !inPlace)
        expected.write(0, numbersOf(rank, numbers));
      EXPECT_TRUE(buffer.memory() == expected.memory());
    }
  });
}

TEST(Scatter, BlocksOfDifferentSizesComeFromWhereTheRootHasThem) {
  forAll(Collective::scatter, {Algorithm::linear}, [](int size, unsigned seed) {
    World world(size, seed);
    auto& random = world.network.random();
    const int root = static_cast<int>(random() % static_cast<unsigned>(size));
    const Datatype& type = randomType(random);
    std::vector<int> numbers(static_cast<std::size_t>(size));
    for (int& n : numbers)
      n = randomNumbers(random);
    const Placement<MPI_Count, MPI_Aint> placement(numbers, type, random);
    TypedBuffer sent(type, placement.elements);
    std::vector<TypedBuffer> received;
    for (int rank = 0; rank < size; ++rank) {
      const auto r = static_cast<std::size_t>(rank);
      sent.write(placement.displacements[r], numbersOf(rank, numbers[r]));
      received.push_back(bufferFor(randomType(random), numbers[r]));
    }
    for (int rank = 0; rank < size; ++rank)
      algorithm::scatter(
          world.schedule(rank), {rank, size},
          rank == root ? Parts(sent.address(), placement.counts.data(), placement.displacements.data(), type)
                       : Parts(),
          received[static_cast<std::size_t>(rank)].block(), root, false);
    world.expectRun();
    for (int rank = 0; rank < size; ++rank) {
      const auto r = static_cast<std::size_t>(rank);
      TypedBuffer expected = bufferFor(received[r].type(), numbers[r]);
      expected.write(0, numbersOf(rank, numbers[r]));
      EXPECT_TRUE(received[r].memory() == expected.memory());
    }
  });
}

TEST(Allgather, EveryRankGetsEveryBlock) {
  forAll(Collective::allgather, {Algorithm::linear, Algorithm::bruck, Algorithm::ring},
         [](int size, unsigned seed) {
           World world(size, seed);
           auto& random = world.network.random();
           const bool regular = random() % 2 == 0;
           std::vector<int> numbers(static_cast<std::size_t>(size), randomNumbers(random));
           if (!regular)
             for (int& n : numbers)
               n = randomNumbers(random);
           std::vector<TypedBuffer> sent;
           std::vector<TypedBuffer> received;
           std::vector<TypedBuffer> expected;
           std::vector<std::unique_ptr<Placement<int, int>>> placements;
           for (int rank = 0; rank < size; ++rank) {
             const auto r = static_cast<std::size_t>(rank);
             const Datatype& type = randomType(random);
             const bool inPlace = random() % 2 == 0;
             placements.push_back(std::make_unique<Placement<int, int>>(numbers, type, random));
             auto& placement = *placements.back();
             const int count = placement.counts[0];
             if (regular)
               for (int other = 0; other < size; ++other)
                 placement.displacements[static_cast<std::size_t>(other)] = other * count;
             const MPI_Count elements = regular ? MPI_Count{count} * size : placement.elements;
             sent.push_back(bufferFor(randomType(random), numbers[r]));
             sent.back().write(0, numbersOf(rank, numbers[r]));
             received.emplace_back(type, elements);
             expected.emplace_back(type, elements);
             for (int other = 0; other < size; ++other) {
               const auto o = static_cast<std::size_t>(other);
               expected.back().write(placement.displacements[o], numbersOf(other, numbers[o]));
             }
             if (inPlace)
               received.back().write(placement.displacements[r], numbersOf(rank, numbers[r]));
             const Parts parts = regular ? Parts(received.back().address(), count, type)
                                         : Parts(received.back().address(), placement.counts.data(),
                                                 placement.displacements.data(), type);
             algorithm::allgather(world.schedule(rank), {rank, size},
                                  inPlace ? Block{MPI_IN_PLACE, 0, nullptr} : sent.back().block(), parts);
           }
           world.expectRun();
           for (std::size_t rank = 0; rank < received.size(); ++rank)
             EXPECT_TRUE(received[rank].memory() == expected[rank].memory());
         });
}

TEST(Alltoall, EqualBlocksChangePlaces) {
  forAll(Collective::alltoall, {Algorithm::linear, Algorithm::bruck, Algorithm::pairwise},
         [](int size, unsigned seed) {
           World world(size, seed);
           auto& random = world.network.random();
           const int numbers = randomNumbers(random);
           const bool inPlace = random() % 3 == 0; // at all ranks
           std::vector<TypedBuffer> sent;
           std::vector<TypedBuffer> received;
           std::vector<TypedBuffer> expected;
           for (int rank = 0; rank < size; ++rank) {
             const Datatype& type = randomType(random);
             sent.push_back(bufferFor(inPlace ? type : randomType(random), numbers * size));
             received.push_back(bufferFor(type, numbers * size));
             expected.push_back(bufferFor(type, numbers * size));
             const MPI_Count sendCount = sent.back().elements() / size;
             const MPI_Count receiveCount = received.back().elements() / size;
             for (int other = 0; other < size; ++other) {
               (inPlace ? received : sent).back().write(other * sendCount, numbersOf(rank, numbers, other));
               expected.back().write(other * receiveCount, numbersOf(other, numbers, rank));
             }
             algorithm::alltoall(world.schedule(rank), {rank, size},
                                 inPlace ? Parts::inPlace()
                                         : Parts(sent.back().address(), sendCount, sent.back().type()),
                                 Parts(received.back().address(), receiveCount, type));
           }
           world.expectRun();
           for (std::size_t rank = 0; rank < received.size(); ++rank)
             EXPECT_TRUE(received[rank].memory() == expected[rank].memory());
         });
}

TEST(Alltoall, BlocksOfDifferentSizesChangePlaces) {
  forAll(Collective::alltoall, {Algorithm::linear, Algorithm::pairwise}, [](int size, unsigned seed) {
    World world(size, seed);
    auto& random = world.network.random();
    const bool inPlace = random() % 3 == 0; // then sizes are the same in both directions
    const auto ranks = static_cast<std::size_t>(size);
    std::vector<std::vector<int>> numbers(ranks, std::vector<int>(ranks)); // from, to
    for (std::size_t from = 0; from < ranks; ++from)
      for (std::size_t to = 0; to < ranks; ++to)
        numbers[from][to] = inPlace && to < from ? numbers[to][from] : randomNumbers(random);
    using Place = Placement<MPI_Count, MPI_Aint>;
    std::vector<std::unique_ptr<Place>> places;
    std::vector<TypedBuffer> sent;
    std::vector<TypedBuffer> received;
    std::vector<TypedBuffer> expected;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      std::vector<int> incoming(ranks);
      for (std::size_t from = 0; from < ranks; ++from)
        incoming[from] = numbers[from][rank];
      const Datatype& type = randomType(random);
      const Datatype& sendType = randomType(random);
      const Place& receivePlace = *places.emplace_back(std::make_unique<Place>(incoming, type, random));
      const Place& sendPlace = *places.emplace_back(std::make_unique<Place>(numbers[rank], sendType, random));
      sent.emplace_back(sendType, sendPlace.elements);
      received.emplace_back(type, receivePlace.elements);
      expected.emplace_back(type, receivePlace.elements);
      for (std::size_t other = 0; other < ranks; ++other) {
        const Values out = numbersOf(static_cast<int>(rank), numbers[rank][other], static_cast<int>(other));
        if (inPlace)
          received.back().write(receivePlace.displacements[other], out);
        else
          sent.back().write(sendPlace.displacements[other], out);
        expected.back().write(receivePlace.displacements[other],
                              numbersOf(static_cast<int>(other), incoming[other], static_cast<int>(rank)));
      }
      const Parts send = inPlace ? Parts::inPlace()
                                 : Parts(sent.back().address(), sendPlace.counts.data(),
                                         sendPlace.displacements.data(), sendType);
      algorithm::alltoall(world.schedule(static_cast<int>(rank)), {static_cast<int>(rank), size}, send,
                          Parts(received.back().address(), receivePlace.counts.data(),
                                receivePlace.displacements.data(), type));
    }
    world.expectRun();
    for (std::size_t rank = 0; rank < ranks; ++rank)
      EXPECT_TRUE(received[rank].memory() == expected[rank].memory());
  });
}

TEST(Barrier, NobodyLeavesBeforeAllHaveCome) {
  for (int size = 1; size <= largestWorld; ++size)
    for (int late = 0; late < size; ++late) {
      World world(size, static_cast<unsigned>(late));
      for (int rank = 0; rank < size; ++rank) {
        algorithm::barrier(world.schedule(rank), {rank, size});
        world.run(rank).begin();
      }
      // All but one come: none of them may get through.
      for (int turn = 0; turn < 200; ++turn) {
        for (int rank = 0; rank < size; ++rank)
          if (rank != late) {
            ASSERT_FALSE(world.run(rank).advance());
          }
        world.network.deliver();
      }
      bool done = false;
      for (int turn = 0; turn < 200 && !done; ++turn) {
        done = true;
        for (int rank = 0; rank < size; ++rank)
          done = world.run(rank).advance() && done;
        world.network.deliver();
      }
      EXPECT_TRUE(done);
    }
}

} // namespace
} // namespace mpl::test
