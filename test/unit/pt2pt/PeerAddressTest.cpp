#include "pt2pt/PeerAddress.h"

#include "mpl/Error.h"

#include <gtest/gtest.h>

namespace mpl {
namespace {

TEST(PeerAddress, comesBackAsItWas) {
  for (const bool shared : {false, true}) {
    const PeerAddress sent{0x123456789abcdef0, shared, std::string("ab\0cd", 5)};
    const PeerAddress got = PeerAddress::decode(sent.encode());
    EXPECT_EQ(got.pidNamespace, sent.pidNamespace);
    EXPECT_EQ(got.sharedMemory, shared);
    EXPECT_EQ(got.worker, sent.worker);
  }
}

TEST(PeerAddress, refusesWhatIsTooShort) {
  for (std::size_t size = 0; size < 10; ++size) {
    const Bytes bytes(size);
    try {
      PeerAddress::decode(bytes);
      ADD_FAILURE() << size;
    } catch (const Error& error) {
      EXPECT_EQ(error.errorClass(), MPI_ERR_OTHER);
    }
  }
  EXPECT_NO_THROW(PeerAddress::decode(Bytes(10)));
}

TEST(PeerAddress, bothDecideAlike) {
  const PeerAddress here{1, true, "x"};
  EXPECT_TRUE(here.canWatch(here));
  for (const PeerAddress& other :
       {PeerAddress{2, true, "x"}, PeerAddress{1, false, "x"}, PeerAddress{0, true, "x"}}) {
    EXPECT_FALSE(here.canWatch(other));
    EXPECT_FALSE(other.canWatch(here));
  }
  const PeerAddress unknown{0, true, "x"};
  EXPECT_FALSE(unknown.canWatch(unknown));
}

} // namespace
} // namespace mpl
