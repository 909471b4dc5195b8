#include "bootstrap/SignalsHeld.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <unistd.h>

namespace mpl {
namespace {

std::atomic<int> caught{0};

class SignalsHeldTest : public testing::Test {
protected:
  void SetUp() override {
    caught = 0;
    struct sigaction action {};
    action.sa_handler = [](int) { ++caught; };
    ASSERT_EQ(sigaction(SIGUSR1, &action, &before_), 0);
  }
  void TearDown() override { sigaction(SIGUSR1, &before_, nullptr); }

  struct sigaction before_ {};
};

TEST_F(SignalsHeldTest, aSignalWaitsUntilTheEnd) {
  {
    const SignalsHeld held;
    raise(SIGUSR1);
    EXPECT_EQ(caught, 0);
  }
  EXPECT_EQ(caught, 1);
  raise(SIGUSR1);
  EXPECT_EQ(caught, 2) << "and the mask is what it was";
}

TEST_F(SignalsHeldTest, threadsMadeMeanwhileNeverGetThem) {
  std::atomic<bool> stop{false};
  std::thread thread;
  {
    const SignalsHeld held;
    thread = std::thread([&] {
      while (!stop)
        std::this_thread::yield();
    });
  }
  pthread_kill(thread.native_handle(), SIGUSR1);
  raise(SIGUSR1);
  EXPECT_EQ(caught, 1);
  stop = true;
  thread.join();
}

TEST(SignalsHeld, doesNotHoldFaults) {
  EXPECT_EXIT(
      {
        signal(SIGSEGV, SIG_DFL); // sanitizers catch it
        const SignalsHeld held;
        raise(SIGSEGV);
        _exit(0);
      },
      testing::KilledBySignal(SIGSEGV), "");
}

} // namespace
} // namespace mpl
