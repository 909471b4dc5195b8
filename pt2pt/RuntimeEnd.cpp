// How the library comes to its end: MPI_Finalize and the last MPI_Session_finalize.
#include "mpl/Log.h"
#include "pt2pt/Communicator.h"
#include "pt2pt/Engine.h"
#include "pt2pt/Probe.h"
#include "pt2pt/Progress.h"
#include "pt2pt/Receive.h"
#include "pt2pt/Runtime.h"
#include "pt2pt/node/NodeChannel.h"

#include <vector>

namespace mpl {

namespace {

using Clock = std::chrono::steady_clock;

// Messages of a rank that died after it entered MPI_Finalize hurt nobody; a job whose peers never arrive
// there is given up after this time.
constexpr auto patienceWithTheDead = std::chrono::seconds(2);

bool isUnfinished(const Request& request) {
  return request.inTransport && !request.isComplete();
}

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

void Runtime::closeSession() {
  const std::lock_guard guard(lifeMutex_);
  if (sessions_.load() > 1 || state() == State::active) {
    sessions_.fetch_sub(1);
    return;
  }
  // Small messages may still wait for room on the way, others for a receive, however late: one whose request
  // was freed has nobody else to wait for it.
  constexpr auto patience = std::chrono::seconds(5);
  const Clock::time_point begin = Clock::now();
  bool said = false;
  waitUntil([&] {
    if (engine.flush() && !isAnythingUnfinished(false))
      return true;
    if (!said && Clock::now() - begin > patience) {
      sayWhatIsWaitedFor();
      said = true;
    }
    return false;
  });
  sessions_.fetch_sub(1);
  leave();
}

void Runtime::sayWhatIsWaitedFor() const {
  requests->forEach([&](const Request& request) {
    if (isUnfinished(request) && !request.isReceive() && request.comm != nullptr)
      log::warning("MPI_Session_finalize waits until a message to ",
                   request.comm->describePeer(request.peerRank()), ", tag ", request.messageTag(), " on ",
                   request.comm->label(), ", is received");
  });
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
