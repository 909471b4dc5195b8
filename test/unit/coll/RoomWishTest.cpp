#include "coll/shared/RoomWish.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace mpl {
namespace {

TEST(RoomWish, IsDueFromTheFirstStepOn) {
  RoomWish wish{};
  EXPECT_FALSE(wish.isDueAt(0));
  EXPECT_FALSE(wish.isDueAt(1000));
  wish.make(7);
  EXPECT_FALSE(wish.isDueAt(6));
  EXPECT_TRUE(wish.isDueAt(7));
  EXPECT_TRUE(wish.isDueAt(8));
  wish.make(9);
  EXPECT_FALSE(wish.isDueAt(6));
  EXPECT_TRUE(wish.isDueAt(7));
  wish.make(5);
  EXPECT_FALSE(wish.isDueAt(4));
  EXPECT_TRUE(wish.isDueAt(5));
}

// Those who decide by a step see the same, whoever wishes at the same time for later ones.
TEST(RoomWish, TheFirstStepStaysWhoeverComesAtOnce) {
  constexpr int threads = 4;
  constexpr std::uint64_t steps = 2000;
  for (std::uint64_t first : {1u, 3u, 17u}) {
    RoomWish wish{};
    std::vector<std::thread> members;
    for (int member = 0; member < threads; ++member)
      members.emplace_back([&wish, first, member] {
        // Falling, so that each takes the place of what the others have written.
        for (std::uint64_t step = steps; step >= first; --step)
          if (step % threads == static_cast<std::uint64_t>(member))
            wish.make(step);
      });
    for (std::thread& member : members)
      member.join();
    EXPECT_FALSE(wish.isDueAt(first - 1));
    EXPECT_TRUE(wish.isDueAt(first));
  }
}

} // namespace
} // namespace mpl
