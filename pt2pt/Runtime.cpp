#include "pt2pt/Runtime.h"

#include "bootstrap/CpuBudget.h"
#include "mpl/Attributes.h"
#include "mpl/Config.h"
#include "mpl/Errhandler.h"
#include "mpl/Info.h"
#include "mpl/Log.h"
#include "pt2pt/Communicator.h"
#include "pt2pt/Engine.h"
#include "pt2pt/PeerAddress.h"
#include "pt2pt/node/NodeChannel.h"

#include <algorithm>
#include <vector>

namespace mpl {

Runtime runtime;

namespace {

using Clock = std::chrono::steady_clock;

// MPI_ERRORS_ABORT is limited to a communicator by the standard where that is possible; a launcher can end
// only the job as a whole, so a group of which this process is the only member is the one case to tell apart.
void abortJob(const AbortRequest& request) {
  Process::abort(request.code, {});
}

PeerAddress ownAddress() {
  return PeerAddress::ofThisProcess(engine.usesSharedMemory(), engine.address(), nodeChannel.key());
}

} // namespace

void Runtime::requireActive() const {
  if (isActive())
    return;
  if (state() == State::before)
    fail(MPI_ERR_OTHER, "MPI is not initialised yet (MPI_Init or MPI_Session_init comes first)");
  fail(MPI_ERR_OTHER, "MPI is finalised already");
}

// Makes this process a member of its job, with an engine, unless it is one already.
void Runtime::join(int threadLevel) {
  const bool threaded = threadLevel == MPI_THREAD_MULTIPLE;
  if (hasLeft_) {
    hasLeft_ = false;
    nodeChannel.tellThatItLeft(false);
    threadLevel_ = threadLevel;
  } else if (!joined_) {
    process_.reset();
    process_ = Process::start();
    log::setRank(process_->rank());
    setThisProcess(process_->rank());
    setAbortHook(abortJob);
    const auto localRanks = static_cast<int>(process_->localPeers().size());
    oversubscribed_ = CpuBudget::ofThisProcess().oversubscribed(localRanks);
    PeerAddress own;
    if (!engine.isRunning()) {
      for (const std::string& complaint : Config::get().complaints())
        if (process_->rank() == 0)
          log::warning(complaint);
      engine.start(threaded, localRanks);
      if (localRanks > 1 && engine.usesSharedMemory() && Config::get().word(Setting::nodeMessages) == "auto")
        nodeChannel.open(process_->rank(), engine.address());
      engine.setIdleTransport(nodeChannel.isOpen() && localRanks == process_->size());
      own = ownAddress();
      endpoints.start(*process_, own);
      registerSharedRequests();
      if (process_->size() > envelope::maxRanks)
        fail(MPI_ERR_OTHER, "a job of ", process_->size(), " processes is larger than the ",
             envelope::maxRanks, " that are supported");
      constexpr std::uint32_t universeContext = 4;
      universe_ = Communicator::create(Group::strided(0, 1, process_->size()), {}, universeContext);
      universe_->setName("the job");
    } else {
      own = ownAddress();
      endpoints.rejoin(*process_);
      nodeChannel.tellThatItLeft(false);
    }
    process_->putAddress(own.encode());
    process_->commit();
    threadLevel_ = threadLevel;
    // The one that sessions have as well (MPI-5.0, section 9.1.2).
    setPredefinedAttribute(MPI_TAG_UB, envelope::maxTag);
    joined_ = true;
    log::debug("rank ", process_->rank(), " of ", process_->size(), ", ", localRanks, " of them on this node",
               oversubscribed_ ? ", which has fewer processors" : "", "; thread level ", threadLevel);
  }
  threadLevel_ = std::max(threadLevel_, threadLevel);
  if (threaded && !engineThreaded) {
    // Nobody is in the library now: until here the program had promised to be in it with one thread only.
    engineThreaded = true;
    Communicator::closeFastPath();
  }
}

void Runtime::start(int threadLevel) {
  const std::lock_guard guard(lifeMutex_);
  join(threadLevel);
  mainThread_ = std::this_thread::get_id();
  makeWorld();
  setAttributes();
  state_.store(State::active, std::memory_order_release);
}

void Runtime::makeWorld() {
  auto world = Communicator::create(Group::strided(0, 1, process_->size()), {}, 0);
  world->setName("MPI_COMM_WORLD");
  world->bindHandle(MPI_COMM_WORLD);
  auto self = Communicator::create(Group::strided(process_->rank(), 1, 1), {}, 2);
  self->setName("MPI_COMM_SELF");
  self->bindHandle(MPI_COMM_SELF);
}

void Runtime::setAttributes() {
  setPredefinedAttribute(MPI_IO, MPI_ANY_SOURCE);
  setPredefinedAttribute(MPI_HOST, MPI_PROC_NULL);
  setPredefinedAttribute(MPI_WTIME_IS_GLOBAL, 0);
  if (const auto universe = process_->universeSize())
    // Launchers count slots, of which there can be fewer than processes.
    setPredefinedAttribute(MPI_UNIVERSE_SIZE, std::max(*universe, process_->size()));
  if (const auto number = process_->appNumber())
    setPredefinedAttribute(MPI_APPNUM, *number);
}

namespace {

Clock::rep watchInterval() {
  const auto setting = Config::get().duration(Setting::watchInterval);
  return std::chrono::duration_cast<Clock::duration>(setting).count();
}

} // namespace

bool Runtime::watchesPeers() const {
  return process_->size() > 1 && watchInterval() != 0;
}

bool Runtime::checkIsDue() {
  const auto now = Clock::now().time_since_epoch().count();
  auto due = nextCheck_.load(std::memory_order_relaxed);
  const auto interval = watchInterval();
  return interval != 0 && now >= due && nextCheck_.compare_exchange_strong(due, now + interval);
}

void Runtime::checkPeers() {
  if (!checkIsDue())
    return;
  EngineLock lock;
  lookAtPeers();
}

void Runtime::checkPeersHeld() {
  if (checkIsDue())
    lookAtPeers();
}

void Runtime::lookAtPeers() {
  endpoints.handleErrors();
  endpoints.giveUpOverdue();
  endpoints.settleSuspects();
  if (process_->size() == 1 || endpoints.isClosing())
    return;
  if (!watch_)
    watch_ = std::make_unique<PeerWatch>(*process_);
  if (!allWatched_)
    allWatched_ = watch_->watchLocalPeers();
  for (int rank : watch_->poll()) {
    if (leftInGoodOrder(rank))
      endpoints.markGone(rank, "has left (MPI_Session_finalize) and ended");
    else
      endpoints.markDead(rank, "has ended without MPI_Finalize");
  }
}

// Without the World Model a process may end while others go on. The launcher knows how it ended, at the
// latest a moment later.
bool Runtime::leftInGoodOrder(int rank) {
  if (const Lane* lane = nodeChannel.find(static_cast<ProcessId>(rank)))
    return lane->hasLeft();
  if (state() == State::active)
    return false;
  constexpr auto patience = std::chrono::seconds(1);
  const auto isIn = [rank](const std::vector<int>& ranks) {
    return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
  };
  for (const Clock::time_point begin = Clock::now(); Clock::now() - begin < patience;) {
    if (isIn(process_->departedLocalPeers()))
      return true;
    if (isIn(process_->endedLocalPeers()))
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

void Runtime::openSession(int threadLevel) {
  const std::lock_guard guard(lifeMutex_);
  join(threadLevel);
  if (sessions_.fetch_add(1) == 0 && state() != State::active)
    mainThread_ = std::this_thread::get_id();
}

} // namespace mpl
