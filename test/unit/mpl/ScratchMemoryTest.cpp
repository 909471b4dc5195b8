#include "mpl/ScratchMemory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

namespace mpl {
namespace {

constexpr std::size_t large = 1024 * 1024;

TEST(ScratchMemory, IsOfTheSizeAskedFor) {
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, ScratchMemory::leastKept, large, 64 * large}) {
    const ScratchMemory memory(bytes);
    ASSERT_NE(memory.get(), nullptr);
    EXPECT_GE(memory.size(), bytes);
    std::memset(memory.get(), 1, bytes);
  }
  EXPECT_EQ(ScratchMemory().get(), nullptr);
}

TEST(ScratchMemory, ALargePieceIsUsedAgain) {
  std::byte* first = nullptr;
  {
    const ScratchMemory memory(large);
    first = memory.get();
  }
  {
    const ScratchMemory memory(large - 1000);
    EXPECT_EQ(memory.get(), first);
    const ScratchMemory other(large - 1000); // while the piece is in use
    EXPECT_NE(other.get(), first);
  }
}

TEST(ScratchMemory, WhatIsTakenIsNobodyElses) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([thread] {
      for (int turn = 0; turn < 500; ++turn) {
        const std::size_t bytes =
            ScratchMemory::leastKept * static_cast<std::size_t>(1 + (turn * 7 + thread) % 20);
        const ScratchMemory memory(bytes);
        std::memset(memory.get(), thread, bytes);
        std::this_thread::yield();
        for (const std::size_t at : {std::size_t{0}, bytes / 2, bytes - 1})
          ASSERT_EQ(memory.get()[at], static_cast<std::byte>(thread));
      }
    });
  for (std::thread& thread : threads)
    thread.join();
}

TEST(ScratchMemory, MovingMovesIt) {
  ScratchMemory memory(large);
  std::byte* const at = memory.get();
  ScratchMemory other(std::move(memory));
  EXPECT_EQ(other.get(), at);
  EXPECT_EQ(memory.get(), nullptr); // NOLINT: what it is left with is its contract
  EXPECT_EQ(memory.size(), 0u);
  memory = std::move(other);
  EXPECT_EQ(memory.get(), at);
}

// However many come back, some later one finds a piece that was kept, and those beyond the bound are gone:
// pieces as large as half of it cannot be more than two.
TEST(ScratchMemory, KeepsABoundedAmount) {
  std::vector<const std::byte*> seen;
  {
    std::vector<ScratchMemory> many;
    for (int i = 0; i < 12; ++i)
      many.emplace_back(ScratchMemory::keptBytes / 2);
    for (const ScratchMemory& one : many)
      seen.push_back(one.get());
  }
  std::vector<ScratchMemory> again;
  again.emplace_back(ScratchMemory::keptBytes / 2);
  again.emplace_back(ScratchMemory::keptBytes / 2);
  for (const ScratchMemory& one : again)
    EXPECT_NE(std::find(seen.begin(), seen.end(), one.get()), seen.end());
}

} // namespace
} // namespace mpl
