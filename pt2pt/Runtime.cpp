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
#include "pt2pt/Probe.h"
#include "pt2pt/Progress.h"
#include "pt2pt/Receive.h"
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

// Messages of a rank that died after it entered MPI_Finalize hurt nobody; a job whose peers never arrive
// there is given up after this time.
constexpr auto patienceWithTheDead = std::chrono::seconds(2);

PeerAddress ownAddress() {
  return PeerAddress::ofThisProcess(engine.usesSharedMemory(), engine.address(), nodeChannel.key());
}

bool isUnfinished(const Request& request) {
  return request.inTransport && !request.isComplete();
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
  if (!joined_) {
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
        nodeChannel.open(process_->rank());
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
    if (state() != State::active && leftInGoodOrder(rank))
      endpoints.markGone(rank, "has left (MPI_Session_finalize) and ended");
    else
      endpoints.markDead(rank, "has ended without MPI_Finalize");
  }
}

// Without the World Model a process may end while others go on. The launcher knows how it ended, at the
// latest a moment later.
bool Runtime::leftInGoodOrder(int rank) {
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

void Runtime::markEnded() {
  EngineLock lock;
  for (int rank : process_->endedLocalPeers())
    endpoints.markDead(rank, "has ended without MPI_Finalize");
}

void Runtime::findWhoEnded() {
  // The launcher may know that the fence is short of a process before it knows of which.
  const Clock::time_point begin = Clock::now();
  for (;;) {
    markEnded();
    {
      EngineLock lock;
      lookAtPeers();
      if (endpoints.deadCount() != 0 || Clock::now() - begin > patienceWithTheDead)
        return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

void Runtime::waitForFence() {
  process_->startFence();
  Clock::time_point firstDeath{};
  waitUntil([&] {
    drain();
    if (process_->fenceDone())
      return true;
    if (endpoints.deadCount() == 0)
      return false;
    // The launcher may wait for a dead process for ever.
    if (firstDeath == Clock::time_point{})
      firstDeath = Clock::now();
    return Clock::now() - firstDeath > patienceWithTheDead;
  });
}

// Waits, later, for a message that is received into nothing.
void Runtime::discard(Request& request) {
  if (request.isComplete()) {
    requestPool.release(request);
    return;
  }
  ++pendingDiscards_;
  request.owner = this;
  request.onComplete = [](Request& done) { --static_cast<Runtime*>(done.owner)->pendingDiscards_; };
  request.detached = true;
}

void Runtime::drain() {
  // Receiving nothing of a message lets its sender go, who may wait in MPI_Finalize.
  static constexpr envelope::Pattern anyMessage{0, envelope::dataMark};
  if (sessions_.load() != 0)
    return; // messages of sessions are still wanted, and cannot be told from others
  Communicator& self = *communicators->find(MPI_COMM_SELF);
  Matching& matching = nodeChannel.matching();
  while (Arrival* arrival = matching.oldest()) {
    matching.take(*arrival);
    discard(startDiscard(self, *arrival));
    ++drainedMessages_;
  }
  for (;;) {
    TagProbeInfo probed = TagProbeInfo::probe(engine.worker(), anyMessage, true);
    if (!probed.isMatched())
      return;
    discard(startDiscard(self, probed));
    ++drainedMessages_;
  }
}

bool Runtime::isAnythingUnfinished(bool receives) const {
  bool any = pendingDiscards_ != 0;
  requests->forEach([&](const Request& request) {
    any = any || (isUnfinished(request) && (receives || !request.isReceive()));
  });
  return any;
}

bool Runtime::settle() {
  // All are in MPI_Finalize now and drain, so every send ends, and so does every receive that has its
  // message; UCX does not survive being shut down before. What still waits for a message is given up.
  {
    EngineLock lock;
    requests->forEach([&](Request& request) { withdraw(request); });
  }
  const Clock::time_point begin = Clock::now();
  bool settled = false;
  waitUntil([&] {
    drain();
    settled = !isAnythingUnfinished(true);
    return settled || (endpoints.deadCount() != 0 && Clock::now() - begin > patienceWithTheDead);
  });
  return settled;
}

// Matched messages that were never received: one line names them, and their senders may go.
void Runtime::discardHeldMessages() {
  EngineLock lock;
  std::size_t held = 0;
  std::string list;
  messages->forEach([&](Message& message) {
    if (!message.isHeld())
      return;
    const TagRecvInfo info = message.info();
    if (held < 8)
      list +=
          text(held == 0 ? "" : "; ", info.length, " bytes from ", message.comm->describePeer(info.source()),
               ", tag ", info.tag(), " on ", message.comm->label());
    else if (held == 8)
      list += "; ...";
    if (Arrival* arrival = std::exchange(message.arrival, nullptr))
      discard(startDiscard(*message.comm, *arrival));
    else
      discard(startDiscard(*message.comm, message.probed));
    messagePool.putBack(message);
    ++held;
  });
  if (held != 0)
    log::warning("MPI_Finalize: ", held,
                 " matched message(s) were never received (MPI_Mrecv or MPI_Imrecv): ", list);
}

void Runtime::finish() {
  const std::lock_guard guard(lifeMutex_);
  const bool last = sessions_.load() == 0;
  if (last)
    discardHeldMessages();
  if (process_->size() > 1) {
    // Whoever has ended before this process came here has not been through MPI_Finalize.
    markEnded();
    waitForFence();
    if (process_->fenceWasPartial())
      findWhoEnded();
  }
  const bool settled = !last || settle();
  {
    EngineLock lock;
    endpoints.beginClosing();
  }
  if (process_->size() > 1 && endpoints.deadCount() == 0)
    waitForFence();
  if (drainedMessages_ != 0)
    log::info("MPI_Finalize: ", drainedMessages_, " message(s) were never received");

  // Operations with the dead that never end may lie in UCX still.
  const bool orderly = settled && endpoints.deadCount() == 0;
  if (last && ending_ != nullptr)
    ending_(orderly);
  if (last && orderly)
    endpoints.closeAll();
  state_.store(State::finished, std::memory_order_release);
  dropCommunicators();
  if (!last) {
    EngineLock lock;
    endpoints.doubtAll();
    return;
  }
  universe_ = {};
  const auto forget = [](Datatype& type) { type.clearTransportType(); };
  datatypes->forEach(forget);
  datatypes->forEachPredefined(forget);
  if (orderly)
    engine.stop();
  else
    engine.abandon();
  leave();
}

void Runtime::leave() {
  watch_.reset();
  allWatched_ = false;
  process_->finish();
  joined_ = false;
}

void Runtime::openSession(int threadLevel) {
  const std::lock_guard guard(lifeMutex_);
  join(threadLevel);
  if (sessions_.fetch_add(1) == 0 && state() != State::active)
    mainThread_ = std::this_thread::get_id();
}

void Runtime::closeSession() {
  const std::lock_guard guard(lifeMutex_);
  if (sessions_.load() > 1 || state() == State::active) {
    sessions_.fetch_sub(1);
    return;
  }
  // Small messages may still wait for room on the way. A message that nobody receives must not keep this
  // process for ever.
  constexpr auto patience = std::chrono::seconds(5);
  const Clock::time_point begin = Clock::now();
  waitUntil(
      [&] { return engine.flush() && (!isAnythingUnfinished(false) || Clock::now() - begin > patience); });
  sessions_.fetch_sub(1);
  leave();
}

void Runtime::dropCommunicators() noexcept {
  EngineLock lock;
  std::vector<Communicator*> left;
  communicators->forEach([&](Communicator& comm) {
    if (!comm.sessionScope)
      left.push_back(&comm);
  });
  for (Communicator* comm : left)
    comm->dropHandle();
  for (MPI_Comm predefined : {MPI_COMM_SELF, MPI_COMM_WORLD})
    if (Communicator* comm = communicators->find(predefined))
      comm->dropHandle();
}

} // namespace mpl
