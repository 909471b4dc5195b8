#include "pt2pt/Endpoints.h"

#include "bootstrap/Process.h"
#include "mpl/Log.h"
#include "pt2pt/CloseEndpoint.h"
#include "pt2pt/Communicator.h"
#include "pt2pt/Engine.h"
#include "pt2pt/Receive.h"
#include "pt2pt/Request.h"
#include "pt2pt/Runtime.h"

#include <algorithm>
#include <sched.h>
#include <thread>

namespace mpl {

Endpoints endpoints;

namespace {

// How long UCX may take to end the operations with a dead process.
constexpr auto patience = std::chrono::seconds(2);
// A receive of any source may be getting its message from somebody alive.
constexpr auto patienceOfAnySource = std::chrono::seconds(10);

[[noreturn]] void failDead(ProcessId process) {
  fail(MPI_ERR_PROC_ABORTED, "rank ", process, " of MPI_COMM_WORLD ", endpoints.causeOfDeath(process));
}

} // namespace

void Endpoints::start(Process& process, PeerAddress self) {
  process_ = &process;
  self_ = std::move(self);
  peers_ = SparseArray<Peer>(static_cast<std::size_t>(process.size()));
  dead_.clear();
  failed_.clear();
  overdue_.clear();
  suspects_.clear();
  fetches_.clear();
  deadCount_ = 0;
  closing_ = false;
}

const Endpoints::Death* Endpoints::find(ProcessId process) const noexcept {
  if (deadCount_ == 0) [[likely]]
    return nullptr;
  const auto found = std::find_if(dead_.begin(), dead_.end(),
                                  [process](const Death& death) { return death.process == process; });
  return found != dead_.end() ? &*found : nullptr;
}

const std::string& Endpoints::causeOfDeath(ProcessId process) const noexcept {
  static const std::string none = "is dead";
  const Death* death = find(process);
  return death != nullptr ? death->cause : none;
}

Route Endpoints::connect(ProcessId process) {
  handleErrors();
  if (isDead(process))
    failDead(process);
  if (const Route route = known(process); route.isKnown())
    return route;
  try {
    std::optional<PeerAddress> address = fetchAddress(process);
    const Route meanwhile = known(process); // the progress made while waiting may have settled it
    return meanwhile.isKnown() ? meanwhile : settle(process, std::move(*address));
  } catch (const Error&) {
    failIfDead(process);
    throw;
  }
}

// What cannot be reached has most often just died, and it takes a moment until that is known.
void Endpoints::failIfDead(ProcessId process) {
  if (process == static_cast<ProcessId>(process_->rank()) || !runtime.watchesPeers())
    return;
  const auto begin = std::chrono::steady_clock::now();
  while (!isDead(process) && std::chrono::steady_clock::now() - begin < patience) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    runtime.checkPeersHeld();
  }
  if (isDead(process))
    failDead(process);
}

// The way that was chosen before, or by the other process, which has written here.
Route Endpoints::known(ProcessId process) {
  const Peer peer = peers_.get(static_cast<std::size_t>(process));
  if (peer.lane != nullptr)
    return Route::through(*peer.lane);
  if (Lane* lane = nodeChannel.find(process); lane != nullptr) {
    peers_.at(static_cast<std::size_t>(process)).lane = lane;
    return Route::through(*lane);
  }
  return Route::through(peer.endpoint);
}

Route Endpoints::source(ProcessId process) {
  const auto rank = static_cast<int>(process);
  if (const Route route = known(process); route.isKnown())
    return route;
  if (!nodeChannel.isOpen() || !process_->isLocal(rank))
    return Route::unconnected();
  if (rank == process_->rank())
    return settle(process, self_);
  if (isDead(process))
    return {};
  auto fetch = fetches_.find(process);
  if (fetch == fetches_.end())
    fetch = fetches_.emplace(process, process_->startFetch(rank, Process::addressKey)).first;
  if (!fetch->second.done())
    return {};
  Process::Fetch done = std::move(fetch->second);
  fetches_.erase(fetch);
  try {
    return settle(process, PeerAddress::decode(done.take()));
  } catch (const Error&) {
    return {}; // it is asked for again
  }
}

// Waits for it, or, which gives none, until the process has told the way itself.
std::optional<PeerAddress> Endpoints::fetchAddress(ProcessId process) {
  const auto rank = static_cast<int>(process);
  if (rank == process_->rank())
    return self_;
  log::debug("asking for the address of rank ", process, " of MPI_COMM_WORLD");
  // Progress goes on meanwhile: the peer may wait for us before it gets as far as publishing its address.
  auto begun = fetches_.extract(process); // for a receive
  Process::Fetch fetch = begun ? std::move(begun.mapped()) : process_->startFetch(rank, Process::addressKey);
  const bool wasKnown = known(process).isKnown();
  while (!fetch.done()) {
    if (engine.progress() != 0)
      continue;
    if (!wasKnown && known(process).isKnown())
      return std::nullopt;
    sched_yield();
    runtime.checkPeersHeld();
    if (isDead(process))
      failDead(process);
  }
  return PeerAddress::decode(fetch.take());
}

// Chooses the way to a process whose address is known. The other side chooses by the same facts.
Route Endpoints::settle(ProcessId process, PeerAddress address) {
  const auto rank = static_cast<int>(process);
  const bool isSelf = rank == process_->rank();
  // Endpoints that report deaths keep UCX from the fast ways through shared memory (1.13: no reading of the
  // peer's memory). On a node nobody needs them.
  const bool isNear = isSelf || watchesItself(rank, address);
  if (isNear && nodeChannel.isOpen() && address.takesNodeMessages()) {
    Lane& lane = nodeChannel.connect(process, address.memory);
    lane.transportAddress = std::move(address.worker);
    peers_.at(static_cast<std::size_t>(process)).lane = &lane;
    log::debug("messages to rank ", process, " of MPI_COMM_WORLD go through memory");
    return Route::through(lane);
  }
  return Route::through(endpointTo(process, address.worker, !isNear));
}

ucp_ep_h Endpoints::transportOf(Lane& lane) {
  try {
    if (lane.transportAddress.empty())
      lane.transportAddress = fetchAddress(lane.process)->worker; // the lane is known: there is one
    return endpointTo(lane.process, lane.transportAddress, false);
  } catch (const Error&) {
    failIfDead(lane.process);
    throw;
  }
}

ucp_ep_h Endpoints::endpointTo(ProcessId process, const std::string& address, bool reportsDeath) {
  Peer& peer = peers_.at(static_cast<std::size_t>(process));
  if (peer.endpoint != nullptr)
    return peer.endpoint;
  ucp_ep_params_t params{};
  params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                      UCP_EP_PARAM_FIELD_ERR_HANDLER;
  params.address = reinterpret_cast<const ucp_address_t*>(address.data());
  params.err_mode = reportsDeath ? UCP_ERR_HANDLING_MODE_PEER : UCP_ERR_HANDLING_MODE_NONE;
  params.err_handler.cb = onError;
  params.err_handler.arg = reinterpret_cast<void*>(static_cast<std::uintptr_t>(process));
  const ucs_status_t status = ucp_ep_create(engine.worker(), &params, &peer.endpoint);
  if (status != UCS_OK)
    fail(MPI_ERR_OTHER, "no connection to rank ", process, " of MPI_COMM_WORLD: ", ucs_status_string(status));
  log::debug("connected to rank ", process, " of MPI_COMM_WORLD", reportsDeath ? "" : ", in shared memory");
  peer.reportsDeath = reportsDeath;
  return peer.endpoint;
}

void Endpoints::close(Peer& peer) noexcept {
  if (peer.endpoint != nullptr && peer.reportsDeath)
    closeByForce(peer.endpoint);
  peer.endpoint = nullptr;
}

bool Endpoints::watchesItself(int rank, const PeerAddress& other) {
  return self_.isOpenTo(other) && process_->isLocal(rank);
}

void Endpoints::onError(void* process, ucp_ep_h endpoint, ucs_status_t status) {
  // Called by UCX in the middle of its work: only take note.
  endpoints.failed_.push_back(
      {static_cast<ProcessId>(reinterpret_cast<std::uintptr_t>(process)), endpoint, status});
}

void Endpoints::handleErrors() noexcept {
  while (!failed_.empty() && !closing_) {
    const Failure failure = failed_.back();
    failed_.pop_back();
    if (peers_.get(static_cast<std::size_t>(failure.process)).endpoint != failure.endpoint)
      continue;
    noteFailure(failure.process, text("does not answer any more (", ucs_status_string(failure.status), ")"));
  }
}

void Endpoints::markDead(ProcessId process, const std::string& how) noexcept {
  if (closing_ || isDead(process))
    return;
  log::error("rank ", process, " of MPI_COMM_WORLD ", how);
  note({process, how, false});
}

void Endpoints::markGone(ProcessId process, const std::string& how) noexcept {
  if (closing_ || isDead(process))
    return;
  log::info("rank ", process, " of MPI_COMM_WORLD ", how);
  note({process, how, true});
}

void Endpoints::noteFailure(ProcessId process, const std::string& how) noexcept {
  if (runtime.state() == Runtime::State::active)
    markDead(process, how);
  else
    markGone(process, how);
}

void Endpoints::note(Death death) {
  const ProcessId process = death.process;
  dead_.push_back(std::move(death));
  deadCount_ = dead_.size();

  Communicator::closeFastPath();
  Peer& peer = peers_.at(static_cast<std::size_t>(process));
  Communicator::forgetRoutes(process);
  const bool byItself = peer.endpoint != nullptr && peer.reportsDeath;
  close(peer);
  peer.lane = nullptr;
  fetches_.erase(process);

  // What had arrived of the process before it died is taken as it is.
  for (int round = 0; round < 1000 && ucp_worker_progress(engine.worker()) != 0; ++round)
    ;
  nodeChannel.forget(process);
  cancelReceives(process);
  if (!byItself)
    giveUp(process, false);
  settleSuspects();
  overdue_.push_back({process, std::chrono::steady_clock::now()});
}

void Endpoints::cancelReceives(ProcessId process) noexcept {
  // UCX never fails a posted receive; those that only the dead process could have served end here.
  requests->forEach([&](Request& request) {
    if (!request.isReceive() || !request.inTransport || request.isComplete() || request.comm == nullptr)
      return;
    const bool concerned = request.peerRank() == MPI_ANY_SOURCE
                               ? request.comm->peerGroup().rankOf(process) != MPI_UNDEFINED &&
                                     request.comm->deadPeer(MPI_ANY_SOURCE)
                               : request.comm->peerGroup().process(request.peerRank()) == process;
    if (!concerned)
      return;
    request.failWith = MPI_ERR_PROC_ABORTED;
    if (request.matched) // the data will not come any more
      ucp_request_cancel(engine.worker(), &request);
    else
      withdraw(request);
  });
}

void Endpoints::giveUp(ProcessId process, bool anySource) noexcept {
  requests->forEach([&](Request& request) {
    if (!request.inTransport || request.isComplete() || request.comm == nullptr)
      return;
    const int peer = request.peerRank();
    const bool concerned = peer == MPI_ANY_SOURCE ? anySource && request.failWith != MPI_SUCCESS
                                                  : request.comm->peerGroup().process(peer) == process;
    if (!concerned)
      return;
    request.failWith = MPI_SUCCESS;
    request.outcome = {peer, request.messageTag(), MPI_SUCCESS, false, 0};
    // It stays marked as in transport: its memory is UCX's for ever.
    request.completeWith(MPI_ERR_PROC_ABORTED);
  });
}

bool Endpoints::suspect(Request& request, ProcessId process) {
  if (isDead(process)) {
    request.outcome.error = MPI_ERR_PROC_ABORTED;
    return false;
  }
  if (closing_ || process == static_cast<ProcessId>(process_->rank()) || !runtime.watchesPeers())
    return false;
  suspects_.push_back({&request, process, std::chrono::steady_clock::now()});
  return true;
}

void Endpoints::settleSuspects() noexcept {
  if (suspects_.empty())
    return;
  const auto now = std::chrono::steady_clock::now();
  std::vector<Suspect> all;
  all.swap(suspects_); // completing may start something that fails as well
  for (const Suspect& one : all) {
    if (isDead(one.process))
      one.request->completeWith(MPI_ERR_PROC_ABORTED);
    else if (closing_ || now - one.since > patience)
      one.request->complete();
    else
      suspects_.push_back(one);
  }
}

void Endpoints::giveUpOverdue() noexcept {
  const auto now = std::chrono::steady_clock::now();
  std::erase_if(overdue_, [&](const Overdue& death) {
    if (now - death.at < patience)
      return false;
    const bool last = now - death.at >= patienceOfAnySource;
    giveUp(death.process, last);
    return last;
  });
}

} // namespace mpl
