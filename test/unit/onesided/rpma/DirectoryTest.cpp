#include "onesided/rpma/Directory.h"

#include <gtest/gtest.h>

#include <random>

namespace mpl {
namespace {

using Kind = DirectoryAnswer::Kind;

Secret someSecret() {
  Secret secret;
  secret.bytes.fill(std::byte{7});
  return secret;
}

WindowRecord recordOf(std::uint32_t window) {
  WindowRecord record;
  record.window = window;
  record.base = 0x1000 + window;
  record.bytes = 100 + window;
  record.dispUnit = 4;
  const std::array<std::byte, 21> descriptor{std::byte{1}, std::byte{2}};
  record.memory = MemoryDescriptor::of(descriptor);
  return record;
}

// As an origin reads it.
std::vector<std::byte> probe(WindowDirectory& directory, std::uint32_t window) {
  const std::byte* from = directory.data() + WindowDirectory::probeOffset(window);
  return {from, from + WindowDirectory::probeBytes};
}

DirectoryAnswer search(WindowDirectory& directory, std::uint32_t window) {
  return searchDirectory(probe(directory, window), window, someSecret());
}

TEST(WindowDirectory, AWindowIsFoundFromWhenItIsAddedUntilItIsRemoved) {
  WindowDirectory directory(someSecret());
  EXPECT_EQ(search(directory, 5).kind, Kind::absent);
  ASSERT_TRUE(directory.add(recordOf(5)));
  const DirectoryAnswer found = search(directory, 5);
  EXPECT_EQ(found.kind, Kind::found);
  EXPECT_EQ(found.record, recordOf(5));
  EXPECT_EQ(search(directory, 6).kind, Kind::absent);
  directory.remove(5);
  EXPECT_EQ(search(directory, 5).kind, Kind::absent);
  directory.remove(5); // again: nothing
}

TEST(WindowDirectory, NumbersOfOneHomeShareItsReach) {
  WindowDirectory directory(someSecret());
  constexpr auto homes = static_cast<std::uint32_t>(WindowDirectory::homes);
  const std::uint32_t home = homes - 1; // the last: its reach goes beyond the homes
  for (std::uint32_t i = 0; i < WindowDirectory::reach; ++i)
    EXPECT_TRUE(directory.add(recordOf(home + i * homes)));
  EXPECT_FALSE(directory.add(recordOf(home + 100 * homes))) << "no room";
  EXPECT_EQ(search(directory, home + 100 * homes).kind, Kind::absent);
  for (std::uint32_t i = 0; i < WindowDirectory::reach; ++i)
    EXPECT_EQ(search(directory, home + i * homes).record, recordOf(home + i * homes));
  directory.remove(home + homes);
  EXPECT_TRUE(directory.add(recordOf(home + 100 * homes)));
  EXPECT_EQ(search(directory, home + 100 * homes).kind, Kind::found);
  EXPECT_EQ(search(directory, home + 7 * homes).kind, Kind::found) << "behind a removed one";
}

TEST(WindowDirectory, AddingAgainReplaces) {
  WindowDirectory directory(someSecret());
  ASSERT_TRUE(directory.add(recordOf(5)));
  WindowRecord other = recordOf(5);
  other.bytes = 1;
  ASSERT_TRUE(directory.add(other));
  EXPECT_EQ(search(directory, 5).record, other);
  directory.remove(5);
  EXPECT_EQ(search(directory, 5).kind, Kind::absent);
}

TEST(WindowDirectory, HoldsManyWindows) {
  WindowDirectory directory(someSecret());
  for (std::uint32_t window = 0; window < WindowDirectory::homes; ++window)
    ASSERT_TRUE(directory.add(recordOf(window * 3)));
  for (std::uint32_t window = 0; window < WindowDirectory::homes; ++window)
    EXPECT_EQ(search(directory, window * 3).record, recordOf(window * 3));
}

TEST(SearchDirectory, EveryChangedBitOfAnEntryIsSeen) {
  WindowDirectory directory(someSecret());
  ASSERT_TRUE(directory.add(recordOf(5)));
  const std::vector<std::byte> good = probe(directory, 5);
  constexpr std::size_t used = 81; // the rest of an entry is not looked at
  for (std::size_t bit = 0; bit < used * 8; ++bit) {
    std::vector<std::byte> wrong = good;
    wrong[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    EXPECT_NE(searchDirectory(wrong, 5, someSecret()).kind, Kind::found) << "bit " << bit;
  }
}

TEST(SearchDirectory, AnEntryHalfWrittenIsUnreadable) {
  WindowDirectory directory(someSecret());
  WindowRecord old = recordOf(5);
  ASSERT_TRUE(directory.add(old));
  std::vector<std::byte> torn = probe(directory, 5);
  old.bytes += 1;
  ASSERT_TRUE(directory.add(old));
  const std::vector<std::byte> fresh = probe(directory, 5);
  std::copy(fresh.begin(), fresh.begin() + 40, torn.begin());
  EXPECT_EQ(searchDirectory(torn, 5, someSecret()).kind, Kind::unreadable);
}

TEST(SearchDirectory, AnotherSecretsEntryIsUnreadable) {
  WindowDirectory directory(someSecret());
  ASSERT_TRUE(directory.add(recordOf(5)));
  EXPECT_EQ(searchDirectory(probe(directory, 5), 5, Secret{}).kind, Kind::unreadable);
}

TEST(SearchDirectory, AnythingElseIsAbsent) {
  EXPECT_EQ(searchDirectory({}, 5, someSecret()).kind, Kind::absent);
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::byte> noise(random() % (2 * WindowDirectory::probeBytes));
    for (std::byte& b : noise)
      b = static_cast<std::byte>(random());
    EXPECT_NE(searchDirectory(noise, 5, someSecret()).kind, Kind::found);
  }
}

} // namespace
} // namespace mpl
