#include "bootstrap/CpuBudget.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace mpl {
namespace {

namespace fs = std::filesystem;

/// A folder that stands for /sys/fs/cgroup.
class CgroupQuota : public ::testing::Test {
protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "cgroupXXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    mount_ = pattern;
  }
  void TearDown() override { fs::remove_all(mount_); }
  void write(const std::string& path, const std::string& content) {
    fs::create_directories(fs::path(mount_ + path).parent_path());
    std::ofstream(mount_ + path) << content;
  }
  std::optional<double> quota(const std::string& membership) { return cgroupQuota(membership, mount_); }
  std::string mount_;
};

TEST_F(CgroupQuota, NothingWhereNothingIsMounted) {
  EXPECT_EQ(quota(""), std::nullopt);
  EXPECT_EQ(quota("0::/a/b\n"), std::nullopt);
}

TEST_F(CgroupQuota, Version2) {
  write("/a/cpu.max", "150000 100000\n");
  EXPECT_EQ(quota("0::/a\n"), 1.5);
  EXPECT_EQ(quota("0::/a/b\n"), 1.5) << "a limit above holds below";
  EXPECT_EQ(quota("0::/c\n"), std::nullopt);
}

TEST_F(CgroupQuota, TheSmallestLimitOnTheWayCounts) {
  write("/a/b/cpu.max", "400000 100000\n");
  write("/a/cpu.max", "200000 100000\n");
  write("/cpu.max", "max 100000\n");
  EXPECT_EQ(quota("0::/a/b\n"), 2.0);
}

TEST_F(CgroupQuota, MaxIsNoLimit) {
  write("/a/cpu.max", "max 100000\n");
  EXPECT_EQ(quota("0::/a\n"), std::nullopt);
}

TEST_F(CgroupQuota, InAContainerThePathIsNotThereButTheLimitIs) {
  write("/cpu.max", "50000 100000\n");
  EXPECT_EQ(quota("0::/\n"), 0.5);
  EXPECT_EQ(quota("0::/docker/123abc\n"), 0.5);
}

TEST_F(CgroupQuota, Version1) {
  write("/cpu,cpuacct/job/cpu.cfs_quota_us", "300000\n");
  write("/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota("9:memory:/job\n4:cpu,cpuacct:/job\n"), 3.0);
  write("/cpu,cpuacct/free/cpu.cfs_quota_us", "-1\n");
  write("/cpu,cpuacct/free/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(quota("4:cpu,cpuacct:/free\n"), std::nullopt);
  EXPECT_EQ(quota("4:cpuacct,cpuset:/job\n"), std::nullopt) << "not the controller of processor time";
}

TEST_F(CgroupQuota, NonsenseIsNoLimit) {
  write("/a/cpu.max", "many\n");
  write("/b/cpu.max", "100000 0\n");
  EXPECT_EQ(quota("0::/a\n"), std::nullopt);
  EXPECT_EQ(quota("0::/b\n"), std::nullopt);
  EXPECT_EQ(quota("no colons here\n:\n0:\n0::relative\n"), std::nullopt);
}

TEST(CpuBudget, CountsRanksAgainstProcessors) {
  CpuBudget budget;
  budget.allowed = 4;
  budget.launcherAllowed = 4;
  EXPECT_FALSE(budget.oversubscribed(1));
  EXPECT_FALSE(budget.oversubscribed(4));
  EXPECT_TRUE(budget.oversubscribed(5));
}

TEST(CpuBudget, RanksBoundToOneProcessorEachAreNotTooMany) {
  CpuBudget budget;
  budget.allowed = 1;
  budget.launcherAllowed = 8;
  EXPECT_FALSE(budget.oversubscribed(8));
  EXPECT_TRUE(budget.oversubscribed(9));
}

TEST(CpuBudget, AQuotaBelowTheRanksIsTooLittle) {
  CpuBudget budget;
  budget.allowed = 64;
  budget.launcherAllowed = 64;
  budget.quota = 1.5;
  EXPECT_FALSE(budget.oversubscribed(1));
  EXPECT_TRUE(budget.oversubscribed(2));
  budget.quota = 0.5;
  EXPECT_FALSE(budget.oversubscribed(1)) << "one process alone has nobody to yield to";
}

TEST(CpuBudget, OfThisProcess) {
  const CpuBudget budget = CpuBudget::ofThisProcess();
  EXPECT_GE(budget.allowed, 1);
  EXPECT_GE(budget.launcherAllowed, 0);
  if (budget.quota) {
    EXPECT_GT(*budget.quota, 0);
  }
}

} // namespace
} // namespace mpl
