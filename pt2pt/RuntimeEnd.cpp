// How the library comes to its end: MPI_Finalize and the last MPI_Session_finalize.
#include "mpl/Log.h"
#include "pt2pt/Communicator.h"
#include "pt2pt/Engine.h"
#include "pt2pt/Probe.h"
#include "pt2pt/Progress.h"
#include "pt2pt/Receive.h"
#include "pt2pt/Runtime.h"
#include "pt2pt/node/NodeChannel.h"

#include <cstdlib>
#include <vector>

namespace mpl {

namespace {

using Clock = std::chrono::steady_clock;

// Messages of a rank that died after it entered MPI_Finalize hurt nobody; a job whose peers never arrive
// there is given up after this time.
constexpr auto patienceWithTheDead = std::chrono::seconds(2);

} // namespace

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

// What belongs to the World Model, which MPI_Finalize ends. The library's own messages go on, and sessions'
// do.
bool Runtime::isOfWorld(const Communicator& comm) const noexcept {
  return !comm.sessionScope && &comm != universe_.get();
}

std::vector<envelope::Pattern> Runtime::unwantedMessages() const {
  std::vector<envelope::Pattern> unwanted;
  if (sessions_.load() != 0) {
    const auto add = [&](const Communicator& comm) {
      if (isOfWorld(comm))
        unwanted.push_back(envelope::pattern(comm.messageContext(), MPI_ANY_SOURCE, MPI_ANY_TAG));
    };
    communicators->forEach(add);
    for (MPI_Comm predefined : {MPI_COMM_WORLD, MPI_COMM_SELF})
      add(*communicators->find(predefined));
    return unwanted;
  }
  // Of all communicators, those too that were freed here, but for the library's own: who opens a session now
  // may ask this process for what it answers in one of its own later. Such a context differs in some bit.
  const std::uint64_t own = universe_->messageContext();
  constexpr std::uint64_t end = envelope::contextPart(envelope::derivedContexts);
  for (std::uint64_t bit = envelope::contextPart(2); bit != end; bit <<= 1)
    unwanted.push_back({~own & bit, envelope::dataMark | bit});
  return unwanted;
}

void Runtime::drain() {
  // Receiving nothing of a message lets its sender go, who may wait in MPI_Finalize.
  for (const envelope::Pattern& unwanted : unwantedMessages()) {
    while (Arrival* arrival = nodeChannel.matching().find(unwanted)) {
      nodeChannel.matching().take(*arrival);
      discard(startDiscard(*universe_, *arrival));
      ++drainedMessages_;
    }
    for (;;) {
      TagProbeInfo probed = TagProbeInfo::probe(engine.worker(), unwanted, true);
      if (!probed.isMatched())
        break;
      discard(startDiscard(*universe_, probed));
      ++drainedMessages_;
    }
  }
}

// The sends and receives that are under way on a communicator. A request that is not may name one that is
// gone: it is left by what went the fast path.
template <class Visit> static void forEachUnderWay(Visit&& visit) {
  requests->forEach([&](Request& request) {
    if (request.inTransport && !request.isComplete() && request.comm != nullptr)
      visit(request);
  });
}

template <class Choose> bool Runtime::isUnfinished(Choose&& choose) const {
  bool any = false;
  forEachUnderWay([&](const Request& request) { any = any || choose(request); });
  return any;
}

void Runtime::settle() {
  // All are in MPI_Finalize now and drain, so every send ends, and so does every receive that has its
  // message. What still waits for a message is given up.
  {
    EngineLock lock;
    forEachUnderWay([this](Request& request) {
      if (isOfWorld(*request.comm))
        withdraw(request);
    });
  }
  const Clock::time_point begin = Clock::now();
  waitUntil([&] {
    drain();
    const auto isEnding = [this](const Request& request) { return isOfWorld(*request.comm); };
    return (pendingDiscards_ == 0 && !isUnfinished(isEnding)) ||
           (endpoints.deadCount() != 0 && Clock::now() - begin > patienceWithTheDead);
  });
}

// Matched messages that were never received: one line names them, and their senders may go.
void Runtime::discardHeldMessages() {
  EngineLock lock;
  std::size_t held = 0;
  std::string list;
  messages->forEach([&](Message& message) {
    if (!message.isHeld() || !isOfWorld(*message.comm))
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
  discardHeldMessages();
  if (process_->size() > 1) {
    // Whoever has ended before this process came here has not been through MPI_Finalize.
    markEnded();
    waitForFence();
    if (process_->fenceWasPartial())
      findWhoEnded();
  }
  settle();
  {
    EngineLock lock;
    endpoints.beginClosing();
  }
  if (process_->size() > 1 && endpoints.deadCount() == 0)
    waitForFence();
  if (drainedMessages_ != 0)
    log::info("MPI_Finalize: ", drainedMessages_, " message(s) were never received");
  if (last && ending_ != nullptr)
    ending_();
  state_.store(State::finished, std::memory_order_release);
  dropCommunicators();
  {
    EngineLock lock;
    endpoints.endClosing();
  }
  if (!last)
    return;
  waitForRest("MPI_Finalize");
  nodeChannel.tellThatItLeft(true);
  watch_.reset();
  allWatched_ = false;
  process_->finish();
  joined_ = false;
}

void Runtime::closeSession() {
  const std::lock_guard guard(lifeMutex_);
  if (sessions_.load() == 1 && state() != State::active) {
    waitForRest("MPI_Session_finalize");
    nodeChannel.tellThatItLeft(true);
    // Sessions may be opened again, and PMIx (4.2) tells a client that comes anew nothing about the others.
    hasLeft_ = true;
    static const int registered = std::atexit([] {
      if (runtime.hasLeft_)
        runtime.process_->finish();
    });
    static_cast<void>(registered);
  }
  sessions_.fetch_sub(1);
}

void Runtime::waitForRest(const char* function) {
  // Small messages may still wait for room on the way, others for a receive, however late: one whose request
  // was freed has nobody else to wait for it, nor has a receive.
  constexpr auto patience = std::chrono::seconds(5);
  const Clock::time_point begin = Clock::now();
  bool flushed = false;
  bool said = false;
  // What was the World Model's has been settled, or given up.
  const auto isWaitedFor = [](const Request& request) {
    return request.comm->sessionScope != nullptr && (!request.isReceive() || request.detached);
  };
  waitUntil([&] {
    const Clock::duration taken = Clock::now() - begin;
    // What is for the dead never gets there.
    flushed = flushed || engine.flush() || (endpoints.deadCount() != 0 && taken > patienceWithTheDead);
    if (flushed && !isUnfinished(isWaitedFor))
      return true;
    if (!said && taken > patience) {
      said = true;
      forEachUnderWay([&](const Request& request) {
        if (isWaitedFor(request))
          log::warning(function, " waits until a message ", request.isReceive() ? "from " : "to ",
                       request.comm->describePeer(request.peerRank()), ", tag ", request.messageTag(), " on ",
                       request.comm->label(), ", is received");
      });
    }
    return false;
  });
}

void Runtime::dropCommunicators() noexcept {
  EngineLock lock;
  std::vector<Communicator*> left;
  communicators->forEach([&](Communicator& comm) {
    if (isOfWorld(comm))
      left.push_back(&comm);
  });
  for (Communicator* comm : left)
    comm->dropHandle();
  for (MPI_Comm predefined : {MPI_COMM_SELF, MPI_COMM_WORLD})
    if (Communicator* comm = communicators->find(predefined))
      comm->dropHandle();
}

} // namespace mpl
