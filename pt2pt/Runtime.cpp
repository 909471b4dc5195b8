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

} // namespace

void Runtime::requireActive() const {
  switch (state()) {
  case State::before:
    fail(MPI_ERR_OTHER, "MPI is not initialised yet (MPI_Init comes first)");
  case State::finished:
    fail(MPI_ERR_OTHER, "MPI is finalised already");
  case State::active:
    break;
  }
}

void Runtime::start(int threadLevel) {
  process_ = Process::start();
  threadLevel_ = threadLevel;
  mainThread_ = std::this_thread::get_id();
  log::setRank(process_->rank());
  for (const std::string& complaint : Config::get().complaints())
    if (process_->rank() == 0)
      log::warning(complaint);
  setThisProcess(process_->rank());
  setAbortHook(abortJob);

  engine.start(threadLevel == MPI_THREAD_MULTIPLE, static_cast<int>(process_->localPeers().size()));
  const PeerAddress address = PeerAddress::ofThisProcess(engine.usesSharedMemory(), engine.address());
  endpoints.start(*process_, address);
  process_->putAddress(address.encode());
  process_->commit();

  oversubscribed_ =
      CpuBudget::ofThisProcess().oversubscribed(static_cast<int>(process_->localPeers().size()));
  registerSharedRequests();
  makeWorld();
  setAttributes();
  state_.store(State::active, std::memory_order_release);
}

void Runtime::makeWorld() {
  const int size = process_->size();
  if (size > envelope::maxRanks)
    fail(MPI_ERR_OTHER, "a job of ", size, " processes is larger than the ", envelope::maxRanks,
         " that are supported");
  auto world = Communicator::create(Group::strided(0, 1, size), {}, 0);
  world->setName("MPI_COMM_WORLD");
  world->bindHandle(MPI_COMM_WORLD);
  auto self = Communicator::create(Group::strided(process_->rank(), 1, 1), {}, 2);
  self->setName("MPI_COMM_SELF");
  self->bindHandle(MPI_COMM_SELF);
}

void Runtime::setAttributes() {
  setPredefinedAttribute(MPI_TAG_UB, envelope::maxTag);
  setPredefinedAttribute(MPI_IO, MPI_ANY_SOURCE);
  setPredefinedAttribute(MPI_HOST, MPI_PROC_NULL);
  setPredefinedAttribute(MPI_WTIME_IS_GLOBAL, 0);
  if (const auto universe = process_->universeSize())
    // Launchers count slots, of which there can be fewer than processes.
    setPredefinedAttribute(MPI_UNIVERSE_SIZE, std::max(*universe, process_->size()));
  if (const auto number = process_->appNumber())
    setPredefinedAttribute(MPI_APPNUM, *number);
}

bool Runtime::checkIsDue() {
  const auto now = Clock::now().time_since_epoch().count();
  auto due = nextCheck_.load(std::memory_order_relaxed);
  const auto interval =
      std::chrono::duration_cast<Clock::duration>(Config::get().duration(Setting::watchInterval)).count();
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
  if (process_->size() == 1 || endpoints.isClosing())
    return;
  if (!watch_)
    watch_ = std::make_unique<PeerWatch>(*process_);
  if (!allWatched_)
    allWatched_ = watch_->watchLocalPeers();
  for (int rank : watch_->poll())
    endpoints.markDead(rank, "has ended without MPI_Finalize");
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

void Runtime::discard(Communicator& comm, TagProbeInfo& probed) {
  Request& request = startDiscard(comm, probed);
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
  static constexpr envelope::Pattern anything{0, 0};
  for (;;) {
    TagProbeInfo probed = TagProbeInfo::probe(engine.worker(), anything, true);
    if (!probed.isMatched())
      return;
    discard(*communicators->find(MPI_COMM_SELF), probed);
    ++drainedMessages_;
  }
}

bool Runtime::settle() {
  // All are in MPI_Finalize now and drain, so every send ends, and so does every receive that has its
  // message; UCX does not survive being shut down before. What still waits for a message is given up.
  const auto isUnfinished = [](const Request& request) {
    return request.inTransport && !request.isComplete();
  };
  const auto unfinished = [&] {
    bool any = pendingDiscards_ != 0;
    requests->forEach([&](const Request& request) { any = any || isUnfinished(request); });
    return any;
  };
  {
    EngineLock lock;
    requests->forEach([&](Request& request) {
      if (request.isReceive() && isUnfinished(request))
        ucp_request_cancel(engine.worker(), &request);
    });
  }
  const Clock::time_point begin = Clock::now();
  bool settled = false;
  waitUntil([&] {
    drain();
    settled = !unfinished();
    return settled || (endpoints.deadCount() != 0 && Clock::now() - begin > patienceWithTheDead);
  });
  return settled;
}

void Runtime::finish() {
  // Matched messages that were never received: one line names them, and their senders may go.
  {
    EngineLock lock;
    std::size_t held = 0;
    std::string list;
    messages->forEach([&](Message& message) {
      if (!message.isHeld())
        return;
      const TagRecvInfo& info = message.probed.getInfo();
      if (held < 8)
        list += text(held == 0 ? "" : "; ", info.length, " bytes from ",
                     message.comm->describePeer(info.source()), ", tag ", info.tag(), " on ",
                     message.comm->label());
      else if (held == 8)
        list += "; ...";
      discard(*message.comm, message.probed);
      messagePool.putBack(message);
      ++held;
    });
    if (held != 0)
      log::warning("MPI_Finalize: ", held,
                   " matched message(s) were never received (MPI_Mrecv or MPI_Imrecv): ", list);
  }

  if (process_->size() > 1) {
    // Whoever has ended before this process came here has not been through MPI_Finalize.
    markEnded();
    waitForFence();
    if (process_->fenceWasPartial())
      findWhoEnded();
  }
  const bool settled = settle();
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
  if (ending_ != nullptr)
    ending_(orderly);
  if (orderly)
    endpoints.closeAll();
  state_.store(State::finished, std::memory_order_release);
  dropCommunicators();
  const auto forget = [](Datatype& type) { type.clearTransportType(); };
  datatypes->forEach(forget);
  datatypes->forEachPredefined(forget);
  if (orderly)
    engine.stop();
  else
    engine.abandon();
  watch_.reset();
  process_->finish();
}

void Runtime::dropCommunicators() noexcept {
  EngineLock lock;
  std::vector<Communicator*> left;
  communicators->forEach([&](Communicator& comm) { left.push_back(&comm); });
  for (Communicator* comm : left)
    comm->dropHandle();
  for (MPI_Comm predefined : {MPI_COMM_SELF, MPI_COMM_WORLD})
    if (Communicator* comm = communicators->find(predefined))
      comm->dropHandle();
}

} // namespace mpl
