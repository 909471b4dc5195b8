// A process alone; jobs of several are in ProcessMain.cpp.
#include "bootstrap/Process.h"

#include "bootstrap/ProcessIdentity.h"
#include "mpl/Error.h"
#include "mpl/Log.h"
#include "test/unit/bootstrap/Child.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <thread>

namespace mpl {
namespace {

Bytes bytes(std::string_view text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return Bytes(first, first + text.size());
}

class ProcessAlone : public ::testing::Test {
protected:
  ProcessAlone() : process(Process::start()) {}
  ~ProcessAlone() override { log::setRank(-1); }
  std::unique_ptr<Process> process;
};

TEST_F(ProcessAlone, IsRankZeroOfOne) {
  EXPECT_TRUE(process->singleton());
  EXPECT_EQ(process->rank(), 0);
  EXPECT_EQ(process->size(), 1);
  EXPECT_EQ(process->localRank(), 0);
  EXPECT_EQ(process->localPeers(), std::vector<int>{0});
  EXPECT_TRUE(process->isLocal(0));
  EXPECT_FALSE(process->isLocal(1));
  EXPECT_EQ(process->nodeCount(), 1);
  EXPECT_EQ(process->universeSize(), std::nullopt);
  EXPECT_EQ(process->appNumber(), std::nullopt);
  EXPECT_FALSE(process->jobId().empty());
  EXPECT_FALSE(process->hostName().empty());
}

TEST_F(ProcessAlone, ReadsItsOwnBoard) {
  process->put("a", bytes("one"));
  process->putAddress(bytes("here"));
  process->commit();
  EXPECT_EQ(process->get(0, "a"), bytes("one"));
  EXPECT_EQ(process->fetchAddress(0), bytes("here"));
  EXPECT_EQ(process->tryGet(0, "a"), bytes("one"));
  process->put("a", bytes("two"));
  EXPECT_EQ(process->get(0, "a"), bytes("two"));
  process->put("empty", {});
  EXPECT_EQ(process->get(0, "empty"), Bytes{});
  Process::Fetch fetch = process->startFetch(0, "a");
  EXPECT_TRUE(fetch.done());
  EXPECT_EQ(fetch.take(), bytes("two"));
}

TEST_F(ProcessAlone, PublishesItsIdentity) {
  const auto identity = ProcessIdentity::decode(process->get(0, Process::identityKey));
  EXPECT_EQ(identity, ProcessIdentity::ofThisProcess());
}

TEST_F(ProcessAlone, WhatIsNotThereIsAnErrorAtOnce) {
  EXPECT_EQ(process->tryGet(0, "missing"), std::nullopt);
  try {
    process->get(0, "missing");
    FAIL() << "came";
  } catch (const Error& error) {
    EXPECT_EQ(error.errorClass(), MPI_ERR_OTHER);
    EXPECT_NE(error.message().find("missing"), std::string::npos);
    EXPECT_NE(error.message().find("rank 0"), std::string::npos);
  }
}

TEST_F(ProcessAlone, RanksOutsideTheJobAreNamed) {
  for (const int rank : {-1, 1, 1 << 30}) {
    try {
      process->get(rank, "a");
      FAIL() << rank;
    } catch (const Error& error) {
      EXPECT_EQ(error.errorClass(), MPI_ERR_RANK);
      EXPECT_NE(error.message().find(std::to_string(rank)), std::string::npos);
    }
    EXPECT_THROW(process->tryGet(rank, "a"), Error);
  }
}

TEST_F(ProcessAlone, KeysAndValuesHaveLimits) {
  EXPECT_THROW(process->put("", bytes("x")), Error);
  EXPECT_THROW(process->put(std::string(65, 'k'), bytes("x")), Error);
  EXPECT_NO_THROW(process->put(std::string(64, 'k'), bytes("x")));
  EXPECT_NO_THROW(process->put("big", Bytes(65536)));
  EXPECT_THROW(process->put("big", Bytes(65537)), Error);
  EXPECT_EQ(process->get(0, "big").size(), 65536u);
}

TEST_F(ProcessAlone, FencesWithItself) {
  for (int i = 0; i < 3; ++i) {
    process->startFence();
    EXPECT_THROW(process->startFence(), Error);
    EXPECT_TRUE(process->fenceDone());
  }
  EXPECT_THROW(process->fenceDone(), Error);
}

TEST_F(ProcessAlone, ThereIsOneAtATime) {
  EXPECT_THROW(Process::start(), Error);
  const std::string job = process->jobId();
  process->finish();
  process->finish();
  EXPECT_THROW(process->put("a", bytes("x")), Error);
  EXPECT_THROW(process->startFence(), Error);
  process.reset();
  process = Process::start();
  EXPECT_EQ(process->jobId(), job);
}

TEST_F(ProcessAlone, AChildOfForkIsNoMember) {
  Child child([this] {
    try {
      process->put("a", bytes("x"));
      return 1;
    } catch (const Error& error) {
      if (error.message().find("fork") == std::string::npos)
        return 2;
    }
    process->finish();
    process.reset();
    return 0;
  });
  EXPECT_EQ(child.reap(), 0);
  process->put("a", bytes("still here"));
  EXPECT_EQ(process->get(0, "a"), bytes("still here"));
}

TEST_F(ProcessAlone, SeveralThreadsMayCall) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([this, t] {
      const std::string key = "key" + std::to_string(t);
      for (int i = 0; i < 200; ++i) {
        process->put(key, bytes(std::to_string(i)));
        EXPECT_EQ(process->get(0, key), bytes(std::to_string(i)));
        EXPECT_EQ(process->localRank(), 0);
      }
    });
  for (std::thread& thread : threads)
    thread.join();
}

TEST(ProcessExitStatus, IsNeverZero) {
  EXPECT_EQ(Process::exitStatus(77), 77);
  EXPECT_EQ(Process::exitStatus(0), 1);
  EXPECT_EQ(Process::exitStatus(256), 1);
  EXPECT_EQ(Process::exitStatus(-256), 1);
  EXPECT_EQ(Process::exitStatus(257), 1);
  EXPECT_EQ(Process::exitStatus(-1), 255);
  for (const int code : {INT_MIN, INT_MIN + 1, -512, -1, 0, 1, 255, 256, 512, 1 << 16, INT_MAX}) {
    EXPECT_GT(Process::exitStatus(code), 0) << code;
    EXPECT_LT(Process::exitStatus(code), 256) << code;
  }
}

TEST(ProcessAbort, EndsAProcessThatHasNotStartedOrIsAlone) {
  for (const bool started : {false, true})
    for (const int code : {0, 77, 256}) {
      int ends[2];
      ASSERT_EQ(::pipe(ends), 0);
      Child child([&] {
        ::dup2(ends[1], STDERR_FILENO);
        ::dup2(ends[1], STDOUT_FILENO);
        std::unique_ptr<Process> process;
        if (started)
          process = Process::start();
        std::printf("unwritten output;");
        Process::abort(code, "because");
        return 99;
      });
      ::close(ends[1]);
      std::string said;
      char block[512];
      for (ssize_t n; (n = ::read(ends[0], block, sizeof block)) > 0;)
        said.append(block, static_cast<std::size_t>(n));
      ::close(ends[0]);
      EXPECT_EQ(child.reap(), Process::exitStatus(code));
      EXPECT_NE(said.find("unwritten output;"), std::string::npos) << said;
      EXPECT_NE(said.find("code " + std::to_string(code)), std::string::npos) << said;
      EXPECT_NE(said.find("because"), std::string::npos) << said;
      if (started) {
        EXPECT_NE(said.find("rank 0 on host "), std::string::npos) << said;
      }
    }
}

TEST(ProcessStart, RefusesALauncherWithoutPmix) {
  Child child([] {
    ::setenv("PMI_RANK", "0", 1);
    ::setenv("PMI_SIZE", "2", 1);
    ::unsetenv("PMIX_NAMESPACE");
    try {
      Process::start();
      return 1;
    } catch (const Error& error) {
      return error.message().find("PMI_SIZE=2") != std::string::npos ? 0 : 2;
    }
  });
  EXPECT_EQ(child.reap(), 0);
}

TEST(ProcessStart, AServerThatIsGoneIsAnError) {
  Child child([] {
    ::setenv("PMIX_NAMESPACE", "no.such.job", 1);
    ::setenv("PMIX_RANK", "0", 1);
    ::setenv("PMIX_SERVER_URI2", "no.such.server.0;tcp4://127.0.0.1:1", 1);
    try {
      Process::start();
      return 1;
    } catch (const Error& error) {
      return error.message().find("PMIx") != std::string::npos ? 0 : 2;
    }
  });
  EXPECT_EQ(child.reap(), 0);
}

} // namespace
} // namespace mpl
