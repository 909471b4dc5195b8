#include "bootstrap/Launcher.h"

#include "bootstrap/TextFile.h"
#include "test/unit/bootstrap/Child.h"

#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>

namespace mpl {
namespace {

TEST(Launcher, IsTheParentWhenThereIsNoWrapper) {
  const pid_t parent = ::getpid();
  Child child([&] {
    const Launcher launcher = Launcher::find();
    return launcher.pid == parent && launcher.allowed >= 1 && !launcher.name.empty() ? 0 : 1;
  });
  EXPECT_EQ(child.reap(), 0);
}

TEST(Launcher, WrappersArePassedOver) {
  // This test starts a shell with the launcher's variables, the shell starts sleep and tells its number.
  FILE* pipe = ::popen("PMIX_RANK=0 exec sh -c 'sleep 100 >/dev/null & echo $!; wait'", "r");
  ASSERT_NE(pipe, nullptr);
  int rank = 0;
  ASSERT_EQ(std::fscanf(pipe, "%d", &rank), 1);
  const Launcher launcher = Launcher::of(rank);
  ::kill(rank, SIGKILL);
  ::pclose(pipe);
  EXPECT_EQ(launcher.pid, ::getpid());
}

TEST(Launcher, OfAProcessThatIsGoneIsNotFound) {
  Child child([] { return 0; });
  child.reap();
  EXPECT_EQ(Launcher::of(child.pid()).pid, 0);
}

TEST(Launcher, ForgivenessIsAnOptionOfTheLauncher) {
  const auto with = [](const char* value) {
    return Child([&] {
             if (value != nullptr)
               ::setenv("OMPI_MCA_orte_enable_recovery", value, 1);
             else
               ::unsetenv("OMPI_MCA_orte_enable_recovery");
             return Launcher::forgivesEverything() ? 1 : 0;
           })
        .reap();
  };
  EXPECT_EQ(with(nullptr), 0);
  EXPECT_EQ(with(""), 0);
  EXPECT_EQ(with("0"), 0);
  EXPECT_EQ(with("1"), 1);
}

TEST(TextFile, ReadsWholeFilesAndNothingWhereThereIsNone) {
  EXPECT_TRUE(fileText("/proc/self/status").starts_with("Name:"));
  EXPECT_EQ(fileText("/proc/self/no-such-file"), "");
  EXPECT_EQ(fileText("/proc"), "") << "a folder";
  EXPECT_GT(fileText("/proc/kallsyms").size() + fileText("/proc/self/smaps").size(), 4096u)
      << "longer than one read";
}

} // namespace
} // namespace mpl
