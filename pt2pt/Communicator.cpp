#include "pt2pt/Communicator.h"

#include "pt2pt/Engine.h"
#include "pt2pt/Message.h"
#include "pt2pt/Request.h"
#include "pt2pt/Runtime.h"

namespace mpl {

constinit Immortal<HandleTable<Communicator, MPI_Comm>> communicators;
void (*Communicator::onDestroy)(std::uint32_t) = nullptr;

Communicator::Communicator(Ref<Group> local, Ref<Group> remote, std::uint32_t context)
    : sendBits_(0), messageContext_(0), fastPeerCount_(0),
      peerCount_(remote ? remote->size() : local->size()), rank_(local->rank()),
      endpoints_(static_cast<std::size_t>(peerCount_)), localSize_(local->size()), context_(context),
      local_(std::move(local)), remote_(std::move(remote)),
      errhandler_(Ref<Errhandler>(Errhandler::fatal())) {
  setContext(context);
  fastPeerCount_ = engineThreaded || endpoints.deadCount() != 0 ? 0 : static_cast<unsigned>(peerCount_);
}

void Communicator::closeFastPath() noexcept {
  communicators->forEach([](Communicator& comm) { comm.fastPeerCount_ = 0; });
  for (MPI_Comm predefined : {MPI_COMM_WORLD, MPI_COMM_SELF})
    if (Communicator* comm = communicators->find(predefined))
      comm->fastPeerCount_ = 0;
}

Communicator::~Communicator() {
  if (onDestroy != nullptr)
    onDestroy(context_);
}

Ref<Communicator> Communicator::create(Ref<Group> local, Ref<Group> remote, std::uint32_t context) {
  return Ref<Communicator>(new Communicator(std::move(local), std::move(remote), context));
}

ucp_ep_h Communicator::connect(int rank) {
  ucp_ep_h endpoint = endpoints.connect(peerGroup().process(rank));
  endpoints_[static_cast<std::size_t>(rank)] = endpoint;
  return endpoint;
}

void Communicator::forgetEndpoint(ProcessId process) {
  const int rank = peerGroup().rankOf(process);
  if (rank != MPI_UNDEFINED && knownEndpoint(rank) != nullptr)
    endpoints_[static_cast<std::size_t>(rank)] = nullptr;
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

bool Communicator::hasDeadMember() const noexcept {
  for (ProcessId process : endpoints.dead())
    if (peerGroup().rankOf(process) != MPI_UNDEFINED)
      return true;
  return false;
}

void Communicator::checkAlive(int rank) const {
  if (endpoints.deadCount() == 0)
    return;
  for (ProcessId process : endpoints.dead()) {
    const int deadRank = peerGroup().rankOf(process);
    if (deadRank != MPI_UNDEFINED && (rank == MPI_ANY_SOURCE || rank == deadRank))
      fail(MPI_ERR_PROC_ABORTED, describePeer(deadRank), " on ", label(), " ",
           endpoints.causeOfDeath(process));
  }
}

void failBadComm(MPI_Comm handle) {
  runtime.requireActive();
  if (handle == MPI_COMM_NULL)
    fail(MPI_ERR_COMM, "the communicator is MPI_COMM_NULL");
  fail(MPI_ERR_COMM, "the communicator handle ", static_cast<const void*>(handle),
       " is not valid (was the communicator freed?)");
}

} // namespace mpl
