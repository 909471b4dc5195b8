#include "mpl/PackCursor.h"

#include "test/unit/mpl/ReferenceType.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace mpl::test {
namespace {

std::vector<unsigned char> packAll(const Datatype& type, const void* base, MPI_Count count) {
  const PackCursor cursor = type.cursor(base, count);
  std::vector<unsigned char> packed(cursor.totalBytes());
  EXPECT_EQ(cursor.pack(0, packed.data(), packed.size()), packed.size());
  return packed;
}

/// Cuts 0..total into random pieces, given by their ends.
std::vector<std::size_t> randomCuts(std::mt19937& random, std::size_t total) {
  std::vector<std::size_t> cuts{0};
  while (cuts.back() < total)
    cuts.push_back(std::min<std::size_t>(total, cuts.back() + 1 + random() % (random() % 4 == 0 ? 300 : 12)));
  return cuts;
}

class RandomTypes : public testing::TestWithParam<unsigned> {
protected:
  std::mt19937 random{GetParam()};
};

TEST_P(RandomTypes, PackAsTheListOfTheirElements) {
  for (int round = 0; round < 60; ++round) {
    const TypePair pair = randomType(random, 1 + round % 4);
    const MPI_Count count = static_cast<MPI_Count>(random() % 5);
    TypeMemory memory(pair.reference, count, round);
    ASSERT_EQ(packAll(*pair.type, memory.base(), count), pair.reference.pack(memory.base(), count))
        << "seed " << GetParam() << ", round " << round;
  }
}

TEST_P(RandomTypes, PackInPiecesInAnyOrder) {
  for (int round = 0; round < 40; ++round) {
    const TypePair pair = randomType(random, 1 + round % 4);
    const MPI_Count count = 1 + static_cast<MPI_Count>(random() % 5);
    TypeMemory memory(pair.reference, count, round);
    const std::vector<unsigned char> expected = pair.reference.pack(memory.base(), count);
    const PackCursor cursor = pair.type->cursor(memory.base(), count);
    ASSERT_EQ(cursor.totalBytes(), expected.size());
    const std::vector<std::size_t> cuts = randomCuts(random, expected.size());
    std::vector<std::size_t> order(cuts.size() - 1);
    std::iota(order.begin(), order.end(), 0);
    if (round % 2 == 1)
      std::shuffle(order.begin(), order.end(), random);
    std::vector<unsigned char> packed(expected.size() + 1, 0xAA);
    for (const std::size_t piece : order) {
      const std::size_t bytes = cuts[piece + 1] - cuts[piece];
      ASSERT_EQ(cursor.pack(cuts[piece], packed.data() + cuts[piece], bytes), bytes);
    }
    ASSERT_EQ(packed.back(), 0xAA);
    packed.pop_back();
    ASSERT_EQ(packed, expected) << "seed " << GetParam() << ", round " << round;
  }
}

TEST_P(RandomTypes, UnpackInPiecesAndTouchNothingElse) {
  for (int round = 0; round < 40; ++round) {
    const TypePair pair = randomType(random, 1 + round % 4);
    const MPI_Count count = 1 + static_cast<MPI_Count>(random() % 5);
    const bool overlaps = pair.reference.overlaps(count);
    TypeMemory memory(pair.reference, count, round);
    const auto packed = patternBytes(static_cast<std::size_t>(pair.reference.size() * count), round + 1000);
    const std::vector<unsigned char> before = memory.bytes();
    pair.reference.unpack(memory.base(), count, packed);
    const std::vector<unsigned char> expected = memory.bytes();
    memory.bytes() = before; // same size: the storage stays
    const PackCursor cursor = pair.type->cursor(memory.base(), count);
    const std::vector<std::size_t> cuts = randomCuts(random, packed.size());
    std::vector<std::size_t> order(cuts.size() - 1);
    std::iota(order.begin(), order.end(), 0);
    if (!overlaps) // of bytes that lie twice in a type, the last one written stays
      std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t piece : order) {
      const std::size_t bytes = cuts[piece + 1] - cuts[piece];
      ASSERT_EQ(cursor.unpack(cuts[piece], packed.data() + cuts[piece], bytes), bytes);
    }
    ASSERT_EQ(memory.bytes(), expected) << "seed " << GetParam() << ", round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTypes, testing::Range(1U, 13U));

/// Runs of every length, for the loops with a fixed size and those without.
class RunLengths : public testing::TestWithParam<int> {};

TEST_P(RunLengths, StridedRuns) {
  const int length = GetParam();
  for (const int count : {1, 2, 3, 4, 5, 7, 8, 33}) {
    for (const MPI_Count stride : {MPI_Count{length} + 1, MPI_Count{-length} - 3, MPI_Count{3} * length}) {
      const Ref<Datatype> type = makeHvector(count, length, stride, datatypeOf(MPI_BYTE));
      ReferenceType reference;
      for (int i = 0; i < count; ++i)
        reference.add(ReferenceType::basic(BasicType::byte), i * stride, length);
      TypeMemory memory(reference, 1, 7);
      const auto packed = reference.pack(memory.base(), 1);
      ASSERT_EQ(packAll(*type, memory.base(), 1), packed) << length << " " << count << " " << stride;

      TypeMemory target(reference, 1, 8);
      TypeMemory expected(reference, 1, 8);
      reference.unpack(expected.base(), 1, packed);
      type->cursor(target.base(), 1).unpack(0, packed.data(), packed.size());
      ASSERT_EQ(target.bytes(), expected.bytes()) << length << " " << count << " " << stride;
    }
  }
}

TEST_P(RunLengths, ScatteredRuns) {
  const int length = GetParam();
  const std::vector<MPI_Aint> places = {0, 500, 250, 1000, 1111, 2000, 1500};
  const Ref<Datatype> type =
      makeHindexedBlock(length, std::span<const MPI_Aint>(places), datatypeOf(MPI_BYTE));
  ReferenceType reference;
  for (const MPI_Aint place : places)
    reference.add(ReferenceType::basic(BasicType::byte), place, length);
  TypeMemory memory(reference, 2, 9);
  ASSERT_EQ(packAll(*type, memory.base(), 2), reference.pack(memory.base(), 2));
}

INSTANTIATE_TEST_SUITE_P(Lengths, RunLengths, testing::Range(1, 80));

TEST(PackCursor, RunsOfMixedLengths) {
  std::vector<int> lengths;
  std::vector<int> places;
  ReferenceType reference;
  for (int i = 1, at = 0; i <= 70; at += 2 * i, ++i) {
    lengths.push_back(i);
    places.push_back(at);
    reference.add(ReferenceType::basic(BasicType::byte), at, i);
  }
  const Ref<Datatype> type = makeIndexed(std::span<const int>(lengths), places.data(), datatypeOf(MPI_BYTE));
  TypeMemory memory(reference, 1, 3);
  const auto expected = reference.pack(memory.base(), 1);
  ASSERT_EQ(packAll(*type, memory.base(), 1), expected);
  const PackCursor cursor = type->cursor(memory.base(), 1);
  for (std::size_t offset = 0; offset < expected.size(); offset += 13) {
    unsigned char piece[29];
    const std::size_t got = cursor.pack(offset, piece, sizeof piece);
    ASSERT_EQ(got, std::min(sizeof piece, expected.size() - offset));
    ASSERT_TRUE(std::equal(piece, piece + got, expected.begin() + static_cast<std::ptrdiff_t>(offset)))
        << offset;
  }
}

TEST(PackCursor, NothingToMove) {
  int value = 5;
  unsigned char out[8] = {};
  Datatype& integer = datatypeOf(MPI_INT);
  EXPECT_EQ(integer.cursor(&value, 0).totalBytes(), 0U);
  EXPECT_EQ(integer.cursor(&value, 0).pack(0, out, sizeof out), 0U);
  EXPECT_EQ(integer.cursor(nullptr, 0).unpack(0, out, sizeof out), 0U);
  EXPECT_EQ(integer.cursor(&value, 1).pack(4, out, sizeof out), 0U);
  EXPECT_EQ(integer.cursor(&value, 1).pack(0, out, 0), 0U);
  const Ref<Datatype> empty = makeContiguous(0, integer);
  EXPECT_EQ(empty->cursor(nullptr, 1000).totalBytes(), 0U);
  EXPECT_EQ(empty->cursor(nullptr, 1000).pack(0, out, sizeof out), 0U);
  EXPECT_EQ(PackCursor().pack(0, out, sizeof out), 0U);
}

TEST(PackCursor, BytesBehindTheEndAreLeftAlone) {
  int values[2] = {1, 2};
  const int packed[3] = {7, 8, 9};
  EXPECT_EQ(datatypeOf(MPI_INT).cursor(values, 1).unpack(0, packed, sizeof packed), sizeof(int));
  EXPECT_EQ(values[0], 7);
  EXPECT_EQ(values[1], 2);
}

TEST(PackCursor, LongRunsArriveWhole) {
  const std::size_t bytes = (std::size_t{1} << 20) + 12345;
  std::vector<unsigned char> memory(bytes + 2, 1);
  for (std::size_t i = 0; i < bytes; ++i)
    memory[i + 1] = static_cast<unsigned char>(i * 2654435761U >> 13);
  const std::vector<unsigned char> packed =
      packAll(datatypeOf(MPI_BYTE), memory.data() + 1, static_cast<MPI_Count>(bytes));
  EXPECT_TRUE(std::equal(packed.begin(), packed.end(), memory.begin() + 1));
  std::vector<unsigned char> back(bytes + 2, 1);
  datatypeOf(MPI_BYTE).cursor(back.data() + 1, static_cast<MPI_Count>(bytes)).unpack(0, packed.data(), bytes);
  EXPECT_EQ(back, memory);
}

TEST(PackCursor, AbsoluteAddresses) {
  int first = 11;
  double second = 2.5;
  const int lengths[] = {1, 1};
  const MPI_Aint places[] = {reinterpret_cast<MPI_Aint>(&first), reinterpret_cast<MPI_Aint>(&second)};
  const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE};
  const Ref<Datatype> type = makeStruct(std::span<const int>(lengths), places, types);
  unsigned char packed[12];
  ASSERT_EQ(type->cursor(MPI_BOTTOM, 1).pack(0, packed, sizeof packed), sizeof packed);
  first = 0;
  second = 0;
  ASSERT_EQ(type->cursor(MPI_BOTTOM, 1).unpack(0, packed, sizeof packed), sizeof packed);
  EXPECT_EQ(first, 11);
  EXPECT_EQ(second, 2.5);
}

// An extent of zero reads the same memory over and over, so that the packed form may be huge.
TEST(PackCursor, OffsetsBeyondFourGigabytes) {
  const Ref<Datatype> vector = makeHvector(3, 1, 8, datatypeOf(MPI_INT));
  const Ref<Datatype> type = makeResized(*vector, 0, 0, false);
  const int memory[5] = {10, 7, 20, 0, 30};
  const MPI_Count count = MPI_Count{3} << 30;
  const PackCursor cursor = type->cursor(memory, count);
  ASSERT_EQ(cursor.totalBytes(), static_cast<std::size_t>(count) * 12);
  const std::size_t offset = static_cast<std::size_t>(count - 2) * 12 + 4;
  int packed[8] = {};
  ASSERT_EQ(cursor.pack(offset, packed, sizeof packed), 5 * sizeof(int));
  EXPECT_EQ(std::vector<int>(packed, packed + 5), (std::vector<int>{20, 30, 10, 20, 30}));

  const Ref<Datatype> large = makeHvector<MPI_Count>(count, 1, 0, datatypeOf(MPI_INT));
  EXPECT_EQ(large->size(), std::size_t{12} << 30);
  ASSERT_EQ(large->cursor(memory, 2).pack((std::size_t{12} << 30) - 2, packed, 4), 4U);
  EXPECT_EQ(packed[0], 7 << 16) << "the second element begins four bytes further on";
}

TEST(PackCursor, DeepNestingSeeksByTheTreeNotByTheData) {
  // About 10^15 bytes: a walk from the start would not end.
  Ref<Datatype> type(&datatypeOf(MPI_INT));
  for (int level = 0; level < 5; ++level) {
    const MPI_Datatype inner = type->isPredefined() ? type->handle() : giveHandle(type);
    const int lengths[] = {1, 1};
    const MPI_Aint places[] = {0, 0};
    const MPI_Datatype types[] = {MPI_SIGNED_CHAR, inner};
    const Ref<Datatype> both = makeStruct(std::span<const int>(lengths), places, types);
    type = makeContiguous<MPI_Count>(1000, *makeResized(*both, 0, 0, false));
    if (level > 0)
      freeDatatype(inner);
  }
  const int value = 0x01020304;
  unsigned char packed[9] = {};
  const auto total = type->cursor(&value, 1).totalBytes();
  ASSERT_EQ(total, std::size_t{5001001001001000});
  ASSERT_EQ(type->cursor(&value, 1).pack(total - 9, packed, 9), 9U);
  const unsigned char expected[9] = {4, 3, 2, 1, 4, 4, 3, 2, 1};
  EXPECT_TRUE(std::equal(packed, packed + 9, expected));
}

} // namespace
} // namespace mpl::test
