#include "bootstrap/Watchdog.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace mpl {
namespace {

using namespace std::chrono_literals;

TEST(WatchdogTest, actsWhileACallDoesNotComeBack) {
  std::promise<void> acted;
  const Watchdog watchdog(1ms, [&] { acted.set_value(); });
  acted.get_future().wait(); // the call that only the action ends
}

TEST(WatchdogTest, doesNothingWhenTheScopeEndsInTime) {
  std::atomic<int> acted{0};
  for (int i = 0; i < 100; ++i)
    const Watchdog watchdog(1h, [&] { ++acted; });
  EXPECT_EQ(acted, 0);
}

TEST(WatchdogTest, hasNoLimitWhereItIsZero) {
  std::atomic<int> acted{0};
  {
    const Watchdog watchdog(0ns, [&] { ++acted; });
  }
  EXPECT_EQ(acted, 0);
}

} // namespace
} // namespace mpl
