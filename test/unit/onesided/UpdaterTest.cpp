#include "onesided/Updater.h"

#include "mpl/Op.h"
#include "onesided/AtomicUpdate.h"
#include "test/unit/bootstrap/Child.h"
#include "test/unit/onesided/Members.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

namespace mpl {
namespace {

constexpr std::size_t many = 5000;

ElementRun runOf(std::uint64_t* at, std::size_t count) {
  return {reinterpret_cast<std::byte*>(at), 0, count};
}

void add(Members& members, std::size_t member, std::size_t from, std::size_t count) {
  static const std::vector<std::uint64_t> ones(many, 1);
  updateAtomically(Op::Kind::sum, ElementType::of(datatypeOf(MPI_UINT64_T)),
                   runOf(members.data<std::uint64_t>() + from, count),
                   reinterpret_cast<const std::byte*>(ones.data()), nullptr, members.gate(),
                   members.updater(member));
}

// Whether the part came to be updated under its lock.
bool turn(Members& members, std::size_t member) {
  for (int round = 0; round < 10000 && !members.gate().isLocked; ++round)
    add(members, member, 0, many);
  return members.gate().isLocked;
}

TEST(Updater, ManyElementsTurnThePartToItsLockAndSingleOnesBack) {
  Members members;
  for (int turns = 0; turns < 3; ++turns) {
    EXPECT_FALSE(members.gate().isLocked);
    if (!turn(members, 0))
      GTEST_SKIP() << "the system makes no fences in other threads";
    std::uint64_t expected = members.data<std::uint64_t>()[0];
    for (int single = 0; single < 100; ++single)
      add(members, 1, 0, 1);
    EXPECT_TRUE(members.gate().isLocked) << "not for a few";
    add(members, 0, 0, many);
    for (int single = 0; single < 5000; ++single)
      add(members, 1, 0, 1);
    expected += 100 + 1 + 5000;
    EXPECT_EQ(members.data<std::uint64_t>()[0], expected);
    EXPECT_TRUE(members.gate().lock.isFree());
  }
}

// Each process adds to all elements at once and to each one, and swaps; the part turns over again and again.
TEST(Updater, ProcessesLoseNothing) {
  constexpr std::size_t processes = 3;
  constexpr std::size_t elements = 64;
  constexpr int rounds = 60;
  Members members(processes);
  const auto work = [&](std::size_t member) {
    members.block(member).process = ::getpid();
    for (int round = 0; round < rounds; ++round) {
      for (int times = 0; times < 300; ++times)
        add(members, member, 0, elements);
      for (int times = 0; times < 80; ++times)
        for (std::size_t at = 0; at < elements; ++at)
          add(members, member, at, 1);
      auto* counter = members.data<std::uint64_t>() + elements;
      for (int times = 0; times < 300;) {
        const std::uint64_t before = std::atomic_ref(*counter).load();
        const std::uint64_t after = before + 1;
        std::uint64_t previous = 0;
        compareAndSwap(ElementType::of(datatypeOf(MPI_UINT64_T)), runOf(counter, 1),
                       reinterpret_cast<const std::byte*>(&before),
                       reinterpret_cast<const std::byte*>(&after), reinterpret_cast<std::byte*>(&previous),
                       members.gate(), members.updater(member));
        times += previous == before;
      }
      // What makes the part's next turn due, without the time it takes.
      members.gate().excess += 50'000;
    }
    return 0;
  };
  {
    Child second([&] { return work(1); });
    Child third([&] { return work(2); });
    work(0);
    EXPECT_EQ(second.reap(), 0);
    EXPECT_EQ(third.reap(), 0);
  }
  for (std::size_t at = 0; at < elements; ++at)
    ASSERT_EQ(members.data<std::uint64_t>()[at], processes * rounds * 380) << at;
  EXPECT_EQ(members.data<std::uint64_t>()[elements], processes * rounds * 300);
}

// What only fences and marks keep apart: an increment that is no atomic one, of a process that goes by
// instructions all the time, and of one that turns the part over.
TEST(Updater, TheLockAndInstructionsAreNeverInUseTogether) {
  constexpr int rounds = 1500;
  Members members;
  auto* counts = members.data<std::uint64_t>(); // the common one, and each process's own
  const auto count = [&](std::size_t member, Updater::Amount amount = Updater::Amount::many) {
    const Updater updater = members.updater(member);
    const Updater::Entry entry(updater, members.gate(), amount);
    auto* common = static_cast<volatile std::uint64_t*>(counts);
    const std::uint64_t before = *common;
    for (int i = 0; i < 20; ++i)
      std::atomic_signal_fence(std::memory_order_seq_cst);
    *common = before + 1;
    ++counts[1 + member];
  };
  Child other([&] {
    members.block(1).process = ::getpid();
    while (!std::atomic_ref(counts[3]).load())
      count(1);
    return 0;
  });
  for (int round = 0; round < rounds; ++round) {
    members.gate().excess = UINT64_MAX / 2;
    members.updater(0).settle(members.gate());
    if (!members.gate().isLocked)
      break;
    for (int times = 0; times < 100; ++times)
      count(0);
    members.gate().singles = UINT64_MAX / 2; // back, with the next one
    count(0, Updater::Amount::single);
  }
  std::atomic_ref(counts[3]).store(1);
  EXPECT_EQ(other.reap(), 0);
  EXPECT_EQ(counts[0], counts[1] + counts[2]);
  EXPECT_GT(counts[2], 0u);
}

// The update with which a part goes back to instructions is made under the lock as those before it.
TEST(Updater, SingleUpdatesLoseNothingWhenThePartGoesBack) {
  constexpr std::uint64_t rounds = 12000;
  constexpr std::uint64_t singles = 12;
  Members members;
  auto* counts = members.data<std::uint64_t>(); // the common one, the other's own, the end
  Child other([&] {
    members.block(1).process = ::getpid();
    while (!std::atomic_ref(counts[2]).load()) {
      add(members, 1, 0, 1);
      ++counts[1];
    }
    return 0;
  });
  std::uint64_t added = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    members.gate().excess = UINT64_MAX / 2;
    members.updater(0).settle(members.gate());
    if (!members.gate().isLocked)
      break;
    members.gate().singles = 4096 - singles;
    for (std::uint64_t times = 0; times < singles; ++times, ++added)
      add(members, 0, 0, 1);
  }
  std::atomic_ref(counts[2]).store(1);
  EXPECT_EQ(other.reap(), 0);
  EXPECT_EQ(counts[0], counts[1] + added);
}

TEST(Updater, WhoIsInTheMiddleOfAnUpdateIsWaitedFor) {
  Members members;
  auto* state = members.data<std::uint64_t>() + many;
  Child slow([&] {
    members.block(1).process = ::getpid();
    const Updater updater = members.updater(1);
    const Updater::Entry entry(updater, members.gate(), Updater::Amount::many);
    std::atomic_ref(*state).store(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::atomic_ref(*state).store(2);
    return 0;
  });
  while (std::atomic_ref(*state).load() == 0)
    std::this_thread::yield();
  if (!turn(members, 0))
    GTEST_SKIP() << "the system makes no fences in other threads";
  EXPECT_EQ(std::atomic_ref(*state).load(), 2u);
  EXPECT_EQ(slow.reap(), 0);
}

TEST(Updater, ADeadHolderOfTheLockDoesNotKeepOthersOut) {
  Members members;
  if (!turn(members, 0))
    GTEST_SKIP() << "the system makes no fences in other threads";
  const std::uint64_t before = members.data<std::uint64_t>()[0];
  Child holder([&] {
    members.block(1).process = ::getpid();
    members.updater(1).take(members.gate().lock);
    return 0;
  });
  holder.awaitZombie();
  EXPECT_FALSE(members.gate().lock.isFree());
  add(members, 0, 0, many);
  EXPECT_EQ(members.data<std::uint64_t>()[0], before + 1);
  EXPECT_TRUE(members.gate().lock.isFree());
}

TEST(Updater, OneWhoDiedInTheMiddleOfAnUpdateIsNotWaitedFor) {
  Members members;
  Child marked([&]() -> int {
    members.block(1).process = ::getpid();
    const Updater updater = members.updater(1);
    const Updater::Entry entry(updater, members.gate(), Updater::Amount::many);
    ::_exit(0);
  });
  marked.awaitZombie();
  ASSERT_NE(members.block(1).mark.program, 0u);
  if (!turn(members, 0))
    GTEST_SKIP() << "the system makes no fences in other threads";
  EXPECT_TRUE(members.gate().lock.isFree());
}

} // namespace
} // namespace mpl
