#include "mpl/PerformanceVariable.h"

#include <gtest/gtest.h>

namespace mpl {
namespace {

struct Counted {
  std::uint64_t count = 100; // counted before anybody watches
  int prepared = 0;
  PerformanceVariable variable{"count", "a count", PerformanceVariable::Kind::counter,
                               [this] { return count; }, [this] { ++prepared; }};
};

TEST(WatchedVariable, CountsWhileItRuns) {
  Counted counted;
  WatchedVariable watched(counted.variable);
  EXPECT_FALSE(watched.isRunning());
  counted.count += 5;
  EXPECT_EQ(watched.value(), 0U);
  EXPECT_EQ(counted.prepared, 0);
  watched.start();
  EXPECT_TRUE(watched.isRunning());
  EXPECT_EQ(counted.prepared, 1);
  counted.count += 3;
  EXPECT_EQ(watched.value(), 3U);
  watched.start(); // goes on
  counted.count += 1;
  EXPECT_EQ(watched.value(), 4U);
  watched.stop();
  watched.stop();
  counted.count += 10;
  EXPECT_EQ(watched.value(), 4U);
  watched.start();
  counted.count += 2;
  EXPECT_EQ(watched.value(), 6U);
}

TEST(WatchedVariable, GoesOnFromWhatIsWritten) {
  Counted counted;
  WatchedVariable watched(counted.variable);
  EXPECT_EQ(watched.exchange(7), 0U);
  EXPECT_EQ(watched.value(), 7U);
  watched.start();
  counted.count += 3;
  EXPECT_EQ(watched.exchange(0), 10U);
  EXPECT_EQ(watched.value(), 0U);
  counted.count += 4;
  EXPECT_EQ(watched.value(), 4U);
  watched.stop();
  counted.count += 100;
  EXPECT_EQ(watched.exchange(50), 4U);
  counted.count += 100;
  EXPECT_EQ(watched.value(), 50U);
}

TEST(WatchedVariable, SeveralSeeNothingOfEachOther) {
  Counted counted;
  WatchedVariable first(counted.variable);
  WatchedVariable second(counted.variable);
  first.start();
  counted.count += 1;
  second.start();
  counted.count += 1;
  first.exchange(0);
  counted.count += 1;
  EXPECT_EQ(first.value(), 1U);
  EXPECT_EQ(second.value(), 2U);
}

} // namespace
} // namespace mpl
