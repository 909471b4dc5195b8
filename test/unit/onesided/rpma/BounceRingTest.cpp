#include "onesided/rpma/BounceRing.h"

#include <deque>
#include <gtest/gtest.h>
#include <random>

using mpl::BounceRing;

TEST(BounceRing, PiecesNeverOverlapAndNeverLeaveTheMemory) {
  struct Piece {
    std::size_t at, bytes;
    std::uint64_t mark;
  };
  BounceRing ring;
  std::deque<Piece> inUse;
  std::mt19937 random(3);
  const auto upTo = [&](std::size_t most) { return 1 + random() % most; };
  std::size_t refused = 0;
  for (int turn = 0; turn < 20000; ++turn) {
    const std::size_t bytes = upTo(turn % 3 == 0 ? BounceRing::pieceBytes : 200);
    const std::size_t before = refused;
    if (ring.fits(bytes)) {
      const std::size_t at = ring.take(bytes);
      ASSERT_LE(at + bytes, BounceRing::totalBytes);
      for (const Piece& other : inUse)
        ASSERT_TRUE(at + bytes <= other.at || other.at + other.bytes <= at) << at << " and " << other.at;
      inUse.push_back({at, bytes, ring.end()});
    } else {
      ++refused;
      ASSERT_FALSE(inUse.empty());
    }
    // Some are given back when there is no more room, and now and then.
    for (std::size_t some = upTo(60); !inUse.empty() && some != 0 && (refused != before || turn % 50 == 0);
         --some) {
      ring.giveBack(inUse.front().mark);
      inUse.pop_front();
    }
  }
  EXPECT_GT(refused, 0U);
}

TEST(BounceRing, AllOfItCanBeTaken) {
  BounceRing ring;
  constexpr std::size_t pieces = BounceRing::totalBytes / BounceRing::pieceBytes;
  for (std::size_t i = 0; i < pieces; ++i) {
    ASSERT_TRUE(ring.fits(BounceRing::pieceBytes));
    EXPECT_EQ(ring.take(BounceRing::pieceBytes), i * BounceRing::pieceBytes);
  }
  EXPECT_FALSE(ring.fits(1));
  ring.giveBack(ring.end());
  EXPECT_TRUE(ring.fits(BounceRing::pieceBytes));
}

TEST(BounceRing, BeginsAnewWhereNothingIsInUse) {
  BounceRing ring;
  ring.take(100);
  EXPECT_EQ(ring.take(1), 128U);
  ring.clear();
  EXPECT_EQ(ring.take(1), 0U);
}
