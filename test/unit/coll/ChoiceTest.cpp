#include "coll/Choice.h"
#include "mpl/Config.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace mpl {
namespace {

constexpr Collective everything[] = {
    Collective::barrier,       Collective::broadcast, Collective::gather, Collective::scatter,
    Collective::allgather,     Collective::alltoall,  Collective::reduce, Collective::allreduce,
    Collective::reduceScatter, Collective::scan,
};

// What there is code for: the table may not choose anything else.
const std::map<Collective, std::set<Algorithm>> written = {
    {Collective::barrier, {Algorithm::dissemination}},
    {Collective::broadcast, {Algorithm::binomial, Algorithm::pipeline}},
    {Collective::gather, {Algorithm::linear, Algorithm::binomial}},
    {Collective::scatter, {Algorithm::linear, Algorithm::binomial}},
    {Collective::allgather, {Algorithm::linear, Algorithm::bruck, Algorithm::ring}},
    {Collective::alltoall, {Algorithm::linear, Algorithm::bruck, Algorithm::pairwise}},
    {Collective::reduce, {Algorithm::binomial, Algorithm::halving}},
    {Collective::allreduce, {Algorithm::recursiveDoubling, Algorithm::halving}},
    {Collective::reduceScatter, {Algorithm::recursiveDoubling, Algorithm::halving, Algorithm::pairwise}},
    {Collective::scan, {Algorithm::recursiveDoubling, Algorithm::pipeline}},
};

TEST(Choice, TheTableCoversEveryCallAndChoosesWhatIsWritten) {
  ASSERT_EQ(std::size(everything), collectiveCount);
  for (Collective collective : everything)
    for (int ranks : {2, 3, 7, 8, 33, 1000000})
      for (std::size_t bytes : {std::size_t{0}, std::size_t{8}, std::size_t{100000}, SIZE_MAX})
        EXPECT_EQ(written.at(collective).count(choose(collective, ranks, bytes)), 1u)
            << collectiveName(collective) << ", " << ranks << " ranks, " << bytes
            << " bytes: " << algorithmName(choose(collective, ranks, bytes));
}

TEST(Choice, SmallAndLargeDataAreTreatedDifferentlyWithManyRanks) {
  for (Collective collective : everything)
    if (collective != Collective::barrier && collective != Collective::scan) {
      EXPECT_NE(choose(collective, 64, 8), choose(collective, 64, std::size_t{1} << 24))
          << collectiveName(collective);
    }
}

TEST(Choice, MemoryIsForRanksThatReachIt) {
  for (Collective collective : everything) {
    EXPECT_EQ(choose(collective, 4, 8, Reach::segment), Algorithm::shared) << collectiveName(collective);
    EXPECT_EQ(choose(collective, 4, 8, Reach::processes), Algorithm::shared) << collectiveName(collective);
    EXPECT_FALSE(isThroughMemory(choose(collective, 4, 8))) << collectiveName(collective);
    if (collective != Collective::barrier && collective != Collective::scan) {
      EXPECT_EQ(choose(collective, 4, SIZE_MAX, Reach::processes), Algorithm::direct)
          << collectiveName(collective);
    }
    EXPECT_NE(choose(collective, 4, SIZE_MAX, Reach::segment), Algorithm::direct)
        << collectiveName(collective);
  }
  forceAlgorithm(Collective::broadcast, Algorithm::shared);
  EXPECT_EQ(choose(Collective::broadcast, 4, std::size_t{1} << 30, Reach::segment), Algorithm::shared);
  EXPECT_NE(choose(Collective::broadcast, 4, 8), Algorithm::shared);
  forceAlgorithm(Collective::broadcast, std::nullopt);
}

TEST(Choice, MessagesWithinANodeMayGoOtherWays) {
  const std::size_t large = std::size_t{1} << 20;
  EXPECT_EQ(choose(Collective::broadcast, 2, large, Reach::node), Algorithm::binomial);
  EXPECT_EQ(choose(Collective::broadcast, 2, large, Reach::messages), Algorithm::pipeline);
  EXPECT_EQ(choose(Collective::allreduce, 2, large, Reach::node), Algorithm::halving);
  EXPECT_EQ(choose(Collective::allreduce, 2, large, Reach::messages), Algorithm::recursiveDoubling);
  for (Collective collective : everything)
    for (std::size_t bytes : {std::size_t{8}, large})
      EXPECT_FALSE(isThroughMemory(choose(collective, 2, bytes, Reach::node))) << collectiveName(collective);
}

TEST(Choice, EveryRuleHasItsWordInTheSettings) {
  for (const ChoiceRule& rule : choiceTable()) {
    EXPECT_TRUE(isThroughMemory(rule.algorithm) || written.at(rule.collective).count(rule.algorithm) == 1)
        << collectiveName(rule.collective) << ' ' << algorithmName(rule.algorithm);
    bool found = false;
    for (const SettingRow& row : settingTable())
      found = found || (row.name.starts_with("MPL_COLL_") &&
                        row.choices.find(algorithmName(rule.algorithm)) != row.choices.npos);
    EXPECT_TRUE(found) << algorithmName(rule.algorithm);
  }
}

TEST(Choice, AForcedAlgorithmHoldsUntilItIsTakenBack) {
  const Algorithm usual = choose(Collective::gather, 16, 8);
  forceAlgorithm(Collective::gather, Algorithm::linear);
  EXPECT_EQ(choose(Collective::gather, 16, 8), Algorithm::linear);
  EXPECT_EQ(choose(Collective::scatter, 16, 8), Algorithm::binomial);
  forceAlgorithm(Collective::gather, std::nullopt);
  EXPECT_EQ(choose(Collective::gather, 16, 8), usual);
}

TEST(Choice, NamesAreDifferent) {
  std::set<std::string> names;
  for (Collective collective : everything)
    names.insert(collectiveName(collective));
  EXPECT_EQ(names.size(), collectiveCount);
  names.clear();
  for (const auto& [collective, algorithms] : written)
    for (Algorithm algorithm : algorithms)
      names.insert(algorithmName(algorithm));
  EXPECT_EQ(names.size(), 9u);
}

} // namespace
} // namespace mpl
