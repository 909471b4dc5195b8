#include "bootstrap/ProcessIdentity.h"

#include "mpl/Error.h"
#include "test/unit/bootstrap/Child.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>

namespace mpl {
namespace {

ProcessIdentity sample() {
  ProcessIdentity identity;
  identity.pid = 4711;
  identity.startTime = 123456789012345;
  identity.pidNamespace = 4026531836;
  identity.hostName = "node17.example";
  identity.cpus = "0-3,8";
  return identity;
}

TEST(ProcessIdentity, OfThisProcess) {
  const ProcessIdentity identity = ProcessIdentity::ofThisProcess();
  EXPECT_EQ(identity.pid, ::getpid());
  EXPECT_NE(identity.startTime, 0u);
  EXPECT_NE(identity.pidNamespace, 0u);
  EXPECT_FALSE(identity.hostName.empty());
  EXPECT_FALSE(identity.cpus.empty());
  EXPECT_EQ(identity, ProcessIdentity::ofThisProcess());
}

TEST(ProcessIdentity, TravelsAsBytes) {
  EXPECT_EQ(ProcessIdentity::decode(sample().encode()), sample());
  ProcessIdentity bare;
  EXPECT_EQ(ProcessIdentity::decode(bare.encode()), bare);
}

TEST(ProcessIdentity, EveryCutIsNoticed) {
  const Bytes whole = sample().encode();
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_THROW(ProcessIdentity::decode(std::span(whole).first(length)), Error) << length;
}

TEST(ProcessIdentity, ForeignBytesAreRefused) {
  Bytes longer = sample().encode();
  longer.push_back(std::byte{0});
  EXPECT_THROW(ProcessIdentity::decode(longer), Error);
  Bytes other = sample().encode();
  other[0] ^= std::byte{1};
  EXPECT_THROW(ProcessIdentity::decode(other), Error);
  Bytes huge = sample().encode();
  for (std::size_t i = 28; i < 32; ++i) // the length of the host name
    huge[i] = std::byte{0xff};
  EXPECT_THROW(ProcessIdentity::decode(huge), Error);
}

TEST(ProcessState, OfProcessesThatAreThereAndNotThere) {
  const auto self = processState(::getpid());
  ASSERT_TRUE(self);
  EXPECT_EQ(self->state, 'R');
  Child child;
  ASSERT_TRUE(processState(child.pid()));
  EXPECT_GE(processState(child.pid())->startTime, self->startTime);
  child.kill();
  child.awaitZombie();
  ASSERT_TRUE(processState(child.pid()));
  EXPECT_EQ(processState(child.pid())->state, 'Z');
  child.reap();
  EXPECT_FALSE(processState(child.pid()));
}

// The name of a process may hold parentheses and spaces, which separate the fields of /proc/PID/stat.
TEST(ProcessState, IsNotFooledByTheName) {
  const auto before = processState(::getpid());
  Child child([&] {
    ::prctl(PR_SET_NAME, "a) Z 1 (b");
    const auto state = processState(::getpid());
    return state && state->state == 'R' && state->startTime >= before->startTime ? 0 : 1;
  });
  EXPECT_EQ(child.reap(), 0);
}

} // namespace
} // namespace mpl
