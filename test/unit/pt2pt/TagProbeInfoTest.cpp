#include "pt2pt/TagProbeInfo.h"

#include "test/unit/pt2pt/LoopbackWorker.h"

#include <stdexcept>
#include <type_traits>

namespace mpl {
namespace {

static_assert(!std::is_copy_constructible_v<TagProbeInfo> && !std::is_copy_assignable_v<TagProbeInfo>);
static_assert(!std::is_move_constructible_v<TagProbeInfo> && !std::is_move_assignable_v<TagProbeInfo>);

class TagProbeInfoTest : public testing::Test {
protected:
  static constexpr std::uint64_t context = envelope::contextPart(8);

  TagProbeInfo probe(int source, int tag, bool remove) {
    loop.progress();
    return TagProbeInfo::probe(loop.worker(), envelope::pattern(context, source, tag), remove);
  }
  void send(int source, int tag, const std::string& text) {
    loop.send(envelope::make(context, source, tag), text);
  }

  LoopbackWorker loop;
};

TEST_F(TagProbeInfoTest, NothingMatched) {
  TagProbeInfo info = probe(MPI_ANY_SOURCE, MPI_ANY_TAG, true);
  EXPECT_FALSE(info.isMatched());
  EXPECT_THROW(info.getInfo(), std::runtime_error);
  EXPECT_THROW(info.getHandle(), std::runtime_error);
  EXPECT_THROW(info.releaseHandle(), std::runtime_error);
}

TEST_F(TagProbeInfoTest, DefaultIsUnmatched) {
  const TagProbeInfo info;
  EXPECT_FALSE(info.isMatched());
  EXPECT_THROW(info.getInfo(), std::runtime_error);
}

TEST_F(TagProbeInfoTest, LookingLeavesTheMessage) {
  send(3, 7, "hello");
  for (int round = 0; round < 3; ++round) {
    TagProbeInfo info = probe(3, 7, false);
    ASSERT_TRUE(info.isMatched());
    EXPECT_EQ(info.getInfo().source(), 3);
    EXPECT_EQ(info.getInfo().tag(), 7);
    EXPECT_EQ(info.getInfo().length, 5U);
    EXPECT_THROW(info.getHandle(), std::runtime_error) << "the message is still UCX's";
  }
  TagProbeInfo info = probe(3, 7, true);
  EXPECT_EQ(loop.receive(info.releaseHandle(), 5), "hello");
}

TEST_F(TagProbeInfoTest, RemovingHidesTheMessageFromEverybodyElse) {
  send(1, 2, "abc");
  TagProbeInfo info = probe(MPI_ANY_SOURCE, MPI_ANY_TAG, true);
  ASSERT_TRUE(info.isMatched());
  EXPECT_FALSE(probe(MPI_ANY_SOURCE, MPI_ANY_TAG, true).isMatched());
  EXPECT_NE(info.getHandle(), nullptr);
  EXPECT_EQ(info.getHandle(), info.getHandle()) << "looking does not consume";
  EXPECT_EQ(loop.receive(info.releaseHandle(), 3), "abc");
}

TEST_F(TagProbeInfoTest, HandleIsReleasedOnce) {
  send(1, 2, "abc");
  TagProbeInfo info = probe(1, 2, true);
  ucp_tag_message_h message = info.releaseHandle();
  EXPECT_TRUE(info.isMatched()) << "what is known of the message stays";
  EXPECT_EQ(info.getInfo().length, 3U);
  EXPECT_THROW(info.releaseHandle(), std::runtime_error);
  EXPECT_THROW(info.getHandle(), std::runtime_error);
  EXPECT_EQ(loop.receive(message, 3), "abc");
}

TEST_F(TagProbeInfoTest, UnconsumedHandleIsReportedWithSourceTagAndSize) {
  send(17, 42, std::string(1234, 'x'));
  ucp_tag_message_h message = nullptr;
  testing::internal::CaptureStderr();
  {
    TagProbeInfo info = probe(17, 42, true);
    message = info.getHandle();
  }
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("rank 17"), std::string::npos) << said;
  EXPECT_NE(said.find("tag 42"), std::string::npos) << said;
  EXPECT_NE(said.find("1234 bytes"), std::string::npos) << said;
  loop.receive(message, 1234);
}

TEST_F(TagProbeInfoTest, ConsumedHandleIsNotReported) {
  send(17, 42, "x");
  testing::internal::CaptureStderr();
  {
    TagProbeInfo info = probe(17, 42, true);
    loop.receive(info.releaseHandle(), 1);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(TagProbeInfoTest, ProbesAgainOnceItOwnsNothing) {
  TagProbeInfo info;
  EXPECT_FALSE(info.probeAgain(loop.worker(), envelope::pattern(context, 1, 2), true));
  EXPECT_FALSE(info.isMatched());
  send(1, 2, "one");
  send(1, 2, "three");
  loop.progress();
  EXPECT_TRUE(info.probeAgain(loop.worker(), envelope::pattern(context, 1, 2), true));
  EXPECT_TRUE(info.ownsMessage());
  EXPECT_THROW(info.probeAgain(loop.worker(), envelope::pattern(context, 1, 2), true), std::runtime_error);
  EXPECT_EQ(info.getInfo().length, 3U) << "what it owns is still there";
  EXPECT_EQ(loop.receive(info.releaseHandle(), 3), "one");
  EXPECT_FALSE(info.ownsMessage());
  EXPECT_TRUE(info.probeAgain(loop.worker(), envelope::pattern(context, 1, 2), true));
  EXPECT_EQ(info.getInfo().length, 5U);
  EXPECT_EQ(loop.receive(info.releaseHandle(), 5), "three");
  EXPECT_FALSE(info.probeAgain(loop.worker(), envelope::pattern(context, 1, 2), true));
  EXPECT_THROW(info.getInfo(), std::runtime_error);
}

TEST_F(TagProbeInfoTest, FindsTheOldestOfSeveral) {
  send(1, 5, "first");
  send(1, 5, "second");
  TagProbeInfo first = probe(1, 5, true);
  TagProbeInfo second = probe(1, MPI_ANY_TAG, true);
  EXPECT_EQ(loop.receive(second.releaseHandle(), second.getInfo().length), "second");
  EXPECT_EQ(loop.receive(first.releaseHandle(), first.getInfo().length), "first");
}

} // namespace
} // namespace mpl
