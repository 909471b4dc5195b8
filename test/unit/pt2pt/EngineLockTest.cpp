#include "pt2pt/EngineLock.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace mpl {
namespace {

TEST(EngineMutex, ExcludesThreads) {
  EngineMutex mutex;
  long counter = 0; // not atomic: a lock that fails loses counts
  std::vector<std::thread> threads;
  constexpr int perThread = 20000;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < perThread; ++i) {
        mutex.lock();
        ++counter;
        mutex.unlock();
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(counter, 4L * perThread);
  EXPECT_FALSE(mutex.contended());
}

TEST(EngineMutex, WakesAThreadThatSleptLong) {
  EngineMutex mutex;
  mutex.lock();
  std::thread waiter([&] {
    mutex.lock();
    mutex.unlock();
  });
  while (!mutex.contended())
    std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  mutex.unlock();
  waiter.join();
  EXPECT_FALSE(mutex.contended());
}

TEST(EngineLock, TakesNothingWithoutThreads) {
  ASSERT_FALSE(engineThreaded);
  EngineLock outer;
  EngineLock inner; // would hang if it took the mutex
  SUCCEED();
}

} // namespace
} // namespace mpl
