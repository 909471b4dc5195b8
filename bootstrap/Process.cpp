#include "bootstrap/Process.h"

#include "bootstrap/Launcher.h"
#include "bootstrap/LauncherDiagnosis.h"
#include "bootstrap/PmixServer.h"
#include "bootstrap/ProcessIdentity.h"
#include "mpl/Config.h"
#include "mpl/Error.h"
#include "mpl/Log.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <thread>
#include <unistd.h>

namespace mpl {

namespace {

/// What abort() may look at in any state: the process that joined a job with a server, or 0.
std::atomic<pid_t> joinedPid{0};
std::atomic<bool> exists{false};
std::atomic<int> abortRank{-1};
std::array<char, 256> abortHost{};

std::string currentHostName() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0')
    return "unknown-host";
  return name.data();
}

/// A launcher that ends with status 0 whatever happens does so after PMIx_Abort too. Ended by SIGTERM it ends
/// the job as well, and its status tells. Returns whether there is no launcher any more.
bool endUnforgivingly() {
  if (!Launcher::forgivesEverything())
    return false;
  const Launcher launcher = Launcher::find();
  if (launcher.pid <= 1)
    return false;
  std::this_thread::sleep_for(
      std::chrono::milliseconds(500)); // what was written is still on its way through it
  // It ends its processes; but when several of them send it a signal, it leaves at once and forgets the rest.
  const pid_t parent = ::getppid();
  for (int round = 0; round < 300; ++round) {
    if (::kill(launcher.pid, round == 0 ? SIGTERM : 0) != 0)
      return errno == ESRCH;
    if (::getppid() != parent) // it has ended, and whoever started it has not looked yet
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

void checkKey(std::string_view key) {
  if (key.empty() || key.size() > 64)
    fail(MPI_ERR_INTERN, "key '", key, "' has ", key.size(), " characters: 1 to 64 are possible");
}

} // namespace

struct Process::Server {
  pid_t owner = ::getpid();
  std::unique_ptr<PmixServer> pmix; ///< null when alone, and after finish()
  std::map<std::string, Bytes, std::less<>> board;
  std::mutex mutex; ///< guards all below and board
  std::optional<std::vector<int>> localPeers;
  std::shared_ptr<PmixServer::Pending> fence;
  bool fenceStarted = false;
  bool fenceWasPartial = false;
  bool finished = false;

  /// Whether there is a server to be asked.
  bool remote() const {
    if (::getpid() != owner)
      fail(MPI_ERR_OTHER, "a process made by fork() is no member of the job of its parent");
    if (finished)
      fail(MPI_ERR_OTHER, "the process has left its job");
    return pmix != nullptr;
  }
};

struct Process::Fetch::State {
  std::shared_ptr<PmixServer::Pending> pending; ///< null: alone, the value is here
  Bytes value;
};

bool Process::Fetch::done() const {
  return state_->pending == nullptr || state_->pending->done();
}

Bytes Process::Fetch::take() {
  if (state_->pending != nullptr)
    return state_->pending->take();
  return std::move(state_->value);
}

Process::Process() : server_(std::make_unique<Server>()) {}

std::unique_ptr<Process> Process::start() {
  if (exists.exchange(true))
    fail(MPI_ERR_INTERN, "the process has joined its job already");
  std::unique_ptr<Process> process(new Process);
  const LauncherDiagnosis diagnosis(LauncherDiagnosis::currentEnvironment());
  const bool forced = Config::get().flag(Setting::singleton);
  if (!forced && diagnosis.verdict() == LauncherDiagnosis::Verdict::unspeakable)
    fail(MPI_ERR_OTHER, diagnosis.message());
  process->hostName_ = currentHostName();
  const ProcessIdentity identity = ProcessIdentity::ofThisProcess();
  if (!forced && diagnosis.verdict() == LauncherDiagnosis::Verdict::pmixClient) {
    process->server_->pmix = std::make_unique<PmixServer>();
    const PmixServer& pmix = *process->server_->pmix;
    process->singleton_ = false;
    process->rank_ = pmix.rank();
    process->size_ = pmix.jobSize();
    process->jobId_ = pmix.jobId();
    joinedPid.store(::getpid());
  } else {
    process->jobId_ = text("singleton.", process->hostName_, ".", identity.pid, ".", identity.startTime);
  }
  log::setRank(process->rank_);
  process->hostName_.copy(abortHost.data(), abortHost.size() - 1);
  abortRank.store(process->rank_, std::memory_order_release);
  process->put(identityKey, identity.encode());
  return process;
}

Process::~Process() {
  joinedPid.store(0);
  exists.store(false);
}

void Process::finish() noexcept {
  if (::getpid() != server_->owner)
    return;
  const std::lock_guard lock(server_->mutex);
  if (server_->finished)
    return;
  server_->finished = true;
  joinedPid.store(0);
  if (server_->pmix != nullptr)
    server_->pmix->finish();
}

int Process::localRank() {
  const std::vector<int>& peers = localPeers();
  return static_cast<int>(std::lower_bound(peers.begin(), peers.end(), rank_) - peers.begin());
}

const std::vector<int>& Process::localPeers() {
  const std::lock_guard lock(server_->mutex);
  if (!server_->localPeers) {
    std::vector<int> peers;
    if (server_->remote())
      peers = server_->pmix->localPeers();
    if (!std::binary_search(peers.begin(), peers.end(), rank_))
      peers.insert(std::lower_bound(peers.begin(), peers.end(), rank_), rank_);
    server_->localPeers = std::move(peers);
  }
  return *server_->localPeers;
}

bool Process::isLocal(int rank) {
  const std::vector<int>& peers = localPeers();
  return std::binary_search(peers.begin(), peers.end(), rank);
}

std::optional<int> Process::nodeCount() {
  const std::lock_guard lock(server_->mutex);
  return server_->remote() ? server_->pmix->nodeCount() : 1;
}

std::optional<int> Process::universeSize() {
  const std::lock_guard lock(server_->mutex);
  return server_->remote() ? server_->pmix->universeSize() : std::nullopt;
}

std::optional<int> Process::appNumber() {
  const std::lock_guard lock(server_->mutex);
  return server_->remote() ? server_->pmix->appNumber() : std::nullopt;
}

std::vector<int> Process::endedLocalPeers() {
  const std::lock_guard lock(server_->mutex);
  return server_->remote() ? server_->pmix->endedLocalPeers() : std::vector<int>();
}

void Process::put(std::string_view key, std::span<const std::byte> value) {
  checkKey(key);
  if (value.size() > 64 * 1024) // a value of 5 MB has crashed a launcher's server
    fail(MPI_ERR_INTERN, "value of ", value.size(), " bytes under key ", key, ": at most 65536 are possible");
  const std::lock_guard lock(server_->mutex);
  if (server_->remote())
    server_->pmix->put(key, value);
  else
    server_->board.insert_or_assign(std::string(key), Bytes(value.begin(), value.end()));
}

void Process::commit() {
  const std::lock_guard lock(server_->mutex);
  if (server_->remote())
    server_->pmix->commit();
}

Process::Fetch Process::startFetch(int rank, std::string_view key, std::chrono::milliseconds timeout) {
  checkKey(key);
  if (rank < 0 || rank >= size_)
    fail(MPI_ERR_RANK, "rank ", rank, " is not in the job of ", size_, " processes");
  Fetch fetch;
  fetch.state_ = std::make_shared<Fetch::State>();
  const std::lock_guard lock(server_->mutex);
  if (server_->remote()) {
    fetch.state_->pending = server_->pmix->startGet(rank, key, timeout);
    return fetch;
  }
  const auto found = server_->board.find(key);
  if (found == server_->board.end())
    fail(MPI_ERR_OTHER, "rank ", rank, " has published nothing under ", key,
         ", and no one else is there to do so");
  fetch.state_->value = found->second;
  return fetch;
}

Bytes Process::get(int rank, std::string_view key, std::chrono::milliseconds timeout) {
  return startFetch(rank, key, timeout).take();
}

std::optional<Bytes> Process::tryGet(int rank, std::string_view key) {
  checkKey(key);
  if (rank < 0 || rank >= size_)
    fail(MPI_ERR_RANK, "rank ", rank, " is not in the job of ", size_, " processes");
  const std::lock_guard lock(server_->mutex);
  if (server_->remote())
    return server_->pmix->getIfThere(rank, key);
  const auto found = server_->board.find(key);
  return found == server_->board.end() ? std::nullopt : std::optional(found->second);
}

std::chrono::milliseconds Process::defaultTimeout() {
  return Config::get().duration(Setting::connectTimeout);
}

void Process::startFence() {
  const std::lock_guard lock(server_->mutex);
  if (server_->fenceStarted)
    fail(MPI_ERR_INTERN, "a fence is running already");
  if (server_->remote())
    server_->fence = server_->pmix->startFence();
  server_->fenceStarted = true;
}

bool Process::fenceDone() {
  const std::lock_guard lock(server_->mutex);
  if (!server_->fenceStarted)
    fail(MPI_ERR_INTERN, "no fence is running");
  if (server_->fence != nullptr) {
    if (!server_->fence->done())
      return false;
    const auto fence = std::move(server_->fence);
    server_->fenceStarted = false;
    server_->fenceWasPartial = !fence->take().empty();
  }
  server_->fenceStarted = false;
  return true;
}

bool Process::fenceWasPartial() {
  const std::lock_guard lock(server_->mutex);
  return server_->fenceWasPartial;
}

int Process::exitStatus(int code) noexcept {
  const int low = static_cast<int>(static_cast<unsigned>(code) & 0xffU);
  return low == 0 ? 1 : low;
}

void Process::abort(int code, std::string_view message) noexcept {
  static std::atomic_flag entered = ATOMIC_FLAG_INIT;
  // The first thread that aborts speaks for the process; others wait for its _exit.
  if (entered.test_and_set())
    while (true)
      ::pause();
  const int status = exitStatus(code);
  // Should the server not answer, the process ends by this signal.
  struct sigaction ending {};
  ending.sa_handler = SIG_DFL;
  ::sigaction(SIGALRM, &ending, nullptr);
  sigset_t alarmOnly;
  sigemptyset(&alarmOnly);
  sigaddset(&alarmOnly, SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &alarmOnly, nullptr);
  ::alarm(10);
  // The program's own output first, unless another thread holds it.
  if (::ftrylockfile(stdout) == 0) {
    std::fflush(stdout);
    ::funlockfile(stdout);
  }
  const int rank = abortRank.load(std::memory_order_acquire);
  log::SignalSafeLine line;
  if (rank >= 0)
    line.add("rank ").add(rank).add(" on host ").add(abortHost.data());
  else
    line.add("process ").add(static_cast<long long>(::getpid()));
  line.add(" aborts the job with code ").add(code);
  if (status != code)
    line.add(" (exit status ").add(status).add(")");
  if (!message.empty())
    line.add(": ").add(message);
  line.write();
  if (joinedPid.load() == ::getpid()) {
    bool alone = false;
    try {
      alone = endUnforgivingly();
    } catch (...) { // no memory
    }
    if (!alone)
      PmixServer::abortJob(status);
  }
  ::_exit(status);
}

} // namespace mpl
