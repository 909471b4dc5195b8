#include "onesided/ucx/UcxTransport.h"

#include "onesided/RmaLock.h"
#include "onesided/Window.h"
#include "pt2pt/Send.h"

#include <cstring>

namespace mpl {

static_assert(WindowTransport<UcxTransport>);

UcxTransport& ucxTransport = *new UcxTransport;

UcxLink::UcxLink(RmaPeer& peer, std::uint32_t window, bool dynamic) : peer_(peer), messages_(peer, window) {
  if (dynamic) {
    remote_ = {0, UINT64_MAX, 1};
    state_ = LinkState::ready;
    return;
  }
  messages_.describe(description_, describing_);
}

UcxLink::~UcxLink() {
  if (way_.leads())
    ucp_rkey_destroy(way_.key());
}

LinkState UcxLink::state() {
  if (messages_.isDead())
    return LinkState::dead;
  if (state_ != LinkState::connecting || !describing_.isComplete())
    return state_;
  WindowDescription description;
  if (describing_.error() != MPI_SUCCESS || description_.size() < sizeof description)
    return state_ = LinkState::refused;
  std::memcpy(&description, description_.data(), sizeof description);
  remote_ = {description.base, description.bytes, description.dispUnit};
  if (description_.size() > sizeof description) {
    ucp_rkey_h key = nullptr;
    const ucs_status_t status =
        ucp_ep_rkey_unpack(peer_.endpoint(), description_.data() + sizeof description, &key);
    if (status != UCS_OK)
      return state_ = LinkState::refused;
    way_ = UcxWay(peer_, key);
  }
  description_ = {};
  return state_ = LinkState::ready;
}

void UcxLink::put(const void* from, std::uint64_t remote, std::size_t bytes, Pending& pending) {
  if (messages_.isDead())
    return pending.fail(MPI_ERR_PROC_ABORTED);
  if (way_.leads())
    way_.put(from, bytes, remote, pending);
  else
    messages_.put(from, remote, bytes);
}

void UcxLink::get(void* to, std::uint64_t remote, std::size_t bytes, Pending& pending) {
  if (messages_.isDead())
    return pending.fail(MPI_ERR_PROC_ABORTED);
  if (way_.leads())
    way_.get(to, bytes, remote, pending);
  else
    messages_.get(to, remote, bytes, pending);
}

void UcxLink::flush(Pending& pending) {
  if (messages_.isDead())
    return pending.fail(MPI_ERR_PROC_ABORTED);
  messages_.flush(pending);
  if (way_.leads())
    way_.flush(pending);
}

std::unique_ptr<UcxLink> UcxTransport::connect(Window& window, int rank) {
  return std::make_unique<UcxLink>(rmaWorker.peer(window.comm().group().process(rank)), window.id(),
                                   window.isDynamic());
}

std::span<const std::byte> UcxTransport::keyOf(Window& window) {
  const Window::Memory& memory = window.memory();
  if (window.isDynamic() || memory.bytes == 0)
    return {};
  Registered& registered = registered_[&window];
  if (registered.memory != nullptr)
    return registered.key;
  ucp_mem_map_params_t params{};
  params.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH;
  params.address = memory.base;
  params.length = memory.bytes;
  void* packed = nullptr;
  std::size_t length = 0;
  if (ucp_mem_map(rmaWorker.context(), &params, &registered.memory) != UCS_OK) {
    registered.memory = nullptr;
    return {}; // origins go by messages
  }
  if (ucp_rkey_pack(rmaWorker.context(), registered.memory, &packed, &length) == UCS_OK) {
    const auto* bytes = static_cast<const std::byte*>(packed);
    registered.key.assign(bytes, bytes + length);
    ucp_rkey_buffer_release(packed);
  }
  return registered.key;
}

void UcxTransport::closing(Window& window) noexcept {
  const RmaLock lock;
  const auto found = registered_.find(&window);
  if (found == registered_.end())
    return;
  if (found->second.memory != nullptr)
    ucp_mem_unmap(rmaWorker.context(), found->second.memory);
  registered_.erase(found);
}

} // namespace mpl
