// One process of a job, started by process.test under mpirun: the first argument names what it does. It ends
// with status 0 and "ok: NAME" on standard output when all went as it should.
#include "bootstrap/CpuBudget.h"
#include "bootstrap/PeerWatch.h"
#include "bootstrap/Process.h"
#include "mpl/Error.h"
#include "mpl/Log.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace mpl {
namespace {

using namespace std::chrono_literals;

[[noreturn]] void wrong(const char* condition, int line) {
  std::printf("NOT OK: line %d: %s\n", line, condition);
  std::fflush(stdout);
  ::_exit(1);
}
#define CHECK(condition) ((condition) ? void() : wrong(#condition, __LINE__))

Bytes bytes(const std::string& text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return Bytes(first, first + text.size());
}

void fence(Process& process) {
  process.startFence();
  while (!process.fenceDone())
    std::this_thread::sleep_for(200us);
}

void sleepForEver() {
  while (true)
    std::this_thread::sleep_for(1s);
}

void facts(Process& process) {
  CHECK(!process.singleton());
  CHECK(process.rank() >= 0 && process.rank() < process.size());
  const auto& peers = process.localPeers();
  CHECK(std::is_sorted(peers.begin(), peers.end()));
  CHECK(peers.size() == static_cast<std::size_t>(process.size())); // one node
  CHECK(process.localRank() == process.rank());
  CHECK(process.isLocal(process.size() - 1));
  CHECK(!process.isLocal(process.size()));
  CHECK(process.nodeCount().value_or(1) == 1);
  CHECK(process.universeSize().value_or(1) >= 1);
  CHECK(!process.jobId().empty());
  process.put("job", bytes(process.jobId()));
  process.commit();
  for (int rank = 0; rank < process.size(); ++rank)
    CHECK(process.get(rank, "job") == bytes(process.jobId()));
}

// Everyone reads everyone's address, in an order of its own, while some have not published yet.
void addresses(Process& process) {
  std::this_thread::sleep_for(process.rank() * 60ms);
  process.putAddress(bytes("address of " + std::to_string(process.rank())));
  process.commit();
  for (int i = 0; i < process.size(); ++i) {
    const int rank = (process.rank() + i) % process.size();
    CHECK(process.fetchAddress(rank) == bytes("address of " + std::to_string(rank)));
    CHECK(process.fetchAddress(rank) == bytes("address of " + std::to_string(rank)));
    const auto identity = ProcessIdentity::decode(process.get(rank, Process::identityKey));
    CHECK(identity.hostName == process.hostName());
    CHECK((identity.pid == ::getpid()) == (rank == process.rank()));
  }
}

void laterKeys(Process& process) {
  const int other = (process.rank() + 1) % process.size();
  for (int round = 0; round < 5; ++round) {
    const std::string key = "round" + std::to_string(round);
    CHECK(process.tryGet(other, key + "x") == std::nullopt); // asking in vain spoils nothing
    if (process.rank() % 2 == 0)
      std::this_thread::sleep_for(30ms);
    process.put(key, bytes(key + std::to_string(process.rank())));
    process.commit();
    CHECK(process.get(other, key) == bytes(key + std::to_string(other)));
    CHECK(process.tryGet(other, key) == bytes(key + std::to_string(other)));
  }
}

void manyFetches(Process& process) {
  constexpr int keys = 20;
  std::vector<Process::Fetch> fetches;
  for (int key = 0; key < keys; ++key)
    for (int rank = 0; rank < process.size(); ++rank)
      fetches.push_back(process.startFetch(rank, "key" + std::to_string(key)));
  for (int key = 0; key < keys; ++key)
    process.put("key" + std::to_string(key),
                Bytes(static_cast<std::size_t>(key * 700), std::byte(process.rank())));
  process.commit();
  for (Process::Fetch& fetch : fetches)
    while (!fetch.done())
      std::this_thread::sleep_for(100us);
  for (int key = 0, i = 0; key < keys; ++key)
    for (int rank = 0; rank < process.size(); ++rank)
      CHECK(fetches[static_cast<std::size_t>(i++)].take() ==
            Bytes(static_cast<std::size_t>(key * 700), std::byte(rank)));
}

void droppedFetch(Process& process) {
  for (int i = 0; i < 10; ++i)
    process.startFetch((process.rank() + 1) % process.size(), "late", 5s);
  fence(process);
  process.put("late", bytes("x"));
  process.commit();
  CHECK(process.get((process.rank() + 1) % process.size(), "late") == bytes("x"));
}

void timeouts(Process& process) {
  const int other = (process.rank() + 1) % process.size();
  for (const auto timeout : {0ms, 50ms, 1500ms}) {
    const auto begin = std::chrono::steady_clock::now();
    try {
      process.get(other, "never", timeout);
      wrong("a value came that nobody published", __LINE__);
    } catch (const Error& error) {
      CHECK(error.message().find("rank " + std::to_string(other)) != std::string::npos);
      CHECK(error.message().find("never") != std::string::npos);
      CHECK(error.message().find("MPL_CONNECT_TIMEOUT") != std::string::npos);
    }
    CHECK(std::chrono::steady_clock::now() - begin >= timeout);
  }
  fence(process);
}

void fences(Process& process) {
  for (int round = 0; round < 10; ++round) {
    process.startFence();
    if (process.rank() == 0 && round % 3 == 0)
      std::this_thread::sleep_for(20ms);
    while (!process.fenceDone())
      std::this_thread::sleep_for(100us);
  }
  // Nobody is through before the last one has come.
  const std::string key = "arrived";
  if (process.rank() == 0) {
    std::this_thread::sleep_for(300ms);
    process.put(key, bytes("yes"));
    process.commit();
  }
  fence(process);
  CHECK(process.get(0, key) == bytes("yes"));
}

void threads(Process& process) {
  std::vector<std::thread> workers;
  for (int t = 0; t < 4; ++t)
    workers.emplace_back([&, t] {
      for (int i = 0; i < 25; ++i) {
        const std::string key = std::to_string(t) + "." + std::to_string(i);
        process.put(key, bytes(key));
        process.commit();
        CHECK(process.get((process.rank() + 1) % process.size(), key) == bytes(key));
      }
    });
  for (std::thread& worker : workers)
    worker.join();
  fence(process);
}

void watchAll(Process& process, PeerWatch& watch) {
  while (!watch.watchLocalPeers())
    std::this_thread::sleep_for(5ms);
  CHECK(watch.watched() == static_cast<std::size_t>(process.size() - 1));
  CHECK(watch.poll().empty());
}

// A peer that has published nothing must not be waited for.
void watchEarly(Process& process) {
  PeerWatch watch(process);
  if (process.rank() == 0) {
    CHECK(!watch.watchLocalPeers());
    CHECK(watch.watch(1) == PeerWatch::Outcome::notYetKnown);
    fence(process);
  } else {
    fence(process);
  }
  process.commit();
  watchAll(process, watch);
  CHECK(watch.watch(process.rank()) == PeerWatch::Outcome::watching);
  fence(process);
}

// Rank 0 is killed; the others see it, and the job must end by their abort.
void killed(Process& process) {
  process.commit();
  PeerWatch watch(process);
  watchAll(process, watch);
  fence(process);
  if (process.rank() == 0)
    ::raise(SIGKILL);
  while (true) {
    for (const int rank : watch.poll()) {
      CHECK(rank == 0);
      log::error("rank ", rank, " has died");
      Process::abort(9, "a peer has died");
    }
    std::this_thread::sleep_for(2ms);
  }
}

// The last rank dies before it publishes anything: only the launcher knows.
void silentDeath(Process& process) {
  if (process.rank() == process.size() - 1)
    ::raise(SIGKILL);
  process.commit();
  PeerWatch watch(process);
  while (true) {
    watch.watchLocalPeers();
    for (const int rank : watch.poll()) {
      CHECK(rank == process.size() - 1);
      CHECK(watch.watch(rank) == PeerWatch::Outcome::dead);
      CHECK(watch.isDead(rank));
      log::error("rank ", rank, " has died in silence");
      Process::abort(9, "a peer has died");
    }
    std::this_thread::sleep_for(20ms);
  }
}

// Whoever ended well has ended too, as far as the launcher is concerned; who lives has not.
void statesOfTheLiving(Process& process) {
  CHECK(process.endedLocalPeers().empty());
  fence(process);
}

// A child of a rank ends in each way that would run clean-up code.
void forks(Process& process) {
  process.commit();
  for (int way = 0; way < 3; ++way) {
    const pid_t child = ::fork();
    if (child == 0) {
      if (way == 0)
        std::exit(0);
      if (way == 1) {
        process.finish();
        ::_exit(0);
      }
      ::execlp("true", "true", static_cast<char*>(nullptr));
      ::_exit(1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  fence(process);
  CHECK(!process.get((process.rank() + 1) % process.size(), Process::identityKey).empty());
}

void oversubscription(Process& process) {
  const CpuBudget budget = CpuBudget::ofThisProcess();
  const int processors = std::max(budget.allowed, budget.launcherAllowed);
  CHECK(budget.oversubscribed(processors + 1));
  if (!budget.quota) {
    CHECK(!budget.oversubscribed(processors));
  }
  CHECK(budget.oversubscribed(static_cast<int>(process.localPeers().size())) ==
        (process.size() > processors));
}

const std::map<std::string, std::function<void(Process&)>> cases{
    {"facts", facts},
    {"addresses", addresses},
    {"later-keys", laterKeys},
    {"many-fetches", manyFetches},
    {"dropped-fetch", droppedFetch},
    {"timeouts", timeouts},
    {"fences", fences},
    {"threads", threads},
    {"watch-early", watchEarly},
    {"killed", killed},
    {"death-before-start", silentDeath},
    {"silent-death", silentDeath},
    {"states-of-the-living", statesOfTheLiving},
    {"forks", forks},
    {"oversubscription", oversubscription},
    {"nothing", [](Process&) {}},
    {"hang", [](Process&) { sleepForEver(); }},
};

int run(const std::string& name, int argument) {
  if (name == "death-before-start") { // the last rank dies before it joins the job
    const char* rank = std::getenv("PMIX_RANK");
    if (rank != nullptr && std::atoi(rank) == argument)
      ::raise(SIGKILL);
  }
  std::unique_ptr<Process> process = Process::start();
  if (name == "abort") {
    process->commit();
    if (process->rank() == 0)
      Process::abort(argument, "asked for");
    sleepForEver();
  }
  if (name == "again") { // joins the job three times
    for (int round = 0; round < 3; ++round) {
      if (!process)
        process = Process::start();
      process->put("round", bytes(std::to_string(round)));
      process->commit();
      fence(*process);
      CHECK(!process->get((process->rank() + 1) % process->size(), "round").empty());
      fence(*process);
      process->finish();
      process.reset();
    }
    return 0;
  }
  if (name == "exit") { // ends too early, with all destructors
    static std::unique_ptr<Process> kept;
    kept = std::move(process);
    std::exit(0);
  }
  if (name == "leave") { // ends without finish()
    process->commit();
    ::_exit(process->rank() == 0 ? 3 : 0);
  }
  const auto found = cases.find(name);
  if (found == cases.end()) {
    std::printf("NOT OK: there is no case '%s'\n", name.c_str());
    return 2;
  }
  found->second(*process);
  process->finish();
  return 0;
}

} // namespace
} // namespace mpl

int main(int count, char** arguments) {
  const std::string name = count > 1 ? arguments[1] : "";
  try {
    const int status = mpl::run(name, count > 2 ? std::atoi(arguments[2]) : 0);
    if (status == 0)
      std::printf("ok: %s\n", name.c_str());
    return status;
  } catch (const mpl::Error& error) {
    mpl::log::error(error.message());
    return 3;
  }
}
