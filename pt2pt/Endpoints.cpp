#include "pt2pt/Endpoints.h"

#include "bootstrap/Process.h"
#include "mpl/Log.h"
#include "pt2pt/Communicator.h"
#include "pt2pt/Engine.h"
#include "pt2pt/Request.h"
#include "pt2pt/Runtime.h"

#include <algorithm>
#include <sched.h>

namespace mpl {

Endpoints endpoints;

void Endpoints::start(Process& process) {
  process_ = &process;
  peers_ = SparseArray<Peer>(static_cast<std::size_t>(process.size()));
  dead_.clear();
  causes_.clear();
  failed_.clear();
  deadCount_ = 0;
  closing_ = false;
}

ucp_ep_h Endpoints::find(ProcessId process) const noexcept {
  return peers_.get(static_cast<std::size_t>(process)).endpoint;
}

bool Endpoints::isDead(ProcessId process) const noexcept {
  return deadCount_ != 0 && std::find(dead_.begin(), dead_.end(), process) != dead_.end();
}

const std::string& Endpoints::causeOfDeath(ProcessId process) const noexcept {
  static const std::string none = "is dead";
  const auto found = std::find(dead_.begin(), dead_.end(), process);
  return found != dead_.end() ? causes_[static_cast<std::size_t>(found - dead_.begin())] : none;
}

ucp_ep_h Endpoints::connect(ProcessId process) {
  handleErrors();
  if (isDead(process))
    fail(MPI_ERR_PROC_ABORTED, "rank ", process, " of MPI_COMM_WORLD ", causeOfDeath(process));
  if (ucp_ep_h found = find(process))
    return found;
  const int rank = static_cast<int>(process);

  Bytes fetched;
  const void* address = engine.address().data();
  if (rank != process_->rank()) {
    // Progress goes on meanwhile: the peer may wait for us before it gets as far as publishing its address.
    Process::Fetch fetch = process_->startFetch(rank, Process::addressKey);
    while (!fetch.done()) {
      if (engine.progress() != 0)
        continue;
      sched_yield();
      runtime.checkPeersHeld();
      if (isDead(process))
        fail(MPI_ERR_PROC_ABORTED, "rank ", process, " of MPI_COMM_WORLD ", causeOfDeath(process));
    }
    fetched = fetch.take();
    address = fetched.data();
  }

  ucp_ep_params_t params{};
  params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                      UCP_EP_PARAM_FIELD_ERR_HANDLER;
  params.address = static_cast<const ucp_address_t*>(address);
  // A process cannot outlive itself: the way to oneself needs no error handling and is faster without.
  params.err_mode = rank == process_->rank() ? UCP_ERR_HANDLING_MODE_NONE : UCP_ERR_HANDLING_MODE_PEER;
  params.err_handler.cb = onError;
  params.err_handler.arg = reinterpret_cast<void*>(static_cast<std::uintptr_t>(process));
  ucp_ep_h endpoint = nullptr;
  const ucs_status_t status = ucp_ep_create(engine.worker(), &params, &endpoint);
  if (status != UCS_OK)
    fail(MPI_ERR_OTHER, "no connection to rank ", process, " of MPI_COMM_WORLD: ", ucs_status_string(status));
  peers_.at(static_cast<std::size_t>(process)).endpoint = endpoint;
  return endpoint;
}

void Endpoints::onError(void* argument, ucp_ep_h, ucs_status_t status) {
  // Called by UCX in the middle of its work: only take note.
  const auto process = static_cast<ProcessId>(reinterpret_cast<std::uintptr_t>(argument));
  if (!endpoints.closing_)
    endpoints.failed_.push_back({process, status});
}

void Endpoints::handleErrors() noexcept {
  while (!failed_.empty()) {
    const Failure failure = failed_.back();
    failed_.pop_back();
    markDead(failure.process, text("does not answer any more (", ucs_status_string(failure.status), ")"));
  }
}

void Endpoints::markDead(ProcessId process, const std::string& how) noexcept {
  if (closing_ || isDead(process))
    return;
  log::error("rank ", process, " of MPI_COMM_WORLD ", how);
  note(process, how);
}

void Endpoints::markGone(ProcessId process, const std::string& how) noexcept {
  if (!closing_ && !isDead(process))
    note(process, how);
}

void Endpoints::note(ProcessId process, const std::string& how) {
  dead_.push_back(process);
  causes_.push_back(how);
  deadCount_ = dead_.size();

  Communicator::closeFastPath();
  Peer& peer = peers_.at(static_cast<std::size_t>(process));
  if (peer.endpoint != nullptr) {
    Communicator::forgetEndpoints(process);
    // Forced: sends under way complete with an error instead of waiting.
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    param.flags = UCP_EP_CLOSE_FLAG_FORCE;
    void* closing = ucp_ep_close_nbx(peer.endpoint, &param);
    if (UCS_PTR_IS_PTR(closing))
      ucp_request_free(closing);
    peer.endpoint = nullptr;
  }

  // UCX never fails a posted receive; those that only the dead process could have served end here.
  requests->forEach([&](Request& request) {
    if (!request.isReceive() || !request.inTransport || request.isComplete() || request.comm == nullptr)
      return;
    const bool concerned = request.peerRank() == MPI_ANY_SOURCE
                               ? request.comm->peerGroup().rankOf(process) != MPI_UNDEFINED
                               : request.comm->peerGroup().process(request.peerRank()) == process;
    if (!concerned)
      return;
    request.failWith = MPI_ERR_PROC_ABORTED;
    ucp_request_cancel(engine.worker(), &request);
  });
}

void Endpoints::closeAll(bool force) noexcept {
  closing_ = true;
  std::vector<void*> pending;
  peers_.forEachPage([&](std::size_t, Peer& peer) {
    if (peer.endpoint == nullptr)
      return;
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    param.flags = force ? UCP_EP_CLOSE_FLAG_FORCE : 0;
    void* closing = ucp_ep_close_nbx(peer.endpoint, &param);
    if (UCS_PTR_IS_PTR(closing))
      pending.push_back(closing);
    peer.endpoint = nullptr;
  });
  for (void* closing : pending) {
    // The others leave too and may be gone already: closing is a courtesy, bounded in length.
    for (int round = 0; round < 100000 && ucp_request_check_status(closing) == UCS_INPROGRESS; ++round)
      ucp_worker_progress(engine.worker());
    ucp_request_free(closing);
  }
}

} // namespace mpl
