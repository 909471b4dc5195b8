#include "pt2pt/PeerAddress.h"

#include "mpl/Error.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>

namespace mpl {
namespace {

TEST(PeerAddress, comesBackAsItWas) {
  for (const bool shared : {false, true}) {
    const PeerAddress sent{0x123456789abcdef0, 0x0fedcba987654321, shared, std::string("ab\0cd", 5),
                           SharedSegment::Key{17, 4, 0xfeed, 1 << 20}};
    const PeerAddress got = PeerAddress::decode(sent.encode());
    EXPECT_EQ(got.pidNamespace, sent.pidNamespace);
    EXPECT_EQ(got.credentials, sent.credentials);
    EXPECT_EQ(got.sharedMemory, shared);
    EXPECT_EQ(got.worker, sent.worker);
    EXPECT_EQ(got.memory.pid, 17);
    EXPECT_EQ(got.memory.descriptor, 4);
    EXPECT_EQ(got.memory.token, 0xfeedU);
    EXPECT_EQ(got.memory.bytes, 1U << 20);
    EXPECT_TRUE(got.takesNodeMessages());
  }
}

TEST(PeerAddress, refusesWhatIsTooShort) {
  for (std::size_t size = 0; size < 50; ++size) {
    const Bytes bytes(size);
    try {
      PeerAddress::decode(bytes);
      ADD_FAILURE() << size;
    } catch (const Error& error) {
      EXPECT_EQ(error.errorClass(), MPI_ERR_OTHER);
    }
  }
  EXPECT_NO_THROW(PeerAddress::decode(Bytes(50)));
}

TEST(PeerAddress, bothDecideAlike) {
  const PeerAddress here{1, 5, true, "x", {}};
  EXPECT_TRUE(here.isOpenTo(here));
  for (const PeerAddress& other : {PeerAddress{2, 5, true, "x", {}}, PeerAddress{1, 6, true, "x", {}},
                                   PeerAddress{1, 5, false, "x", {}}, PeerAddress{0, 5, true, "x", {}}}) {
    EXPECT_FALSE(here.isOpenTo(other));
    EXPECT_FALSE(other.isOpenTo(here));
  }
  for (const PeerAddress& unknown : {PeerAddress{0, 5, true, "x", {}}, PeerAddress{1, 0, true, "x", {}}})
    EXPECT_FALSE(unknown.isOpenTo(unknown));
}

TEST(PeerAddress, ofThisProcessIsOpenToItself) {
  const PeerAddress here = PeerAddress::ofThisProcess(true, "x");
  EXPECT_TRUE(here.isOpenTo(here));
  EXPECT_EQ(here.worker, "x");
  EXPECT_FALSE(here.takesNodeMessages());
}

TEST(PeerAddress, aProcessThatNobodyMayReadIsOpenToNobody) {
  ASSERT_EQ(::prctl(PR_SET_DUMPABLE, 0), 0);
  const PeerAddress closed = PeerAddress::ofThisProcess(true, "x");
  ASSERT_EQ(::prctl(PR_SET_DUMPABLE, 1), 0);
  EXPECT_FALSE(closed.isOpenTo(closed));
  EXPECT_FALSE(PeerAddress::ofThisProcess(true, "x").isOpenTo(closed));
}

} // namespace
} // namespace mpl
