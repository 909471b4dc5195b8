#include "pt2pt/BsendBuffer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace mpl {
namespace {

TEST(BsendBuffer, FillsToTheLastByte) {
  std::vector<std::byte> memory(100);
  BsendBuffer buffer(memory.data(), 100);
  EXPECT_TRUE(buffer.isIdle());
  EXPECT_EQ(buffer.allocate(60), memory.data());
  EXPECT_EQ(buffer.allocate(40), memory.data() + 60);
  EXPECT_EQ(buffer.allocate(1), nullptr);
  EXPECT_EQ(buffer.allocate(0), nullptr) << "an empty message takes a place as well";
  EXPECT_FALSE(buffer.isIdle());
}

TEST(BsendBuffer, TooLongAMessageFindsNoRoom) {
  std::vector<std::byte> memory(100);
  BsendBuffer buffer(memory.data(), 100);
  EXPECT_EQ(buffer.allocate(101), nullptr);
  EXPECT_NE(buffer.allocate(100), nullptr);
}

TEST(BsendBuffer, ReusesGapsInAnyOrder) {
  std::vector<std::byte> memory(90);
  BsendBuffer buffer(memory.data(), 90);
  std::byte* a = buffer.allocate(30);
  std::byte* b = buffer.allocate(30);
  std::byte* c = buffer.allocate(30);
  buffer.release(b);
  EXPECT_EQ(buffer.allocate(31), nullptr);
  EXPECT_EQ(buffer.allocate(30), b);
  buffer.release(a);
  buffer.release(b);
  EXPECT_EQ(buffer.allocate(60), a) << "neighbouring gaps are one";
  buffer.release(a);
  buffer.release(c);
  EXPECT_TRUE(buffer.isIdle());
  EXPECT_EQ(buffer.allocate(90), memory.data());
}

TEST(BsendBuffer, EmptyMessagesHavePlacesOfTheirOwn) {
  std::vector<std::byte> memory(3);
  BsendBuffer buffer(memory.data(), 3);
  EXPECT_NE(buffer.allocate(0), buffer.allocate(0));
}

TEST(BsendBuffer, WithoutMemoryNothingFits) {
  BsendBuffer buffer(nullptr, 0);
  EXPECT_EQ(buffer.allocate(0), nullptr);
}

TEST(BsendBuffer, AutomaticTakesWhatItNeeds) {
  BsendBuffer buffer(MPI_BUFFER_AUTOMATIC, 0);
  EXPECT_TRUE(buffer.isAutomatic());
  std::byte* large = buffer.allocate(1 << 20);
  std::byte* empty = buffer.allocate(0);
  ASSERT_NE(large, nullptr);
  ASSERT_NE(empty, nullptr);
  std::memset(large, 1, 1 << 20);
  buffer.release(large);
  EXPECT_FALSE(buffer.isIdle());
  buffer.release(empty);
  EXPECT_TRUE(buffer.isIdle());
}

} // namespace
} // namespace mpl
