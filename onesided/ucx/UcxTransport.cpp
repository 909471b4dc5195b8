#include "onesided/ucx/UcxTransport.h"

#include "onesided/RmaLock.h"
#include "onesided/Window.h"
#include "pt2pt/Send.h"

#include <cstring>

namespace mpl {

static_assert(WindowTransport<UcxTransport>);

UcxTransport& ucxTransport = *new UcxTransport;

UcxLink::UcxLink(RmaPeer& peer, std::uint32_t window, bool dynamic)
    : peer_(peer), dynamic_(dynamic), messages_(peer, window) {
  if (dynamic) {
    remote_ = {0, UINT64_MAX, 1};
    state_ = LinkState::ready;
    return;
  }
  messages_.describe(description_, describing_);
}

UcxLink::~UcxLink() {
  if (key_ != nullptr)
    ucp_rkey_destroy(key_);
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
    const ucs_status_t status =
        ucp_ep_rkey_unpack(peer_.endpoint(), description_.data() + sizeof description, &key_);
    if (status != UCS_OK)
      return state_ = LinkState::refused;
  }
  description_ = {};
  return state_ = LinkState::ready;
}

void UcxLink::partDone(void* request, ucs_status_t status, void* pending) {
  static_cast<Pending*>(pending)->end(errorClassOf(status));
  ucp_request_free(request);
}

void UcxLink::takeUnfinished(ucs_status_ptr_t status, Pending& pending) {
  pending.begin();
  if (!UCS_PTR_IS_PTR(status))
    pending.end(errorClassOf(UCS_PTR_STATUS(status)));
}

ucp_request_param_t UcxLink::parameters{
    .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_MEMORY_TYPE,
    .flags = 0,
    .request = nullptr,
    .cb = {.send = partDone},
    .datatype = 0,
    .user_data = nullptr,
    .reply_buffer = nullptr,
    .memory_type = UCS_MEMORY_TYPE_HOST,
    .recv_info = {},
    .memh = nullptr};

void UcxLink::put(const void* from, std::uint64_t remote, std::size_t bytes, Pending& pending) {
  if (messages_.isDead())
    return pending.fail(MPI_ERR_PROC_ABORTED);
  if (dynamic_ || key_ == nullptr)
    return messages_.put(from, remote, bytes);
  putPlainly(from, remote, bytes, pending);
}

void UcxLink::get(void* to, std::uint64_t remote, std::size_t bytes, Pending& pending) {
  if (messages_.isDead())
    return pending.fail(MPI_ERR_PROC_ABORTED);
  if (dynamic_ || key_ == nullptr)
    return messages_.get(to, remote, bytes, pending);
  getPlainly(to, remote, bytes, pending);
}

void UcxLink::flush(Pending& pending) {
  if (messages_.isDead())
    return pending.fail(MPI_ERR_PROC_ABORTED);
  messages_.flush(pending);
  if (!dirty_)
    return;
  dirty_ = false;
  parameters.user_data = &pending;
  take(ucp_ep_flush_nbx(peer_.endpoint(), &parameters), pending);
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
