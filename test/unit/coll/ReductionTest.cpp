// The reductions, against a reduction rank by rank, on simulated ranks.
#include "coll/Algorithms.h"
#include "test/unit/coll/FakeNetwork.h"
#include "test/unit/coll/TypedBuffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace mpl::test {
namespace {

constexpr int largestWorld = 9;
constexpr unsigned seeds = 8;

// Composition of the functions x -> a x + b modulo 65536: associative, and does not commute.
std::uint32_t compose(std::uint32_t left, std::uint32_t right) {
  const std::uint32_t a = (left >> 16) * (right >> 16) & 0xffff;
  const std::uint32_t b = ((left & 0xffff) * (right >> 16) + (right & 0xffff)) & 0xffff;
  return a << 16 | b;
}

void composeAll(void* in, void* inout, MPI_Count* count, MPI_Datatype* handle) {
  const Datatype& type = datatypeOf(*handle);
  Values left(static_cast<std::size_t>(*count) * type.size() / sizeof(std::uint32_t));
  Values right(left.size());
  type.cursor(in, *count).pack(0, left.data(), left.size() * sizeof(std::uint32_t));
  type.cursor(inout, *count).pack(0, right.data(), right.size() * sizeof(std::uint32_t));
  for (std::size_t i = 0; i < left.size(); ++i)
    right[i] = compose(left[i], right[i]);
  type.cursor(inout, *count).unpack(0, right.data(), right.size() * sizeof(std::uint32_t));
}

struct Case {
  const char* name;
  const Op* op;
  std::uint32_t (*one)(std::uint32_t, std::uint32_t);
};

const Op& composition() {
  static const Ref<Op> op = Op::create(static_cast<Op::LargeFunction>(composeAll), false);
  return *op;
}

std::vector<Case> cases() {
  return {
      {"sum", &opOf(MPI_SUM), [](std::uint32_t a, std::uint32_t b) { return a + b; }},
      {"max", &opOf(MPI_MAX), [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); }},
      {"composition", &composition(), compose},
  };
}

// What the ranks contribute, and room for results.
class World : public FakeWorld {
public:
  World(int size, unsigned seed, const Case& what) : FakeWorld(size, seed), case_(what) {
    auto& random = network.random();
    constexpr int factors[] = {0, 1, 2, 3, 10, 400};
    numbers = TestTypes::commonNumbers * factors[random() % std::size(factors)];
    inPlace = random() % 2 == 0;
    const Datatype& type = what.op->isPredefined() ? datatypeOf(MPI_UINT32_T)
                                                   : TestTypes::get().type(static_cast<unsigned>(random()));
    elements = numbers / TestTypes::numbersIn(type);
    for (int rank = 0; rank < size; ++rank) {
      inputs.emplace_back(type, elements);
      inputs.back().write(0, numbersOf(rank, numbers));
      results.emplace_back(type, elements);
      expected.emplace_back(type, elements);
      if (inPlace) {
        results.back().write(0, numbersOf(rank, numbers));
        expected.back().write(0, numbersOf(rank, numbers));
      }
    }
  }

  /// The contribution of a rank as its algorithm gets it.
  Block input(int rank, bool mayBeInPlace = true) {
    const auto r = static_cast<std::size_t>(rank);
    return inPlace && mayBeInPlace ? results[r].block() : inputs[r].block();
  }
  void* result(int rank) { return results[static_cast<std::size_t>(rank)].address(); }

  /// Over the ranks from..to, in order.
  Values reduced(int from, int to) const {
    Values values = numbersOf(from, numbers);
    for (int rank = from + 1; rank <= to; ++rank) {
      const Values next = numbersOf(rank, numbers);
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = case_.one(values[i], next[i]);
    }
    return values;
  }

  void expectRun() {
    ASSERT_TRUE(runAll()) << "the ranks wait for each other";
    for (int rank = 0; rank < size(); ++rank)
      EXPECT_FALSE(run(rank).error()) << "rank " << rank << ": " << run(rank).error()->message();
    EXPECT_TRUE(network.isQuiet());
    for (std::size_t rank = 0; rank < results.size(); ++rank)
      EXPECT_TRUE(results[rank].memory() == expected[rank].memory()) << "at rank " << rank;
    for (int rank = 0; rank < size(); ++rank) {
      TypedBuffer untouched(inputs[0].type(), elements);
      untouched.write(0, numbersOf(rank, numbers));
      EXPECT_TRUE(inputs[static_cast<std::size_t>(rank)].memory() == untouched.memory());
    }
  }

  int numbers = 0;
  MPI_Count elements = 0;
  bool inPlace = false;
  std::vector<TypedBuffer> inputs;
  std::vector<TypedBuffer> results;
  std::vector<TypedBuffer> expected;

private:
  const Case& case_;
};

template <class Check> void forAllCases(Check&& check, const std::string& how = {}) {
  for (const Case& one : cases())
    for (int size = 1; size <= largestWorld; ++size)
      for (unsigned seed = 0; seed < seeds; ++seed) {
        SCOPED_TRACE(text(one.name, how, ", ", size, " ranks, seed ", seed));
        World world(size, seed, one);
        check(world, *one.op);
        if (::testing::Test::HasFailure())
          return;
      }
}

template <class Check>
void forAll(Collective collective, std::initializer_list<Algorithm> algorithms, Check&& check) {
  for (Algorithm algorithm : algorithms) {
    forceAlgorithm(collective, algorithm);
    forAllCases(check, text(" by ", algorithmName(algorithm)));
  }
  forceAlgorithm(collective, std::nullopt);
}

TEST(Reduce, RootGetsTheResultInTheOrderOfRanks) {
  forAll(Collective::reduce, {Algorithm::binomial, Algorithm::halving}, [](World& world, const Op& op) {
    const int root = static_cast<int>(world.network.random()() % static_cast<unsigned>(world.size()));
    for (int rank = 0; rank < world.size(); ++rank)
      algorithm::reduce(world.schedule(rank), {rank, world.size()}, world.input(rank, rank == root),
                        rank == root ? world.result(rank) : nullptr, op, root);
    world.expected[static_cast<std::size_t>(root)].write(0, world.reduced(0, world.size() - 1));
    world.expectRun();
  });
}

TEST(Allreduce, EveryRankGetsTheResultInTheOrderOfRanks) {
  forAll(Collective::allreduce, {Algorithm::recursiveDoubling, Algorithm::halving},
         [](World& world, const Op& op) {
           for (int rank = 0; rank < world.size(); ++rank) {
             algorithm::allreduce(world.schedule(rank), {rank, world.size()}, world.input(rank),
                                  world.result(rank), op);
             world.expected[static_cast<std::size_t>(rank)].write(0, world.reduced(0, world.size() - 1));
           }
           world.expectRun();
         });
}

TEST(Scan, EveryRankGetsTheResultUpToItself) {
  forAll(Collective::scan, {Algorithm::recursiveDoubling, Algorithm::pipeline},
         [](World& world, const Op& op) {
           for (int rank = 0; rank < world.size(); ++rank) {
             algorithm::scan(world.schedule(rank), {rank, world.size()}, world.input(rank),
                             world.result(rank), op);
             world.expected[static_cast<std::size_t>(rank)].write(0, world.reduced(0, rank));
           }
           world.expectRun();
         });
}

TEST(ExclusiveScan, EveryRankGetsTheResultBeforeItself) {
  forAll(Collective::scan, {Algorithm::recursiveDoubling, Algorithm::pipeline},
         [](World& world, const Op& op) {
           for (int rank = 0; rank < world.size(); ++rank) {
             algorithm::exclusiveScan(world.schedule(rank), {rank, world.size()}, world.input(rank),
                                      world.result(rank), op);
             if (rank > 0)
               world.expected[static_cast<std::size_t>(rank)].write(0, world.reduced(0, rank - 1));
           }
           world.expectRun();
         });
}

// The elements are dealt out to the ranks, unevenly or evenly; the rest is not part of the call.
TEST(ReduceScatter, EveryRankGetsItsShare) {
  forAll(Collective::reduceScatter, {Algorithm::recursiveDoubling, Algorithm::halving, Algorithm::pairwise},
         [](World& world, const Op& op) {
           auto& random = world.network.random();
           const auto ranks = static_cast<std::size_t>(world.size());
           const bool regular = random() % 2 == 0;
           std::vector<int> counts(ranks, static_cast<int>(world.elements / world.size()));
           if (!regular)
             for (MPI_Count left = world.elements; int& count : counts) {
               count = static_cast<int>(random() % static_cast<unsigned>(left + 1));
               left -= count;
             }
           MPI_Count all = 0;
           for (int count : counts)
             all += count;
           const Values values = world.reduced(0, world.size() - 1);
           const int unit = world.inputs[0].numbersPerElement();
           MPI_Count start = 0;
           for (int rank = 0; rank < world.size(); ++rank) {
             const auto r = static_cast<std::size_t>(rank);
             Block input = world.input(rank);
             const Datatype& type = *input.type;
             input.count = all;
             const Parts parts = regular ? Parts(nullptr, counts[0], type)
                                         : Parts(nullptr, counts.data(), static_cast<int*>(nullptr), type);
             algorithm::reduceScatter(world.schedule(rank), {rank, world.size()}, input, parts,
                                      world.result(rank), op);
             world.expected[r].write(
                 0, Values(values.begin() + start * unit, values.begin() + (start + counts[r]) * unit));
             start += counts[r];
           }
           world.expectRun();
         });
}

// Sums of doubles depend on their order: all ranks must get the same bits, in every run, whatever the order
// of events.
TEST(Allreduce, FloatingPointSumsHaveTheSameBitsEverywhereAlways) {
  constexpr int count = 50;
  for (Algorithm algorithm : {Algorithm::recursiveDoubling, Algorithm::halving}) {
    forceAlgorithm(Collective::allreduce, algorithm);
    for (int size = 2; size <= largestWorld; ++size) {
      std::vector<double> first;
      for (unsigned seed = 0; seed < seeds; ++seed) {
        FakeWorld world(size, seed);
        std::vector<std::vector<double>> inputs(static_cast<std::size_t>(size), std::vector<double>(count));
        auto results = inputs;
        for (int rank = 0; rank < size; ++rank) {
          const auto r = static_cast<std::size_t>(rank);
          for (std::size_t i = 0; i < count; ++i)
            inputs[r][i] = 1.0 / static_cast<double>(1 + i * 37 + r * 1009);
          algorithm::allreduce(world.schedule(rank), {rank, size},
                               Block::of(inputs[r].data(), count, datatypeOf(MPI_DOUBLE)), results[r].data(),
                               opOf(MPI_SUM));
        }
        ASSERT_TRUE(world.runAll());
        if (seed == 0)
          first = results[0];
        for (const auto& result : results)
          EXPECT_EQ(std::memcmp(result.data(), first.data(), count * sizeof(double)), 0);
      }
    }
  }
  forceAlgorithm(Collective::allreduce, std::nullopt);
}

} // namespace
} // namespace mpl::test
