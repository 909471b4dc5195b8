#include "pt2pt/Tag.h"

#include <gtest/gtest.h>

#include <random>

namespace mpl {
namespace {

TEST(Envelope, KeepsContextSourceAndTagApart) {
  std::mt19937 random(20260901);
  for (int round = 0; round < 10000; ++round) {
    const auto context = static_cast<std::uint32_t>(random() % envelope::maxContexts);
    const int source = static_cast<int>(random() % envelope::maxRanks);
    const int tag = static_cast<int>(random() & envelope::maxTag);
    const std::uint64_t bits = envelope::make(envelope::contextPart(context), source, tag);
    ASSERT_EQ(envelope::context(bits), context);
    ASSERT_EQ(envelope::source(bits), source);
    ASSERT_EQ(envelope::tag(bits), tag);
  }
}

TEST(Envelope, LimitsAreThoseOfTheDesign) {
  EXPECT_GE(envelope::maxTag, (1 << 23) - 1);
  EXPECT_EQ(envelope::maxRanks, 1 << 20);
  EXPECT_GE(envelope::maxTag, 32767) << "MPI_TAG_UB's least value, section 9.1.2";
}

bool matches(const envelope::Pattern& wanted, std::uint64_t bits) {
  return ((bits ^ wanted.bits) & wanted.mask) == 0;
}

TEST(Pattern, SpecificReceiveLooksAtEveryBit) {
  const auto wanted = envelope::pattern(envelope::contextPart(4), 3, 7);
  EXPECT_EQ(wanted.mask, envelope::fullMask) << "UCX hashes only full masks";
  EXPECT_TRUE(matches(wanted, envelope::make(envelope::contextPart(4), 3, 7)));
  EXPECT_FALSE(matches(wanted, envelope::make(envelope::contextPart(4), 3, 8)));
  EXPECT_FALSE(matches(wanted, envelope::make(envelope::contextPart(4), 2, 7)));
  EXPECT_FALSE(matches(wanted, envelope::make(envelope::contextPart(6), 3, 7)));
}

TEST(Pattern, AnySourceAndAnyTagStayInTheContext) {
  const std::uint64_t context = envelope::contextPart(10);
  const auto any = envelope::pattern(context, MPI_ANY_SOURCE, MPI_ANY_TAG);
  EXPECT_TRUE(matches(any, envelope::make(context, 0, 0)));
  EXPECT_TRUE(matches(any, envelope::make(context, envelope::maxRanks - 1, envelope::maxTag)));
  EXPECT_FALSE(matches(any, envelope::make(envelope::contextPart(11), 0, 0))) << "the collectives' context";

  const auto anySource = envelope::pattern(context, MPI_ANY_SOURCE, 5);
  EXPECT_TRUE(matches(anySource, envelope::make(context, 12345, 5)));
  EXPECT_FALSE(matches(anySource, envelope::make(context, 12345, 6)));

  const auto anyTag = envelope::pattern(context, 5, MPI_ANY_TAG);
  EXPECT_TRUE(matches(anyTag, envelope::make(context, 5, envelope::maxTag)));
  EXPECT_FALSE(matches(anyTag, envelope::make(context, 6, 0)));
}

} // namespace
} // namespace mpl
