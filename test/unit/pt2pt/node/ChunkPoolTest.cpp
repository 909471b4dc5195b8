#include "pt2pt/node/ChunkPool.h"

#include "test/unit/pt2pt/node/SharedLines.h"

#include <gtest/gtest.h>

#include <set>

namespace mpl {
namespace {

class ChunkPoolTest : public testing::Test {
protected:
  std::byte* memory() { return lines_.memory(); }

private:
  SharedLines lines_{ChunkPool::bytes()};
};

TEST_F(ChunkPoolTest, GivesEachChunkOnce) {
  ChunkPool sender(memory());
  std::set<std::uint32_t> given;
  std::set<std::byte*> places;
  for (std::size_t i = 0; i < ChunkPool::chunkCount; ++i) {
    const std::uint32_t chunk = sender.take(3);
    ASSERT_NE(chunk, ChunkPool::none);
    EXPECT_TRUE(given.insert(chunk).second);
    EXPECT_TRUE(places.insert(sender.data(chunk)).second);
  }
  EXPECT_EQ(sender.take(3), ChunkPool::none);
}

TEST_F(ChunkPoolTest, TakesBackInAnyOrder) {
  ChunkPool sender(memory());
  ChunkPool receiver(memory());
  for (std::size_t i = 0; i < ChunkPool::chunkCount; ++i)
    sender.take(3);
  receiver.giveBack(17);
  EXPECT_EQ(sender.take(3), 17U);
  EXPECT_EQ(sender.take(3), ChunkPool::none);
  receiver.giveBack(16);
  EXPECT_EQ(sender.take(3), 16U);
}

TEST_F(ChunkPoolTest, ReadsWhatTheOtherViewWrote) {
  ChunkPool sender(memory());
  ChunkPool receiver(memory());
  const std::uint32_t chunk = sender.take(1);
  sender.data(chunk)[ChunkPool::room - 1] = std::byte{0x5A};
  EXPECT_EQ(receiver.data(chunk)[ChunkPool::room - 1], std::byte{0x5A});
}

TEST_F(ChunkPoolTest, TheDeadKeepNothing) {
  ChunkPool sender(memory());
  for (std::size_t i = 0; i < ChunkPool::chunkCount; ++i)
    sender.take(i < 10 ? 7 : 8);
  sender.takeBack(7);
  for (int i = 0; i < 10; ++i)
    EXPECT_NE(sender.take(8), ChunkPool::none);
  EXPECT_EQ(sender.take(8), ChunkPool::none);
}

} // namespace
} // namespace mpl
