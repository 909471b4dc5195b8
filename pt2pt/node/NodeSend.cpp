#include "pt2pt/node/NodeSend.h"

#include "mpl/Log.h"
#include "mpl/LongCopy.h"
#include "pt2pt/Receive.h"
#include "pt2pt/Send.h"

namespace mpl::node {

namespace {

void pack(const Outgoing& message, std::byte* to) {
  if (message.data.plain)
    copyLong(to, message.data.address, message.data.bytes);
  else
    message.datatype->cursor(message.data.address, static_cast<MPI_Count>(message.data.count))
        .pack(0, to, message.data.bytes);
}

bool greet(Lane& lane) {
  MailSlot* slot = lane.mailbox.claim(nodeChannel.self());
  if (slot == nullptr)
    return false;
  const SharedSegment::Key key = nodeChannel.key();
  static_assert(sizeof key <= MailSlot::room);
  slot->describe(0, sizeof key, nodeChannel.self(), Carrier::Greeting);
  std::memcpy(slot->data.data(), &key, sizeof key);
  Mailbox::publish(*slot);
  return lane.isGreeted = true;
}

void transportSendDone(void* handed, ucs_status_t status, void* unused) {
  nodeChannel.transferEnds();
  detail::sendDone(handed, status, unused);
}

Sent sendData(Lane& lane, Request& request, const Outgoing& message, std::uint64_t number) {
  const std::uint64_t bits = envelope::dataTag(nodeChannel.self(), number);
  // UCX would try to read what the receiver could not read.
  const MessageBuffer data =
      message.data.plain && !lane.isReadable ? packedBuffer(message.data) : message.data;
  const ucs_status_ptr_t status =
      message.synchronous
          ? detail::issueSend<SendMode::Synchronous>(request, lane.transport, bits, data, transportSendDone)
          : detail::issueSend<SendMode::Standard>(request, lane.transport, bits, data, transportSendDone);
  if (status == nullptr)
    return Sent::Done;
  if (UCS_PTR_IS_ERR(status)) {
    request.transportStatus = UCS_PTR_STATUS(status);
    return Sent::Failed;
  }
  nodeChannel.transferBegins();
  return Sent::UnderWay;
}

// To this process itself: no mailbox is needed.
Sent sendToSelf(Lane& lane, Request& request, const Outgoing& message) {
  const bool plain = message.data.plain;
  Incoming incoming{message.envelope,
                    message.data.bytes,
                    Carrier::Slot,
                    0,
                    0,
                    plain ? static_cast<const std::byte*>(message.data.address) : nullptr};
  const Carrier carrier = carrierFor(lane, message.data.bytes, plain, message.synchronous);
  if (carrier == Carrier::Memory || carrier == Carrier::Transport) {
    LongSends& sends = nodeChannel.longSends();
    const std::uint64_t number = lane.transportMessages++;
    incoming.carrier = carrier;
    incoming.transportTag = envelope::dataTag(nodeChannel.self(), number);
    if (carrier == Carrier::Memory) {
      incoming.record = sends.offer(lane, request, number);
      nodeChannel.setDuties();
    }
    // First, for the end of the send must not come while it is being started.
    nodeChannel.deliver(incoming);
    if (carrier == Carrier::Transport)
      return sendData(lane, request, message, number);
    return sends.takeIfRead(incoming.record) ? Sent::Done : Sent::UnderWay;
  }
  if (plain) {
    nodeChannel.deliver(incoming);
  } else {
    std::array<std::byte, NodeChannel::longestCopied> packed;
    pack(message, packed.data());
    incoming.data = packed.data();
    nodeChannel.deliver(incoming);
  }
  return Sent::Done;
}

void completeUnlessUnderWay(Request& request, Sent sent) noexcept {
  if (sent != Sent::UnderWay)
    completeSend(request, sent == Sent::Done ? MPI_SUCCESS : errorClassOf(request.transportStatus));
}

} // namespace

Sent trySend(Lane& lane, Request& request, const Outgoing& message) {
  if (lane.isToSelf())
    return sendToSelf(lane, request, message);
  if (!lane.isGreeted && !greet(lane))
    return Sent::NoRoom;
  const std::uint64_t bytes = message.data.bytes;
  const Carrier carrier = carrierFor(lane, bytes, message.data.plain, message.synchronous);
  std::uint32_t chunk = ChunkPool::none;
  if (carrier == Carrier::Chunk) {
    chunk = nodeChannel.chunks().take(lane.process);
    if (chunk == ChunkPool::none)
      return Sent::NoRoom;
    nodeChannel.chunks().fetch(chunk, bytes);
  }
  LongMessage about{};
  if (carrier == Carrier::Memory) {
    about = {reinterpret_cast<std::uintptr_t>(message.data.address), lane.transportMessages,
             nodeChannel.longSends().offer(lane, request, lane.transportMessages)};
  }
  const std::uint32_t self = nodeChannel.self();
  MailSlot* slot = lane.mailbox.claim(self);
  if (slot == nullptr) {
    if (carrier == Carrier::Chunk)
      nodeChannel.chunks().giveBack(chunk);
    if (carrier == Carrier::Memory)
      nodeChannel.longSends().withdraw(about.record);
    return Sent::NoRoom;
  }
  Sent sent = Sent::Done;
  slot->describe(message.envelope, bytes, self, carrier);
  switch (carrier) {
  case Carrier::Memory:
    ++lane.transportMessages;
    std::memcpy(slot->data.data(), &about, sizeof about);
    nodeChannel.setDuties();
    sent = Sent::UnderWay;
    break;
  case Carrier::Transport: {
    const std::uint64_t number = lane.transportMessages++;
    sent = sendData(lane, request, message, number);
    // A slot that was claimed has to be published: a greeting of no length says nothing.
    if (sent == Sent::Failed)
      slot->describe(message.envelope, 0, self, Carrier::Greeting);
    std::memcpy(slot->data.data(), &number, sizeof number);
    break;
  }
  case Carrier::Chunk:
    pack(message, nodeChannel.chunks().data(chunk));
    std::memcpy(slot->data.data(), &chunk, sizeof chunk);
    break;
  default:
    if (bytes != 0)
      pack(message, slot->data.data());
  }
  Mailbox::publish(*slot);
  return sent;
}

Sent send(Lane& lane, Request& request, Communicator& comm, const Outgoing& message, int destination,
          int tag) {
  Sent sent = lane.isWaiting ? Sent::NoRoom : trySend(lane, request, message);
  if (sent == Sent::Done || sent == Sent::Failed)
    return sent;
  const MessageBuffer& data = message.data;
  detail::markPending(request, comm, data.plain ? nullptr : message.datatype, data, destination, tag);
  // For what is done later: resume(), sendRefused().
  request.buffer = data.address;
  request.elements = data.count;
  request.transportType = data.type;
  request.envelopeBits = message.envelope;
  request.synchronous = message.synchronous;
  if (sent == Sent::NoRoom)
    nodeChannel.postpone(lane, request);
  return Sent::UnderWay;
}

Request* sendPlainSlowly(Lane& lane, Communicator& comm, const void* buffer, std::uint64_t bytes,
                         int destination, int tag) noexcept {
  const MessageBuffer data{const_cast<void*>(buffer), bytes, bytes, 0, true};
  const Outgoing message{comm.sendBits() | static_cast<std::uint32_t>(tag), data, nullptr, false};
  Request& request = requestPool.take();
  const auto failed = [&](int errorClass) {
    detail::markPending(request, comm, nullptr, data, destination, tag);
    request.inTransport = false;
    request.completeWith(errorClass);
    return &request;
  };
  try {
    prepare(lane, bytes, false);
  } catch (const Error& error) {
    if (error.errorClass() != MPI_ERR_PROC_ABORTED) // of a death the program hears
      log::error(error.message());
    request.transportStatus = UCS_ERR_UNREACHABLE;
    return failed(error.errorClass());
  }
  switch (send(lane, request, comm, message, destination, tag)) {
  case Sent::Done:
    requestPool.putBack(request);
    return nullptr;
  case Sent::Failed:
    return failed(errorClassOf(request.transportStatus));
  default:
    return &request;
  }
}

bool resume(Lane& lane, Request& request) {
  const MessageBuffer data = detail::bufferOf(request);
  const Sent sent =
      trySend(lane, request, {request.envelopeBits, data, request.datatype, request.synchronous});
  if (sent == Sent::NoRoom)
    return false;
  unlist<ByEnvelope>(request);
  completeUnlessUnderWay(request, sent);
  return true;
}

void failWaiting(Request& request) noexcept {
  unlist<ByEnvelope>(request);
  completeSend(request, MPI_ERR_PROC_ABORTED);
}

void completeSend(Request& request, int errorClass) noexcept {
  if (request.isComplete()) // it was given up
    return;
  request.inTransport = false;
  request.completeWith(errorClass);
}

void sendRefused(Lane& lane, Request& request, std::uint64_t number) noexcept {
  const MessageBuffer data = detail::bufferOf(request);
  Sent sent = Sent::Failed;
  request.transportStatus = UCS_ERR_UNREACHABLE;
  try {
    prepare(lane, data.bytes, request.synchronous); // connections may have been closed meanwhile
    sent =
        sendData(lane, request, {request.envelopeBits, data, request.datatype, request.synchronous}, number);
  } catch (const Error& error) {
    log::error(error.message());
  }
  completeUnlessUnderWay(request, sent);
}

} // namespace mpl::node
