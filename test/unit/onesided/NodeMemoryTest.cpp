#include "onesided/NodeMemory.h"

#include "mpl/Error.h"
#include "onesided/MemberBlock.h"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace mpl {
namespace {

TEST(NodeMemory, OtherProcessesSeeIt) {
  NodeMemory memory = NodeMemory::create(10000);
  memory.data()[9999] = std::byte{7};
  const pid_t parent = ::getpid();
  const int descriptor = memory.descriptor();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const NodeMemory again = NodeMemory::attach(parent, descriptor, 10000);
    if (!again || again.data()[9999] != std::byte{7})
      ::_exit(1);
    again.data()[0] = std::byte{9};
    ::_exit(0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(memory.data()[0], std::byte{9});
}

TEST(NodeMemory, MoreThanTheMachineHasIsRefused) {
  try {
    NodeMemory::create(std::size_t{1} << 60);
    FAIL() << "a machine with 2^60 bytes?";
  } catch (const Error& error) {
    EXPECT_EQ(error.errorClass(), MPI_ERR_NO_MEM);
    EXPECT_NE(error.message().find("1152921504606846976"), std::string::npos);
  }
}

TEST(NodeMemory, NothingThatIsNotThereIsAttached) {
  EXPECT_FALSE(NodeMemory::attach(::getpid(), 1 << 20, 4096));
}

TEST(NodeMemory, AFreshBlockIsZero) {
  const NodeMemory memory = NodeMemory::create(4096);
  auto* block = reinterpret_cast<MemberBlock*>(memory.data());
  EXPECT_TRUE(block->lock.isFree());
  EXPECT_TRUE(block->gate.elements.of(24).isFree());
  EXPECT_FALSE(block->gate.isLocked);
}

TEST(WindowLock, SharedOnesKeepExclusiveOnesOut) {
  WindowLock lock;
  EXPECT_TRUE(lock.tryTake(false, 0));
  EXPECT_TRUE(lock.tryTake(false, 1));
  EXPECT_FALSE(lock.tryTake(true, 2));
  lock.release(false);
  EXPECT_FALSE(lock.tryTake(true, 2));
  lock.release(false);
  EXPECT_TRUE(lock.tryTake(true, 2));
  EXPECT_FALSE(lock.tryTake(false, 0));
  EXPECT_FALSE(lock.tryTake(true, 0));
  lock.release(true);
  EXPECT_TRUE(lock.isFree());
}

TEST(WindowLock, ThreadsExcludeEachOther) {
  WindowLock lock;
  long sum = 0;
  const auto work = [&](int me) {
    for (int i = 0; i < 20000; ++i) {
      while (!lock.tryTake(true, me))
        std::this_thread::yield();
      ++sum;
      lock.release(true);
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  EXPECT_EQ(sum, 40000);
}

} // namespace
} // namespace mpl
