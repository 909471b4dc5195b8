#include "mpl/Info.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <thread>

#include <sys/utsname.h>
#include <unistd.h>

namespace mpl {
namespace {

/// The class of the error that run() throws, MPI_SUCCESS where it throws none.
template <class Run> int classOf(Run&& run) {
  try {
    run();
  } catch (const Error& error) {
    EXPECT_FALSE(error.message().empty());
    return error.errorClass();
  }
  return MPI_SUCCESS;
}

TEST(Info, KeepsTheOrderOfSetting) {
  Info info;
  info.set("zeta", "1");
  info.set("alpha", "2");
  info.set("midway", "3");
  ASSERT_EQ(info.size(), 3u);
  EXPECT_EQ(info.key(0), "zeta");
  EXPECT_EQ(info.key(1), "alpha");
  EXPECT_EQ(info.key(2), "midway");
}

TEST(Info, ReplacingKeepsThePlace) {
  Info info;
  info.set("first", "1");
  info.set("second", "2");
  info.set("first", "one");
  ASSERT_EQ(info.size(), 2u);
  EXPECT_EQ(info.key(0), "first");
  EXPECT_EQ(info.get("first"), "one");
}

TEST(Info, UnknownKeysGiveNothing) {
  Info info;
  EXPECT_EQ(info.get("nothing"), std::nullopt);
  info.set("empty", "");
  EXPECT_EQ(info.get("empty"), "");
}

TEST(Info, KeysDifferInCase) {
  Info info;
  info.set("Key", "a");
  info.set("key", "b");
  EXPECT_EQ(info.size(), 2u);
  EXPECT_EQ(info.get("Key"), "a");
}

TEST(Info, RemovesKeys) {
  Info info;
  for (const char* key : {"a", "b", "c"})
    info.set(key, key);
  info.remove("b");
  EXPECT_EQ(info.size(), 2u);
  EXPECT_EQ(info.key(1), "c");
  EXPECT_EQ(classOf([&] { info.remove("b"); }), MPI_ERR_INFO_NOKEY);
  EXPECT_EQ(info.size(), 2u);
}

TEST(Info, LimitsAreExact) {
  Info info;
  const std::string longestKey(MPI_MAX_INFO_KEY - 1, 'k');
  const std::string longestValue(MPI_MAX_INFO_VAL - 1, 'v');
  info.set(longestKey, longestValue);
  EXPECT_EQ(info.get(longestKey), longestValue);
  EXPECT_EQ(classOf([&] { info.set(longestKey + "k", "v"); }), MPI_ERR_INFO_KEY);
  EXPECT_EQ(classOf([&] { info.set("key", longestValue + "v"); }), MPI_ERR_INFO_VALUE);
  EXPECT_EQ(classOf([&] { info.set("", "v"); }), MPI_ERR_INFO_KEY);
  EXPECT_EQ(classOf([&] { info.get(""); }), MPI_ERR_INFO_KEY);
  EXPECT_EQ(classOf([&] { info.get(longestKey + "k"); }), MPI_ERR_INFO_KEY);
  EXPECT_EQ(classOf([&] { info.remove(""); }), MPI_ERR_INFO_KEY);
  EXPECT_EQ(info.size(), 1u);
}

TEST(Info, AFailedSetChangesNothing) {
  Info info;
  info.set("key", "old");
  EXPECT_EQ(classOf([&] { info.set("key", std::string(MPI_MAX_INFO_VAL, 'v')); }), MPI_ERR_INFO_VALUE);
  EXPECT_EQ(info.get("key"), "old");
}

TEST(Info, KeyNumbersOutOfRangeAreErrors) {
  Info info;
  EXPECT_EQ(classOf([&] { info.key(0); }), MPI_ERR_ARG);
  info.set("a", "b");
  EXPECT_EQ(classOf([&] { info.key(-1); }), MPI_ERR_ARG);
  EXPECT_EQ(classOf([&] { info.key(1); }), MPI_ERR_ARG);
  EXPECT_EQ(info.key(0), "a");
}

TEST(Info, CopiesAreIndependent) {
  Info info;
  info.set("a", "1");
  Info copy = info;
  copy.set("a", "2");
  copy.set("b", "3");
  EXPECT_EQ(info.get("a"), "1");
  EXPECT_EQ(info.size(), 1u);
  info = copy;
  EXPECT_EQ(info.get("b"), "3");
  Info& same = info;
  info = same;
  EXPECT_EQ(info.size(), 2u);
  Info moved = std::move(copy);
  EXPECT_EQ(moved.pairs(), info.pairs());
}

TEST(Info, CopiesOfReadOnlyObjectsCanBeChanged) {
  Info info;
  info.set("a", "1");
  info.makeReadOnly();
  Info copy = info;
  EXPECT_TRUE(info.isReadOnly());
  EXPECT_FALSE(copy.isReadOnly());
}

TEST(Info, ThreadsMayShareOne) {
  Info info;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&info, t] {
        for (int i = 0; i < 200; ++i) {
          const std::string key = "key" + std::to_string(t) + "_" + std::to_string(i % 10);
          info.set(key, std::to_string(i));
          EXPECT_EQ(info.get(key), std::to_string(i));
          Info copy = info;
          EXPECT_GE(copy.size(), 1u);
        }
      });
  }
  EXPECT_EQ(info.size(), 40u);
}

TEST(InfoHandle, LivesFromNewHandleToFree) {
  Info info;
  info.set("a", "1");
  const std::size_t before = infos->live();
  const MPI_Info handle = newHandle(info);
  EXPECT_EQ(infos->live(), before + 1);
  EXPECT_EQ(infoOf(handle).get("a"), "1");
  EXPECT_EQ(infoOrNull(handle), &infoOf(handle));
  freeInfo(handle);
  EXPECT_EQ(infos->live(), before);
  EXPECT_EQ(classOf([&] { infoOf(handle); }), MPI_ERR_INFO);
  EXPECT_EQ(classOf([&] { freeInfo(handle); }), MPI_ERR_INFO);
}

TEST(InfoHandle, NullIsNoObjectButAllowedAsHint) {
  EXPECT_EQ(classOf([] { infoOf(MPI_INFO_NULL); }), MPI_ERR_INFO);
  EXPECT_EQ(infoOrNull(MPI_INFO_NULL), nullptr);
}

TEST(InfoHandle, InventedHandlesAreErrors) {
  for (const std::uintptr_t value :
       {std::uintptr_t(0), std::uintptr_t(1), std::uintptr_t(0x7fff12345678), ~std::uintptr_t(0)}) {
    EXPECT_EQ(classOf([&] { infoOf(reinterpret_cast<MPI_Info>(value)); }), MPI_ERR_INFO) << value;
    EXPECT_EQ(classOf([&] { infoOrNull(reinterpret_cast<MPI_Info>(value)); }), MPI_ERR_INFO) << value;
  }
}

TEST(InfoHandle, HandlesOfFreedObjectsAreNotGivenAgain) {
  const MPI_Info first = newHandle({});
  freeInfo(first);
  const MPI_Info second = newHandle({});
  EXPECT_NE(first, second);
  EXPECT_EQ(classOf([&] { infoOf(first); }), MPI_ERR_INFO);
  freeInfo(second);
}

TEST(EnvInfo, TellsCommandAndPlace) {
  const char* argv[] = {"./program", "-n", "12", nullptr};
  const Info info = envInfo(3, argv);
  EXPECT_EQ(info.get("command"), "./program");
  EXPECT_EQ(info.get("argv"), "-n 12");
  utsname machine{};
  ASSERT_EQ(uname(&machine), 0);
  EXPECT_EQ(info.get("host"), machine.nodename);
  EXPECT_EQ(info.get("arch"), machine.machine);
  char* here = getcwd(nullptr, 0);
  EXPECT_EQ(info.get("wdir"), here);
  std::free(here);
}

TEST(EnvInfo, ReadsTheKernelsCommandLineWithoutArguments) {
  const Info info = envInfo(0, nullptr);
  const auto command = info.get("command");
  ASSERT_TRUE(command);
  EXPECT_NE(command->find("unit-tests"), std::string::npos) << *command;
}

TEST(EnvInfo, StopsAtTheEndOfArgv) {
  const char* argv[] = {"program", "one", nullptr, "beyond"};
  EXPECT_EQ(envInfo(4, argv).get("argv"), "one");
  const char* lone[] = {"program", nullptr};
  EXPECT_EQ(envInfo(1, lone).get("argv"), std::nullopt);
}

TEST(EnvInfo, CutsLongArguments) {
  const std::string longWord(5000, 'x');
  const char* argv[] = {"program", longWord.c_str(), nullptr};
  const auto arguments = envInfo(2, argv).get("argv");
  ASSERT_TRUE(arguments);
  EXPECT_EQ(arguments->size(), static_cast<std::size_t>(MPI_MAX_INFO_VAL - 1));
}

TEST(EnvInfo, SetUpBindsTheReadOnlyObject) {
  const char* argv[] = {"program", nullptr};
  setUpEnvInfo({.maxProcs = 12, .threadLevel = "MPI_THREAD_MULTIPLE"}, 1, argv);
  Info& env = infoOf(MPI_INFO_ENV);
  EXPECT_EQ(env.get("maxprocs"), "12");
  EXPECT_EQ(env.get("thread_level"), "MPI_THREAD_MULTIPLE");
  EXPECT_TRUE(env.isReadOnly());
  EXPECT_EQ(classOf([] { freeInfo(MPI_INFO_ENV); }), MPI_ERR_INFO);
  EXPECT_EQ(envInfo(1, argv).get("maxprocs"), "12");
  setUpEnvInfo({}, 1, argv);
  EXPECT_EQ(infoOf(MPI_INFO_ENV).get("maxprocs"), std::nullopt);
  EXPECT_EQ(infoOf(MPI_INFO_ENV).get("thread_level"), std::nullopt);
}

} // namespace
} // namespace mpl
