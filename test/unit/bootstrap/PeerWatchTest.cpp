#include "bootstrap/PeerWatch.h"

#include "test/unit/bootstrap/Child.h"

#include <algorithm>
#include <dirent.h>
#include <gtest/gtest.h>
#include <memory>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>

namespace mpl {
namespace {

using Outcome = PeerWatch::Outcome;

ProcessIdentity identityOf(pid_t pid) {
  ProcessIdentity identity = ProcessIdentity::ofThisProcess();
  identity.pid = pid;
  identity.startTime = processState(pid)->startTime;
  return identity;
}

/// What poll() reports until something comes; empty after ten seconds.
std::vector<int> pollUntilDeath(PeerWatch& watch) {
  for (int i = 0; i < 10'000; ++i) {
    const auto dead = watch.poll();
    if (!dead.empty())
      return {dead.begin(), dead.end()};
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return {};
}

int openDescriptors() {
  DIR* folder = ::opendir("/proc/self/fd");
  int count = 0;
  while (::readdir(folder) != nullptr)
    ++count;
  ::closedir(folder);
  return count;
}

class PeerWatchTest : public ::testing::Test {
protected:
  PeerWatchTest() : process_(Process::start()), watch_(*process_) {}
  std::unique_ptr<Process> process_;
  PeerWatch watch_;
};

TEST_F(PeerWatchTest, AloneThereIsNothingToSee) {
  EXPECT_TRUE(watch_.watchLocalPeers());
  EXPECT_EQ(watch_.watch(0), Outcome::watching) << "itself";
  EXPECT_EQ(watch_.watched(), 0u);
  EXPECT_TRUE(watch_.poll().empty());
  EXPECT_EQ(watch_.watch(1), Outcome::notLocal);
}

TEST_F(PeerWatchTest, SeesADeathOnce) {
  Child child;
  EXPECT_EQ(watch_.watchProcess(1, identityOf(child.pid())), Outcome::watching);
  EXPECT_EQ(watch_.watched(), 1u);
  EXPECT_TRUE(watch_.poll().empty());
  EXPECT_FALSE(watch_.isDead(1));
  child.kill();
  EXPECT_EQ(pollUntilDeath(watch_), std::vector<int>{1});
  EXPECT_TRUE(watch_.isDead(1));
  EXPECT_EQ(watch_.watched(), 0u);
  EXPECT_TRUE(watch_.poll().empty());
  child.reap();
  EXPECT_TRUE(watch_.poll().empty());
  EXPECT_EQ(watch_.watch(1), Outcome::dead);
}

TEST_F(PeerWatchTest, ExitIsSeenAsWellAsKilling) {
  Child child([] { return 0; });
  child.awaitZombie();
  const ProcessIdentity identity = identityOf(child.pid());
  EXPECT_EQ(watch_.watchProcess(4, identity), Outcome::dead) << "a zombie is dead";
  EXPECT_EQ(pollUntilDeath(watch_), std::vector<int>{4});
  child.reap();
  EXPECT_EQ(watch_.watchProcess(5, identity), Outcome::dead) << "and so is one that is gone";
  EXPECT_EQ(pollUntilDeath(watch_), std::vector<int>{5});
}

TEST_F(PeerWatchTest, AProcessWhoseFirstThreadHasEndedLives) {
  Child child([]() -> int {
    std::thread([] {
      while (true)
        ::pause();
    }).detach();
    ::syscall(SYS_exit, 0); // of the thread, not of the process
    return 1;
  });
  while (processState(child.pid())->state != 'Z')
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(watch_.watchProcess(1, identityOf(child.pid())), Outcome::watching);
  EXPECT_TRUE(watch_.poll().empty());
  child.kill();
  EXPECT_EQ(pollUntilDeath(watch_), std::vector<int>{1});
}

TEST_F(PeerWatchTest, ANumberGivenToAnotherProcessIsADeath) {
  Child child;
  ProcessIdentity identity = identityOf(child.pid());
  identity.startTime -= 1; // who had this number before
  EXPECT_EQ(watch_.watchProcess(1, identity), Outcome::dead);
  EXPECT_EQ(pollUntilDeath(watch_), std::vector<int>{1});
}

TEST_F(PeerWatchTest, AnUnknownStartTimeIsNotADeath) {
  Child child;
  ProcessIdentity identity = identityOf(child.pid());
  identity.startTime = 0;
  EXPECT_EQ(watch_.watchProcess(1, identity), Outcome::watching);
}

TEST_F(PeerWatchTest, OtherPidNamespacesCannotBeWatched) {
  Child child;
  ProcessIdentity identity = identityOf(child.pid());
  identity.pidNamespace += 1;
  EXPECT_EQ(watch_.watchProcess(1, identity), Outcome::otherPidNamespace);
  EXPECT_EQ(watch_.watch(1), Outcome::otherPidNamespace);
  EXPECT_EQ(watch_.watched(), 0u);
  child.kill();
  child.reap();
  EXPECT_TRUE(watch_.poll().empty());
  EXPECT_FALSE(watch_.isDead(1));
}

TEST_F(PeerWatchTest, ManyDeathsAtOnceAreAllReported) {
  std::vector<std::unique_ptr<Child>> children;
  std::vector<int> expected;
  for (int rank = 40; rank > 0; --rank) {
    children.push_back(std::make_unique<Child>());
    ASSERT_EQ(watch_.watchProcess(rank, identityOf(children.back()->pid())), Outcome::watching);
    expected.insert(expected.begin(), rank);
  }
  for (const auto& child : children)
    child->kill();
  for (const auto& child : children)
    child->awaitZombie();
  const auto dead = watch_.poll();
  std::vector<int> sorted(dead.begin(), dead.end());
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, expected);
}

// Every descriptor of the process may be in use: then /proc tells.
TEST_F(PeerWatchTest, WorksWithoutDescriptors) {
  Child first;
  Child second;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const ProcessIdentity identities[] = {identityOf(first.pid()), identityOf(second.pid())};
  // One descriptor stays free, for looking into /proc; the watch gets none to keep.
  std::vector<int> taken;
  for (int fd; (fd = ::dup(STDERR_FILENO)) >= 0 && taken.size() < 64;)
    taken.push_back(fd);
  const rlimit tight{static_cast<rlim_t>(taken.back() + 1), before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &tight), 0);
  const Outcome firstOutcome = [&] {
    // Nothing is free here: neither descriptor nor /proc, so only the number tells.
    return watch_.watchProcess(1, identities[0]);
  }();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  for (const int fd : taken)
    ::close(fd);
  EXPECT_EQ(firstOutcome, Outcome::watching);
  EXPECT_TRUE(watch_.poll().empty());
  first.kill();
  first.awaitZombie();
  EXPECT_EQ(pollUntilDeath(watch_), std::vector<int>{1});
}

TEST_F(PeerWatchTest, GivesItsDescriptorsBack) {
  const int before = openDescriptors();
  {
    PeerWatch watch(*process_);
    Child one;
    Child two;
    watch.watchProcess(1, identityOf(one.pid()));
    watch.watchProcess(2, identityOf(two.pid()));
    EXPECT_GT(openDescriptors(), before);
    one.kill();
    EXPECT_EQ(pollUntilDeath(watch), std::vector<int>{1});
  }
  EXPECT_EQ(openDescriptors(), before);
}

} // namespace
} // namespace mpl
