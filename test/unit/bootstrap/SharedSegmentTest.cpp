#include "bootstrap/SharedSegment.h"

#include "mpl/Error.h"

#include <cstring>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mpl {
namespace {

int classOf(const SharedSegment::Key& key) {
  try {
    SharedSegment attached(key);
    return MPI_SUCCESS;
  } catch (const Error& error) {
    return error.errorClass();
  }
}

TEST(SharedSegment, StartsAsZerosAndIsTheSameMemoryForAll) {
  SharedSegment made(10000);
  for (std::size_t i = 0; i < 10000; ++i)
    ASSERT_EQ(made.data()[i], std::byte{0});
  SharedSegment attached(made.key());
  EXPECT_NE(attached.data(), made.data());
  std::strcpy(reinterpret_cast<char*>(made.data() + 9000), "seen");
  EXPECT_STREQ(reinterpret_cast<const char*>(attached.data() + 9000), "seen");
}

TEST(SharedSegment, AnotherProcessCanMapIt) {
  SharedSegment made(4096);
  const SharedSegment::Key key = made.key();
  const pid_t child = ::fork();
  if (child == 0) {
    int status = 1;
    try {
      SharedSegment attached(key);
      attached.data()[7] = std::byte{42};
      status = 0;
    } catch (const Error&) {
    }
    ::_exit(status);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(made.data()[7], std::byte{42});
}

TEST(SharedSegment, AKeyThatIsNotOfTheSegmentIsRefused) {
  SharedSegment made(4096);
  SharedSegment::Key key = made.key();
  key.token ^= 1;
  EXPECT_EQ(classOf(key), MPI_ERR_OTHER);
  key = made.key();
  key.bytes += 4096;
  EXPECT_EQ(classOf(key), MPI_ERR_OTHER);
  key = made.key();
  key.descriptor = 0;
  EXPECT_EQ(classOf(key), MPI_ERR_OTHER);
  EXPECT_EQ(classOf(SharedSegment::Key{}), MPI_ERR_OTHER);
}

TEST(SharedSegment, OfAProcessThatHasEndedItIsToldSo) {
  SharedSegment made(4096);
  SharedSegment::Key key = made.key();
  const pid_t child = ::fork();
  if (child == 0)
    ::_exit(0);
  key.pid = child;
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(classOf(key), MPI_ERR_PROC_ABORTED); // nobody has waited for it yet
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(classOf(key), MPI_ERR_PROC_ABORTED);
}

TEST(SharedSegment, WithoutTheDescriptorNobodyElseMapsItButThoseWhoHaveKeepIt) {
  SharedSegment made(4096);
  SharedSegment attached(made.key());
  made.closeDescriptor();
  EXPECT_EQ(classOf(made.key()), MPI_ERR_OTHER);
  made.data()[1] = std::byte{5};
  EXPECT_EQ(attached.data()[1], std::byte{5});
}

TEST(SharedSegment, TooMuchIsAnError) {
  try {
    SharedSegment made(std::size_t{1} << 60);
    FAIL() << "2^60 bytes were given";
  } catch (const Error& error) {
    EXPECT_EQ(error.errorClass(), MPI_ERR_NO_MEM);
  }
}

} // namespace
} // namespace mpl
