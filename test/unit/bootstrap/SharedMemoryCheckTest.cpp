#include "bootstrap/SharedMemoryCheck.h"

#include "bootstrap/TextFile.h"

#include <gtest/gtest.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace mpl {
namespace {

TEST(SharedMemoryCheck, RoomIsCountedForAllRanks) {
  struct statvfs room {};
  ASSERT_EQ(::statvfs("/dev/shm", &room), 0);
  const std::uint64_t free = static_cast<std::uint64_t>(room.f_bavail) * room.f_frsize;
  if (free < 4096)
    GTEST_SKIP() << "/dev/shm is full";
  // Others use it too meanwhile: stay far from the edge.
  EXPECT_TRUE(SharedMemoryCheck::ofThisProcess(2, free / 8).posix);
  EXPECT_FALSE(SharedMemoryCheck::ofThisProcess(16, free / 4).posix);
  EXPECT_FALSE(SharedMemoryCheck::ofThisProcess(1, free * 4).posix);
  EXPECT_FALSE(SharedMemoryCheck::ofThisProcess(0, free * 4).posix) << "one rank at least";
}

TEST(SharedMemoryCheck, AFolderThatIsNotThereHasNoRoom) {
  EXPECT_FALSE(SharedMemoryCheck::ofThisProcess(1, 1, "/no/such/folder").posix);
  EXPECT_FALSE(SharedMemoryCheck::ofThisProcess(1, 1, "/proc/self").posix);
}

TEST(SharedMemoryCheck, LeavesNoSegment) {
  const auto segments = [] {
    const std::string list = fileText("/proc/sysvipc/shm");
    const std::string own = " " + std::to_string(::getpid()) + " ";
    int count = 0;
    for (auto at = list.find(own); at != list.npos; at = list.find(own, at + 1))
      ++count;
    return count;
  };
  const int before = segments();
  for (int i = 0; i < 10; ++i)
    SharedMemoryCheck::ofThisProcess(1);
  EXPECT_EQ(segments(), before);
}

} // namespace
} // namespace mpl
