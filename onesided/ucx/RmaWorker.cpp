#include "onesided/ucx/RmaWorker.h"

#include "bootstrap/SignalsHeld.h"
#include "onesided/ucx/TargetService.h"
#include "pt2pt/CloseEndpoint.h"
#include "pt2pt/Engine.h"
#include "pt2pt/Runtime.h"
#include "pt2pt/UcxSettings.h"

#include <chrono>
#include <cstring>

namespace mpl {

RmaWorker& rmaWorker = *new RmaWorker;

struct OutgoingMessage {
  OutgoingMessage* nextFree = nullptr;
  std::size_t length = 0;
  std::byte bytes[sizeof(MessageHeader) + largestPayload];
};

namespace {

constexpr unsigned messageId = 1;

} // namespace

void RmaWorker::start() {
  if (isRunning())
    return;
  Process& process = runtime.process();
  const SignalsHeld signals; // UCX makes threads, and files in /dev/shm
  UcxSettings settings(static_cast<int>(process.localPeers().size()));
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_NAME;
  params.features = UCP_FEATURE_RMA | UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;
  params.name = "mpl-windows";
  checkUcx(ucp_init(&params, nullptr, &context_), "ucp_init for windows");
  settings.addFor(context_);

  ucp_worker_params_t workerParams{};
  workerParams.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  workerParams.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  checkUcx(ucp_worker_create(context_, &workerParams, &worker_), "ucp_worker_create for windows");
  checkUcx(ucp_worker_get_efd(worker_, &descriptor_), "ucp_worker_get_efd");

  ucp_am_handler_param_t handler{};
  handler.field_mask =
      UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
  handler.id = messageId;
  handler.cb = onMessage;
  handler.arg = this;
  checkUcx(ucp_worker_set_am_recv_handler(worker_, &handler), "ucp_worker_set_am_recv_handler");

  ucp_address_t* address = nullptr;
  std::size_t length = 0;
  checkUcx(ucp_worker_get_address(worker_, &address, &length), "ucp_worker_get_address");
  address_.assign(reinterpret_cast<const char*>(address), length);
  ucp_worker_release_address(worker_, address);
  process.put(addressKey, std::as_bytes(std::span(address_.data(), address_.size())));
  process.commit();
}

RmaPeer& RmaWorker::peer(ProcessId process) {
  std::unique_ptr<RmaPeer>& slot = peers_[process];
  if (!slot) {
    slot = std::make_unique<RmaPeer>(process);
    if (process == thisProcess()) {
      connect(*slot);
    } else {
      slot->fetch_ = runtime.process().startFetch(static_cast<int>(process), addressKey);
      ++fetching_;
    }
  }
  return *slot;
}

void RmaWorker::advanceConnections() {
  for (auto& [process, peer] : peers_) {
    if (peer->state_ != RmaPeer::State::fetching || !peer->fetch_ || !peer->fetch_->done())
      continue;
    connect(*peer);
    --fetching_;
    if (fetching_ == 0)
      break;
  }
}

void RmaWorker::connect(RmaPeer& peer) {
  Bytes fetched;
  const void* address = address_.data();
  if (peer.fetch_) {
    try {
      fetched = peer.fetch_->take();
    } catch (const Error&) {
      peer.fetch_.reset();
      markDead(peer); // it has had its time
      newlyDead_.push_back(peer.process_);
      return;
    }
    peer.fetch_.reset();
    address = fetched.data();
  }
  ucp_ep_params_t params{};
  params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                      UCP_EP_PARAM_FIELD_ERR_HANDLER;
  params.address = static_cast<const ucp_address_t*>(address);
  params.err_mode = peer.process_ == thisProcess() ? UCP_ERR_HANDLING_MODE_NONE : UCP_ERR_HANDLING_MODE_PEER;
  params.err_handler.cb = onError;
  params.err_handler.arg = &peer;
  if (ucp_ep_create(worker_, &params, &peer.endpoint_) != UCS_OK) {
    peer.endpoint_ = nullptr;
    markDead(peer);
    newlyDead_.push_back(peer.process_);
    return;
  }
  peer.state_ = RmaPeer::State::ready;
  for (OutgoingMessage* message : std::exchange(peer.queue_, {}))
    transmit(peer, *message);
}

OutgoingMessage& RmaWorker::takeMessage() {
  if (freeMessages_ == nullptr) {
    messages_.emplace_back(new OutgoingMessage); // its bytes are not set to zero
    return *messages_.back();
  }
  OutgoingMessage& message = *freeMessages_;
  freeMessages_ = message.nextFree;
  return message;
}

void RmaWorker::send(RmaPeer& peer, MessageHeader header, std::span<const std::byte> first,
                     std::span<const std::byte> second) {
  if (peer.state_ == RmaPeer::State::dead)
    return; // what is awaited from it has failed
  header.sender = thisProcess();
  OutgoingMessage& message = takeMessage();
  std::memcpy(message.bytes, &header, sizeof header);
  std::byte* to = message.bytes + sizeof header;
  if (!first.empty())
    std::memcpy(to, first.data(), first.size());
  if (!second.empty())
    std::memcpy(to + first.size(), second.data(), second.size());
  message.length = sizeof header + first.size() + second.size();
  if (!inCallback_ && peer.state_ == RmaPeer::State::ready)
    throttle();
  if (inCallback_)
    outgoing_.emplace_back(&peer, &message);
  else if (peer.state_ == RmaPeer::State::fetching)
    peer.queue_.push_back(&message);
  else
    transmit(peer, message);
}

// What the transports do not take yet lies in our memory. Where they take nothing for long, as UCX does for a
// process that died and that it does not know of, this gives up: Window::awaitRoom() finds out.
void RmaWorker::throttle() {
  if (!isCrowded()) {
    isStuck_ = false;
    return;
  }
  constexpr std::chrono::milliseconds patience{500};
  auto limit = std::chrono::steady_clock::now() + patience;
  for (std::size_t before = inFlight_; isCrowded() && failed_.empty() && !isStuck_;) {
    ucp_worker_progress(worker_);
    const auto now = std::chrono::steady_clock::now();
    if (inFlight_ < before)
      limit = now + patience;
    before = inFlight_;
    isStuck_ = now > limit;
  }
}

void RmaWorker::transmit(RmaPeer& peer, OutgoingMessage& message) {
  if (peer.state_ == RmaPeer::State::dead) {
    message.nextFree = freeMessages_;
    freeMessages_ = &message;
    return;
  }
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_FLAGS | UCP_OP_ATTR_FIELD_USER_DATA;
  param.cb.send = sendDone;
  param.flags = UCP_AM_SEND_FLAG_EAGER;
  param.user_data = &message;
  const ucs_status_ptr_t status =
      ucp_am_send_nbx(peer.endpoint_, messageId, nullptr, 0, message.bytes, message.length, &param);
  if (UCS_PTR_IS_PTR(status)) {
    ++inFlight_;
    return;
  }
  // Failures come to onError() too.
  message.nextFree = freeMessages_;
  freeMessages_ = &message;
}

void RmaWorker::sendDone(void* request, ucs_status_t, void* message) {
  --rmaWorker.inFlight_;
  auto* done = static_cast<OutgoingMessage*>(message);
  done->nextFree = rmaWorker.freeMessages_;
  rmaWorker.freeMessages_ = done;
  ucp_request_free(request);
}

std::uint64_t RmaWorker::await(RmaPeer& peer, Awaited& awaited) {
  awaited.pending->begin();
  awaited.next = peer.awaited_;
  awaited.link = &peer.awaited_;
  if (peer.awaited_ != nullptr)
    peer.awaited_->link = &awaited.next;
  peer.awaited_ = &awaited;
  if (peer.state_ == RmaPeer::State::dead)
    endAwaited(awaited, MPI_ERR_PROC_ABORTED);
  return reinterpret_cast<std::uint64_t>(&awaited);
}

void RmaWorker::endAwaited(Awaited& awaited, int errorClass) noexcept {
  *awaited.link = awaited.next;
  if (awaited.next != nullptr)
    awaited.next->link = awaited.link;
  Pending* pending = awaited.pending;
  if (awaited.ownedHere)
    delete &awaited;
  pending->end(errorClass);
}

ucs_status_t RmaWorker::onMessage(void* self, const void*, std::size_t, void* data, std::size_t length,
                                  const ucp_am_recv_param_t*) {
  MessageHeader header;
  if (length < sizeof header)
    return UCS_OK;
  std::memcpy(&header, data, sizeof header);
  const auto* payload = static_cast<const std::byte*>(data) + sizeof header;
  static_cast<RmaWorker*>(self)->receive(header, {payload, length - sizeof header});
  return UCS_OK;
}

void RmaWorker::receive(const MessageHeader& header, std::span<const std::byte> payload) {
  const bool nested = std::exchange(inCallback_, true);
  switch (header.kind) {
  case MessageKind::description:
  case MessageKind::data:
  case MessageKind::done:
    answer(header, payload);
    break;
  default:
    targetService.execute(header, payload);
  }
  inCallback_ = nested;
}

void RmaWorker::answer(const MessageHeader& header, std::span<const std::byte> payload) {
  // Answers of a process taken for dead come to nobody.
  const auto found = peers_.find(header.sender);
  if (found == peers_.end() || found->second->state_ == RmaPeer::State::dead)
    return;
  auto& awaited = *reinterpret_cast<Awaited*>(header.token);
  if (awaited.raw != nullptr)
    awaited.raw->assign(payload.begin(), payload.end());
  if (header.kind == MessageKind::data && header.error == MPI_SUCCESS) {
    std::memcpy(awaited.result + header.address, payload.data(), payload.size());
    awaited.bytesLeft -= payload.size();
    if (awaited.bytesLeft != 0)
      return;
  }
  endAwaited(awaited, header.error);
}

unsigned RmaWorker::progress() {
  unsigned events = ucp_worker_progress(worker_);
  if (fetching_ != 0) [[unlikely]]
    advanceConnections();
  while (!failed_.empty()) {
    RmaPeer* peer = failed_.back();
    failed_.pop_back();
    if (peer->state_ != RmaPeer::State::dead) {
      newlyDead_.push_back(peer->process_);
      markDead(*peer);
    }
  }
  if (targetService.hasWaiters()) [[unlikely]]
    events += targetService.retryWaiters();
  while (!outgoing_.empty()) {
    const auto [peer, message] = outgoing_.front();
    outgoing_.pop_front();
    if (peer->state_ == RmaPeer::State::fetching)
      peer->queue_.push_back(message);
    else
      transmit(*peer, *message);
    ++events;
  }
  return events;
}

bool RmaWorker::needsPolling() const noexcept {
  return fetching_ != 0 || targetService.hasWaiters();
}

void RmaWorker::onError(void* peer, ucp_ep_h, ucs_status_t) {
  rmaWorker.failed_.push_back(static_cast<RmaPeer*>(peer));
}

void RmaWorker::markDead(ProcessId process) noexcept {
  const auto found = peers_.find(process);
  if (found != peers_.end() && found->second->state_ != RmaPeer::State::dead)
    markDead(*found->second);
}

void RmaWorker::markDead(RmaPeer& peer) noexcept {
  if (peer.state_ == RmaPeer::State::fetching && peer.fetch_) {
    peer.fetch_.reset();
    --fetching_;
  }
  peer.state_ = RmaPeer::State::dead;
  for (OutgoingMessage* message : std::exchange(peer.queue_, {})) {
    message->nextFree = freeMessages_;
    freeMessages_ = message;
  }
  if (peer.endpoint_ != nullptr)
    closeByForce(peer.endpoint_);
  while (peer.awaited_ != nullptr)
    endAwaited(*peer.awaited_, MPI_ERR_PROC_ABORTED);
}

} // namespace mpl
