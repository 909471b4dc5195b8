#include "pt2pt/Communicator.h"

#include "pt2pt/Engine.h"
#include "pt2pt/Message.h"
#include "pt2pt/Request.h"
#include "pt2pt/Runtime.h"
#include "pt2pt/TagProbeInfo.h"
#include "pt2pt/node/NodeChannel.h"

#include <mutex>

namespace mpl {

constinit Immortal<HandleTable<Communicator, MPI_Comm>> communicators;
void (*Communicator::onDestroy)(std::uint32_t) = nullptr;

namespace {

constinit std::mutex aliveMutex;
constinit Communicator* alive = nullptr;

} // namespace

Communicator::Communicator(Ref<Group> local, Ref<Group> remote, std::uint32_t context)
    : sendBits_(0), messageContext_(0), fastPeerCount_(0),
      peerCount_(remote ? remote->size() : local->size()), rank_(local->rank()),
      routes_(static_cast<std::size_t>(peerCount_)), transportSources_(0), localSize_(local->size()),
      context_(context), local_(std::move(local)), remote_(std::move(remote)),
      errhandler_(Ref<Errhandler>(Errhandler::fatal())) {
  setContext(context);
  fastPeerCount_ = engineThreaded || endpoints.deadCount() != 0 ? 0 : static_cast<unsigned>(peerCount_);
  transportSources_ = nodeChannel.isOpen() ? 0 : fastPeerCount_;
  const std::lock_guard guard(aliveMutex);
  after_ = alive;
  if (alive != nullptr)
    alive->before_ = this;
  alive = this;
}

template <class Visit> void Communicator::forEach(Visit&& visit) {
  const std::lock_guard guard(aliveMutex);
  for (Communicator* comm = alive; comm != nullptr; comm = comm->after_)
    visit(*comm);
}

void Communicator::closeFastPath() noexcept {
  forEach([](Communicator& comm) { comm.fastPeerCount_ = comm.transportSources_ = 0; });
}

void Communicator::forgetRoutes(ProcessId process) {
  forEach([process](Communicator& comm) { comm.forgetRoute(process); });
}

Communicator::~Communicator() {
  {
    const std::lock_guard guard(aliveMutex);
    (before_ != nullptr ? before_->after_ : alive) = after_;
    if (after_ != nullptr)
      after_->before_ = before_;
  }
  if (onDestroy != nullptr)
    onDestroy(context_);
}

Ref<Communicator> Communicator::create(Ref<Group> local, Ref<Group> remote, std::uint32_t context) {
  return Ref<Communicator>(new Communicator(std::move(local), std::move(remote), context));
}

Route Communicator::connect(int rank) {
  const Route route = endpoints.connect(peerGroup().process(rank));
  return routes_[static_cast<std::size_t>(rank)] = route;
}

Route Communicator::askForSource(int rank) {
  const Route route = endpoints.source(peerGroup().process(rank));
  return routes_[static_cast<std::size_t>(rank)] = route;
}

bool Communicator::findOnlyLanes() {
  for (int rank = 0; rank < peerCount_; ++rank) {
    if (knownRoute(rank).isLane())
      continue;
    const ProcessId process = peerGroup().process(rank);
    if (!endpoints.isLocal(process)) {
      sources_ = Sources::mixed;
      return false;
    }
    if (!sourceRoute(rank).isLane())
      return false;
  }
  sources_ = Sources::lanes;
  return true;
}

void Communicator::forgetRoute(ProcessId process) {
  const int rank = peerGroup().rankOf(process);
  if (rank == MPI_UNDEFINED)
    return;
  if (knownRoute(rank).isKnown())
    routes_[static_cast<std::size_t>(rank)] = {};
  sources_ = Sources::unknown;
}

MPI_Comm Communicator::giveHandle() {
  retain();
  handle_ = communicators->insert(this);
  return handle_;
}

void Communicator::bindHandle(MPI_Comm predefined) {
  retain();
  handle_ = predefined;
  communicators->setPredefined(predefined, this);
}

bool Communicator::isBusy() const {
  bool busy = false;
  requests->forEach([&](const Request& request) {
    busy = busy || (request.comm == this && request.isActive() && !request.isComplete());
  });
  return busy;
}

void Communicator::dropHandle() noexcept {
  // Operations on the fast path do not count themselves; those under way do so now.
  requests->forEach([this](Request& request) {
    if (request.comm == this && request.active && !request.holdsComm) {
      request.holdsComm = true;
      retain();
    }
  });
  messages->forEach([this](Message& message) {
    if (message.isHeld() && message.comm == this && !message.holdsComm) {
      message.holdsComm = true;
      retain();
    }
  });
  communicators->erase(handle_);
  handle_ = MPI_COMM_NULL;
  release();
}

std::string Communicator::label() const {
  if (std::string own = name(); !own.empty())
    return own;
  return text("a communicator of ", localSize_, isInter() ? " and " : " ranks",
              isInter() ? text(peerCount_, " ranks") : std::string());
}

std::string Communicator::describePeer(int rank) const {
  if (rank == MPI_ANY_SOURCE)
    return "any rank";
  if (rank < 0 || rank >= peerCount_)
    return text("rank ", rank);
  const ProcessId process = peerGroup().process(rank);
  return process == rank ? text("rank ", rank) : text("rank ", rank, " (", process, " in MPI_COMM_WORLD)");
}

std::optional<int> Communicator::deadPeer(int rank) const noexcept {
  if (endpoints.deadCount() == 0) [[likely]]
    return std::nullopt;
  if (rank != MPI_ANY_SOURCE)
    return endpoints.isDead(peerGroup().process(rank)) ? std::optional(rank) : std::nullopt;
  std::optional<int> gone;
  bool othersLive = false;
  for (int peer = 0; peer < peerCount_; ++peer) {
    const ProcessId process = peerGroup().process(peer);
    if (endpoints.hasDied(process))
      return peer;
    if (endpoints.isDead(process))
      gone = peer;
    else
      othersLive = othersLive || isInter() || peer != rank_;
  }
  return othersLive ? std::nullopt : gone;
}

void Communicator::failDead(int rank) const {
  fail(MPI_ERR_PROC_ABORTED, describePeer(rank), " on ", label(), " ",
       endpoints.causeOfDeath(peerGroup().process(rank)));
}

void Communicator::checkAlive(int rank) const {
  if (const std::optional<int> dead = deadPeer(rank)) [[unlikely]]
    failDead(*dead);
}

void Communicator::checkSource(std::uint64_t contextBits, int source, int tag) const {
  const std::optional<int> dead = deadPeer(source);
  if (!dead)
    return;
  const envelope::Pattern wanted = envelope::pattern(contextBits, source, tag);
  std::optional<int> sender;
  if (nodeChannel.isOpen())
    if (const Arrival* arrival = nodeChannel.matching().find(wanted))
      sender = envelope::source(arrival->envelope());
  if (!sender)
    if (const TagProbeInfo probed = TagProbeInfo::probe(engine.worker(), wanted, false); probed.isMatched())
      sender = probed.getInfo().source();
  if (!sender)
    failDead(*dead);
  if (const ProcessId process = peerGroup().process(*sender); endpoints.isDead(process))
    endpoints.expectEnd(process);
}

void Communicator::checkNotDied(int rank) const {
  if (endpoints.deadCount() == 0) [[likely]]
    return;
  const int first = rank == MPI_ANY_SOURCE ? 0 : rank;
  const int last = rank == MPI_ANY_SOURCE ? peerCount_ - 1 : rank;
  for (int peer = first; peer <= last; ++peer)
    if (endpoints.hasDied(peerGroup().process(peer)))
      failDead(peer);
}

void failBadComm(MPI_Comm handle) {
  runtime.requireActive();
  if (handle == MPI_COMM_NULL)
    fail(MPI_ERR_COMM, "the communicator is MPI_COMM_NULL");
  if ((handle == MPI_COMM_WORLD || handle == MPI_COMM_SELF) && runtime.state() != Runtime::State::active)
    fail(MPI_ERR_COMM, handle == MPI_COMM_WORLD ? "MPI_COMM_WORLD" : "MPI_COMM_SELF",
         " is there between MPI_Init and MPI_Finalize only");
  fail(MPI_ERR_COMM, "the communicator handle ", static_cast<const void*>(handle),
       " is not valid (was the communicator freed?)");
}

} // namespace mpl
