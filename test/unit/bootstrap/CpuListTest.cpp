#include "bootstrap/CpuList.h"

#include "mpl/Error.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <thread>

namespace mpl {
namespace {

TEST(CpuList, FormatsRanges) {
  EXPECT_EQ(formatCpuList({}), "");
  EXPECT_EQ(formatCpuList({5}), "5");
  EXPECT_EQ(formatCpuList({0, 1, 2, 3, 8}), "0-3,8");
  EXPECT_EQ(formatCpuList({0, 2, 4, 5}), "0,2,4-5");
}

TEST(CpuList, ParsesWhatItFormats) {
  for (const std::vector<int>& cpus : {std::vector<int>{}, std::vector<int>{0},
                                       std::vector<int>{0, 1, 2, 3, 8}, std::vector<int>{7, 9, 1023, 1024}})
    EXPECT_EQ(parseCpuList(formatCpuList(cpus)), cpus);
}

TEST(CpuList, ParsesUnorderedAndOverlappingLists) {
  EXPECT_EQ(parseCpuList("8,0-2,1\n"), (std::vector<int>{0, 1, 2, 8}));
  EXPECT_EQ(parseCpuList("3-1"), std::vector<int>{});
}

TEST(CpuList, RefusesWhatIsNoList) {
  for (const char* wrong : {"a", "1,", ",1", "1-", "-1", "1;2", "1 2", "99999999999", "0-2000000", "1--2"})
    EXPECT_THROW(parseCpuList(wrong), Error) << wrong;
}

TEST(CpuList, AllowedFollowsTheBindingOfTheThread) {
  const std::vector<int> before = allowedCpus();
  ASSERT_FALSE(before.empty());
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(before.back()), &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(allowedCpus(), std::vector<int>{before.back()});
  }).join();
  EXPECT_EQ(allowedCpus(), before);
}

} // namespace
} // namespace mpl
