#include "mpl/Layout.h"

#include "mpl/LayoutJoiner.h"
#include "test/unit/mpl/ReferenceType.h"

#include <gtest/gtest.h>

namespace mpl::test {
namespace {

using Kind = LayoutNode::Kind;

Layout block(MPI_Count bytes) {
  return Layout::block(bytes, BasicType::byte);
}

Layout joined(std::initializer_list<std::pair<MPI_Count, Layout>> parts, bool keepTypes = false) {
  LayoutJoiner joiner(keepTypes);
  for (const auto& [offset, layout] : parts)
    joiner.add(layout, offset, 1, 0);
  return joiner.join();
}

TEST(Layout, EmptyOnes) {
  EXPECT_TRUE(Layout().isEmpty());
  EXPECT_TRUE(block(0).isEmpty());
  EXPECT_TRUE(Layout().repeated(5, 8).isEmpty());
  EXPECT_TRUE(block(4).repeated(0, 8).isEmpty());
  EXPECT_TRUE(LayoutJoiner(false).join().isEmpty());
  EXPECT_TRUE(joined({{3, Layout()}, {9, block(0)}}).isEmpty());
  EXPECT_EQ(Layout().size(), 0);
  EXPECT_TRUE(Layout().isOneBlock());
}

TEST(Layout, BlocksThatTouchBecomeOne) {
  const Layout layout = block(4).repeated(10, 4);
  ASSERT_TRUE(layout.isOneBlock());
  EXPECT_EQ(layout.size(), 40);
  const Layout parts = joined({{8, block(4)}, {12, block(2)}, {14, block(10)}});
  ASSERT_TRUE(parts.isOneBlock());
  EXPECT_EQ(parts.offset(), 8);
  EXPECT_EQ(parts.size(), 16);
}

TEST(Layout, OrderIsKept) {
  // The same bytes the other way round are not one run.
  const Layout layout = joined({{4, block(4)}, {0, block(4)}});
  EXPECT_FALSE(layout.isOneBlock());
  EXPECT_EQ(layout.size(), 8);
}

TEST(Layout, AVectorIsOneNodeHoweverLong) {
  const Layout layout = block(8).repeated(10'000'000, 24);
  ASSERT_EQ(layout.root()->kind, Kind::loop);
  EXPECT_EQ(layout.root()->count, 10'000'000);
  EXPECT_EQ(layout.root()->child->kind, Kind::block);
  EXPECT_TRUE(layout.root()->offsets.empty());
}

TEST(Layout, LoopsThatContinueEachOtherBecomeOne) {
  const Layout layout = block(8).repeated(10, 16).repeated(5, 160);
  ASSERT_EQ(layout.root()->kind, Kind::loop);
  EXPECT_EQ(layout.root()->count, 50);
  EXPECT_EQ(layout.root()->stride, 16);
  EXPECT_EQ(layout.root()->child->kind, Kind::block);
  const Layout nested = block(8).repeated(10, 16).repeated(5, 200);
  EXPECT_EQ(nested.root()->count, 5);
  EXPECT_EQ(nested.root()->child->count, 10);
}

TEST(Layout, RegularListsBecomeLoops) {
  LayoutJoiner joiner(false);
  for (MPI_Count i = 0; i < 1000; ++i)
    joiner.add(block(4), 100 - 12 * i, 1, 0);
  const Layout layout = joiner.join();
  ASSERT_EQ(layout.root()->kind, Kind::loop);
  EXPECT_EQ(layout.offset(), 100);
  EXPECT_EQ(layout.root()->stride, -12);
  EXPECT_EQ(layout.root()->count, 1000);
}

TEST(Layout, ListsOfRuns) {
  const Layout equal = joined({{0, block(4)}, {10, block(4)}, {30, block(4)}});
  ASSERT_EQ(equal.root()->kind, Kind::blocks);
  EXPECT_EQ(equal.root()->length, 4);
  EXPECT_EQ(equal.root()->offsets, (std::vector<MPI_Count>{0, 10, 30}));
  EXPECT_TRUE(equal.root()->starts.empty()) << "equal runs need no list of where they begin";
  const Layout mixed = joined({{0, block(4)}, {10, block(5)}, {30, block(6)}});
  ASSERT_EQ(mixed.root()->kind, Kind::runs);
  EXPECT_EQ(mixed.root()->starts, (std::vector<MPI_Count>{0, 4, 9, 15}));
}

TEST(Layout, ShortListsAreTakenApartAndLongOnesShared) {
  const Layout small = joined({{0, block(4)}, {8, block(4)}, {20, block(4)}});
  const Layout flat = joined({{0, small}, {24, small}});
  ASSERT_EQ(flat.root()->kind, Kind::runs) << "the runs at 20 and 24 touch, so one is longer";
  EXPECT_EQ(flat.root()->offsets.size(), 5U);

  LayoutJoiner joiner(false);
  for (MPI_Count i = 0; i < 200; ++i)
    joiner.add(block(1), i * i + i, 1, 0);
  const Layout large = joiner.join();
  const Layout shared = joined({{0, large}, {100'000, block(7)}});
  ASSERT_EQ(shared.root()->kind, Kind::sequence);
  EXPECT_EQ(shared.root()->children[0].get(), large.root());
}

TEST(Layout, ManyUsesOfALongListCostOneEntryEach) {
  LayoutJoiner list(false);
  for (MPI_Count i = 0; i < 200; ++i)
    list.add(block(1), i * i + i, 1, 0);
  const Layout large = list.join();
  LayoutJoiner joiner(false);
  for (MPI_Count i = 0; i < 50; ++i)
    joiner.add(large, i * i * 100'000, 1, 0);
  const Layout layout = joiner.join();
  ASSERT_EQ(layout.root()->kind, Kind::sequence);
  EXPECT_EQ(layout.root()->offsets.size(), 50U);
  EXPECT_EQ(layout.size(), 50 * 200);
}

TEST(Layout, TypesStayApartWhereTheyAreKept) {
  const Layout integer = Layout::block(4, BasicType::int32);
  const Layout real = Layout::block(4, BasicType::single);
  const Layout bytes = joined({{0, integer}, {4, real}});
  ASSERT_TRUE(bytes.isOneBlock());
  EXPECT_EQ(bytes.basic(), BasicType::none);
  const Layout typed = joined({{0, integer}, {4, real}}, true);
  ASSERT_EQ(typed.root()->kind, Kind::sequence);
  EXPECT_EQ(typed.root()->children[0]->basic, BasicType::int32);
  EXPECT_EQ(typed.root()->children[1]->basic, BasicType::single);
  EXPECT_EQ(elementCount(typed), 2);
}

TEST(Layout, SizesThatGoBeyondMpiCountFail) {
  const Layout layout = block(MPI_Count{1} << 40);
  try {
    static_cast<void>(layout.repeated(MPI_Count{1} << 30, MPI_Count{1} << 40));
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.errorClass(), MPI_ERR_COUNT);
  }
}

TEST(Layout, ElementsOfOneBasicType) {
  const Layout layout = Layout::block(4, BasicType::int32).repeated(3, 8);
  MPI_Count rest = -1;
  EXPECT_EQ(elementsInBytes(layout, 12, rest), 3);
  EXPECT_EQ(rest, 0);
  EXPECT_EQ(elementsInBytes(layout, 4 * 1000 + 3, rest), 1000);
  EXPECT_EQ(rest, 3);
  EXPECT_EQ(bytesOfElements(layout, 1001), 4004);
}

TEST(Layout, ElementsOfRandomTypesAsCountedOneByOne) {
  std::mt19937 random(99);
  for (int round = 0; round < 150; ++round) {
    const TypePair pair = randomType(random, 1 + round % 4);
    if (pair.reference.items.empty())
      continue;
    const Layout& typed = pair.type->map().typed;
    const auto& items = pair.reference.items;
    ASSERT_EQ(elementCount(typed), static_cast<MPI_Count>(items.size()));
    MPI_Count bytes = 0;
    for (std::size_t i = 0; i < 2 * items.size(); ++i) {
      const auto number = static_cast<MPI_Count>(i);
      const MPI_Count each = basicTypeInfo(items[i % items.size()].basic).size;
      ASSERT_EQ(bytesOfElements(typed, number), bytes) << "round " << round;
      MPI_Count rest = -1;
      ASSERT_EQ(elementsInBytes(typed, bytes, rest), number) << "round " << round;
      ASSERT_EQ(rest, 0);
      if (each > 1) {
        ASSERT_EQ(elementsInBytes(typed, bytes + 1, rest), number);
        ASSERT_EQ(rest, 1);
      }
      bytes += each;
    }
  }
}

} // namespace
} // namespace mpl::test
