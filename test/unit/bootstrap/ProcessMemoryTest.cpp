#include "bootstrap/ProcessMemory.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mpl {
namespace {

std::uint64_t addressOf(const void* memory) {
  return reinterpret_cast<std::uintptr_t>(memory);
}

/// A child that waits to be ended, with a copy of this process's memory of the moment at which it was made.
class Sleeper {
public:
  Sleeper() : pid_(::fork()) {
    if (pid_ == 0)
      for (;;)
        ::pause();
  }
  ~Sleeper() { end(); }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;

  pid_t pid() const { return pid_; }
  void end() {
    if (pid_ <= 0)
      return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

private:
  pid_t pid_;
};

TEST(ProcessMemory, BytesOfAnotherProcessAreReadAndWritten) {
  std::array<char, 100000> there{};
  std::memset(there.data(), 'a', there.size());
  Sleeper child;
  std::memset(there.data(), 'b', there.size()); // not in the child's copy
  std::array<char, 100000> here{};
  const int error = processMemory::read(child.pid(), addressOf(there.data()), here.data(), here.size());
  if (error == EPERM)
    GTEST_SKIP() << "this system does not let processes look into each other";
  ASSERT_EQ(error, 0);
  EXPECT_EQ(std::string(here.begin(), here.end()), std::string(here.size(), 'a'));

  ASSERT_EQ(processMemory::write(child.pid(), "changed", addressOf(there.data() + 5000), 7), 0);
  ASSERT_EQ(processMemory::read(child.pid(), addressOf(there.data() + 4999), here.data(), 9), 0);
  EXPECT_EQ(std::string(here.data(), 9), "achangeda");
}

TEST(ProcessMemory, NoBytesNeedNoProcess) {
  EXPECT_EQ(processMemory::read(-1, 0, nullptr, 0), 0);
  EXPECT_EQ(processMemory::write(-1, nullptr, 0, 0), 0);
}

TEST(ProcessMemory, WhatIsNoMemoryThereIsAnError) {
  void* const hole = ::mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(hole, MAP_FAILED);
  ::munmap(static_cast<char*>(hole) + 4096, 4096);
  Sleeper child;
  std::array<char, 8192> here{};
  const int error = processMemory::read(child.pid(), addressOf(hole), here.data(), here.size());
  if (error == EPERM)
    GTEST_SKIP() << "this system does not let processes look into each other";
  EXPECT_EQ(error, EFAULT);
  EXPECT_EQ(processMemory::write(child.pid(), here.data(), addressOf(hole), here.size()), EFAULT);
  EXPECT_EQ(processMemory::read(child.pid(), addressOf(hole), here.data(), 4096), 0);
  ::munmap(hole, 4096);
}

TEST(ProcessMemory, AProcessThatIsGoneIsAnError) {
  Sleeper child;
  const pid_t pid = child.pid();
  char byte = 'x';
  child.end();
  EXPECT_EQ(processMemory::read(pid, addressOf(&byte), &byte, 1), ESRCH);
}

} // namespace
} // namespace mpl
