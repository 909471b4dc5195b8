#include "onesided/rpma/RpmaService.h"

#include "mpl/Error.h"
#include "mpl/Log.h"
#include "onesided/Window.h"
#include "onesided/rpma/RpmaCounters.h"

#include <random>
#include <utility>

namespace mpl {

namespace {

constexpr int remoteUse =
    RPMA_MR_USAGE_READ_SRC | RPMA_MR_USAGE_WRITE_DST | RPMA_MR_USAGE_FLUSH_TYPE_VISIBILITY;

MemoryDescriptor describe(const RpmaMemory& memory) {
  std::size_t size = 0;
  std::array<std::byte, MemoryDescriptor::most> data{};
  if (rpma_mr_get_descriptor_size(memory.region(), &size) != 0 || size > data.size() ||
      rpma_mr_get_descriptor(memory.region(), data.data()) != 0)
    return {};
  return MemoryDescriptor::of(std::span<const std::byte>(data).first(size));
}

} // namespace

void RpmaService::start() {
  RpmaDevice& device = *context_.device;
  gate_.emplace(context_.contact.secret, context_.job, context_.self, context_.jobSize);
  directory_.emplace(context_.contact.secret);
  directoryMemory_ = RpmaMemory::enter(device, directory_->data(), WindowDirectory::totalBytes,
                                       RPMA_MR_USAGE_READ_SRC | RPMA_MR_USAGE_FLUSH_TYPE_VISIBILITY);
  if (!directoryMemory_)
    fail(MPI_ERR_NO_MEM, "the directory of windows cannot be registered (the limit of locked memory?)");
  // librpma does not tell which port the system would choose.
  std::random_device random;
  std::uniform_int_distribution<int> ports(20000, 60000);
  int error = 0;
  for (int attempt = 0; attempt < 100 && endpoint_ == nullptr; ++attempt) {
    const int port = ports(random);
    error = rpma_ep_listen(device.peer(), device.address().c_str(), std::to_string(port).c_str(), &endpoint_);
    if (error != 0)
      endpoint_ = nullptr;
    else
      context_.contact.port = static_cast<std::uint16_t>(port);
  }
  if (endpoint_ == nullptr)
    fail(MPI_ERR_OTHER, "nobody can listen at ", device.address(), ": ", rpma_err_2str(error));
  if (rpma_ep_get_fd(endpoint_, &descriptor_) != 0 || !context_.events.add(descriptor_, *this))
    fail(MPI_ERR_OTHER, "the listener at ", device.address(), " cannot be watched");
}

RpmaService::~RpmaService() {
  while (!visitors_.empty())
    bidFarewell(*visitors_.front());
  windows_.clear();
  if (descriptor_ >= 0)
    context_.events.remove(descriptor_);
  if (endpoint_ != nullptr)
    rpma_ep_shutdown(&endpoint_);
}

void RpmaService::opened(Window& window) {
  if (window.isDynamic())
    return;
  Registered& registered = windows_[&window];
  if (visited_)
    registerWindow(window, registered);
}

void RpmaService::closing(Window& window) noexcept {
  const auto found = windows_.find(&window);
  if (found == windows_.end())
    return;
  directory_->remove(window.id());
  windows_.erase(found);
}

void RpmaService::registerWindow(Window& window, Registered& registered) {
  if (registered.done)
    return;
  registered.done = true;
  const Window::Memory& memory = window.memory();
  registered.record = {
      window.id(), reinterpret_cast<std::uint64_t>(memory.base), memory.bytes, memory.dispUnit, {}};
  if (memory.bytes != 0) {
    registered.memory = RpmaMemory::enter(*context_.device, memory.base, memory.bytes, remoteUse);
    if (registered.memory)
      registered.record.memory = describe(*registered.memory);
    else
      log::info("the ", memory.bytes, " bytes of ", window.label(),
                " cannot be registered with the RDMA device (the limit of locked memory?)");
  }
  if (!directory_->add(registered.record))
    log::info("the directory has no room for ", window.label());
}

void RpmaService::ready() {
  const RpmaConnConfig config(8, 3000); // a target posts nothing
  rpma_conn_req* request = nullptr;
  if (rpma_ep_next_conn_req(endpoint_, config.config, &request) == 0)
    answer(request);
}

void RpmaService::answer(rpma_conn_req* request) {
  rpma_conn_private_data data{};
  std::span<const std::byte> said;
  if (rpma_conn_req_get_private_data(request, &data) == 0 && data.ptr != nullptr)
    said = {static_cast<const std::byte*>(data.ptr), data.len};
  rpmaCounters.requestBytesReceived += said.size();
  ConnectRequest asked;
  const Refusal refusal = gate_->judge(said, asked, [&](std::uint32_t id) {
    Window* window = Window::findLocal(id);
    return window != nullptr && windows_.contains(window);
  });
  if (refusal == Refusal::none)
    letIn(request, asked);
  else
    turnDown(request, refusal);
}

void RpmaService::turnDown(rpma_conn_req* request, Refusal refusal) {
  ++rpmaCounters.rejected[static_cast<std::size_t>(refusal)];
  // Strangers must not fill anybody's log.
  if (!std::exchange(complained_, true))
    log::warning("a connection to windows was rejected: ", refusalText(refusal),
                 " (further ones are only counted)");
  rpma_conn_req_delete(&request);
}

void RpmaService::letIn(rpma_conn_req* request, const ConnectRequest& asked) {
  if (!std::exchange(visited_, true))
    for (auto& [window, registered] : windows_)
      registerWindow(*window, registered);
  ConnectReply reply;
  reply.nonce = asked.nonce;
  reply.window = windows_[Window::findLocal(asked.window)].record;
  reply.directory = describe(*directoryMemory_);
  std::vector<std::byte> answer = reply.encode(context_.contact.secret);
  rpma_conn_private_data data{answer.data(), static_cast<std::uint8_t>(answer.size())};
  rpma_conn* connection = nullptr;
  if (rpma_conn_req_connect(&request, &data, &connection) != 0) {
    log::info("the connection of rank ", asked.origin, " of the job to windows could not be accepted");
    return;
  }
  rpmaCounters.replyBytesSent += answer.size();
  ++rpmaCounters.accepted;
  visitors_.push_front(std::make_unique<Visitor>(*this, connection));
  Visitor& visitor = *visitors_.front();
  visitor.self = visitors_.begin();
  if (rpma_conn_get_event_fd(connection, &visitor.descriptor) != 0 ||
      !context_.events.add(visitor.descriptor, visitor))
    bidFarewell(visitor);
}

void RpmaService::Visitor::ready() {
  rpma_conn_event event = RPMA_CONN_UNDEFINED;
  if (rpma_conn_next_event(connection, &event) == 0 && event != RPMA_CONN_ESTABLISHED)
    service.bidFarewell(*this);
}

void RpmaService::bidFarewell(Visitor& visitor) noexcept {
  if (visitor.descriptor >= 0)
    context_.events.remove(visitor.descriptor);
  rpma_conn_disconnect(visitor.connection);
  rpma_conn_delete(&visitor.connection);
  visitors_.erase(visitor.self);
}

} // namespace mpl
