#pragma once

#include "pt2pt/Message.h"
#include "pt2pt/Receive.h"
#include "pt2pt/Send.h"
#include "pt2pt/node/CopyMessage.h"
#include "pt2pt/node/NodeReceive.h"

/// The common case of sends and receives at the least number of instructions (make instruction-count): plain
/// data, a named peer that was sent to before, one thread at a time, everybody alive. Everything else, wrong
/// arguments included, is left to the general path, which checks again and explains.
namespace mpl::fastPath {

/// What is the same in all operations; the request changes.
[[gnu::visibility("hidden")]] extern ucp_request_param_t sendParameters;
[[gnu::visibility("hidden")]] extern ucp_request_param_t receiveParameters;
/// For messages of which a probe has told all: the receive may end without calling back.
[[gnu::visibility("hidden")]] extern ucp_request_param_t matchedParameters;

/// Makes the pool's front, which UCX has taken for a send, a pending request; where UCX refused, a request
/// that has completed with the error, so that nothing but the request matters after UCX was called.
[[gnu::cold]] Request* adoptSend(Request& request, ucs_status_ptr_t status);
/// bytes: of the message, where it is known.
[[gnu::cold]] Request* failReceive(Request& request, ucs_status_ptr_t status, std::uint64_t bytes = 0);

/// Whether the fast path may be taken; sets the size of the message. `size` is that of an element of plain
/// data and not 0; peers: how many ranks may be meant. Where the types of count and size are small, the
/// compiler leaves out what cannot be.
template <class Count, class Size>
[[gnu::always_inline]] inline bool fits(const void* buffer, Count count, Size size, int peer, int tag,
                                        unsigned peers, std::int64_t& bytes) {
  constexpr std::uintptr_t constants = 16; // MPI_BOTTOM, MPI_IN_PLACE and such are below
  return static_cast<unsigned>(peer) < peers &&
         static_cast<unsigned>(tag) <= static_cast<unsigned>(envelope::maxTag) &&
         reinterpret_cast<std::uintptr_t>(buffer) >= constants &&
         !__builtin_mul_overflow(count, size, &bytes) && bytes >= 0;
}

template <class Count, class Size>
[[gnu::always_inline]] inline bool fitsSend(const void* buffer, Count count, Size size, int dest, int tag,
                                            const Communicator* comm, std::int64_t& bytes, Route& route) {
  return fits(buffer, count, size, dest, tag, comm->fastPeerCount(), bytes) &&
         static_cast<std::uint64_t>(bytes) <= largestDirect && (route = comm->knownRoute(dest)).isConnected();
}

template <class Count, class Size>
[[gnu::always_inline]] inline bool fitsReceive(const void* buffer, Count count, Size size, int source,
                                               int tag, const Communicator* comm, std::int64_t& bytes) {
  return fits(buffer, count, size, source, tag, comm->transportSources(), bytes) && requestPool.hasSpare();
}

/// The same for a receive from a rank to which there is a lane.
template <class Count, class Size>
[[gnu::always_inline]] inline bool fitsLaneReceive(const void* buffer, Count count, Size size, int source,
                                                   int tag, const Communicator* comm, std::int64_t& bytes) {
  return fits(buffer, count, size, source, tag, comm->fastPeerCount(), bytes) &&
         comm->knownRoute(source).isLane() && requestPool.hasSpare();
}

/// After fitsSend() with a route that is no lane: nullptr when the message left at once, else the request
/// that is under way.
[[gnu::always_inline]] inline Request* send(const void* buffer, std::int64_t bytes, int dest, int tag,
                                            Communicator* comm, ucp_ep_h endpoint) {
  // Nearly always the send completes and the request stays where it is.
  Request& request = requestPool.front();
  request.comm = comm;
  request.peer = dest;
  request.tag = tag;
  sendParameters.request = &request;
  const ucs_status_ptr_t status =
      ucp_tag_send_nbx(endpoint, buffer, static_cast<std::size_t>(bytes),
                       comm->sendBits() | static_cast<std::uint32_t>(tag), &sendParameters);
  if (status == nullptr) [[likely]]
    return nullptr;
  // The request is where UCX was told, wherever the pool's front is by now.
  return adoptSend(*static_cast<Request*>(sendParameters.request), status);
}

/// After fitsReceive(): the request.
[[gnu::always_inline]] inline Request* receive(void* buffer, std::int64_t bytes, int source, int tag,
                                               Communicator* comm) {
  Request* request = requestPool.takeSpare();
  request->beginNamedReceive();
  request->comm = comm;
  const std::uint64_t bits = envelope::make(comm->messageContext(), source, tag);
  request->envelopeBits = bits;
  request->capacity = static_cast<std::uint64_t>(bytes);
  receiveParameters.request = request;
  const ucs_status_ptr_t status = ucp_tag_recv_nbx(engine.worker(), buffer, static_cast<std::size_t>(bytes),
                                                   bits, envelope::fullMask, &receiveParameters);
  // UCX gives the request back that it was given, or an error.
  if (UCS_PTR_IS_ERR(status)) [[unlikely]]
    return failReceive(*static_cast<Request*>(receiveParameters.request), status);
  return static_cast<Request*>(status);
}

/// After fitsLaneReceive(): the request.
[[gnu::always_inline]] inline Request* receiveInLane(void* buffer, std::int64_t bytes, int source, int tag,
                                                     Communicator* comm) {
  Request* request = requestPool.takeSpare();
  node::startPlainReceive(*request, *comm, buffer, static_cast<std::uint64_t>(bytes), source, tag);
  return request;
}

/// Whether a probe may take the fast path; comm is not null.
[[gnu::always_inline]] inline bool fitsProbe(int source, int tag, const Communicator* comm) {
  return static_cast<unsigned>(source) < comm->fastPeerCount() &&
         static_cast<unsigned>(tag) <= static_cast<unsigned>(envelope::maxTag);
}

/// After fitsProbe(): takes a message that waits already out of matching; nullptr where there is none.
[[gnu::always_inline]] inline Message* take(Communicator& comm, int source, int tag) {
  Message& message = messagePool.front();
  if (!message.take(comm, source, {envelope::make(comm.messageContext(), source, tag), envelope::fullMask}))
    return nullptr;
  messagePool.takeFront();
  return &message;
}

/// Whether the receive of a message, whose handle may be a stale one, can take the fast path.
template <class Count, class Size>
[[gnu::always_inline]] inline bool fitsMatched(const void* buffer, Count count, Size size,
                                               const Message& message, std::int64_t& bytes) {
  return message.isHeld() && !message.holdsComm &&
         fits(buffer, count, size, 0, 0, message.comm->fastPeerCount(), bytes) && requestPool.hasSpare();
}

/// Hands the receive of a message to UCX, whose answer comes back; the message's handle is stale then.
[[gnu::always_inline]] inline ucs_status_ptr_t issueMatched(Request& request, ucp_request_param_t& parameters,
                                                            void* buffer, std::int64_t bytes,
                                                            Message& message) {
  request.beginNamedReceive();
  request.comm = message.comm;
  request.envelopeBits = message.probed.getInfo().senderTag;
  request.capacity = static_cast<std::uint64_t>(bytes);
  const ucp_tag_message_h handle = message.probed.releaseHandle();
  messagePool.putBackQuickly(message);
  parameters.request = &request;
  return ucp_tag_msg_recv_nbx(engine.worker(), buffer, static_cast<std::size_t>(bytes), handle, &parameters);
}

/// The receive of a message that came through memory; nullptr where it has ended well and `atOnce` is true.
[[gnu::always_inline]] inline Request* receiveArrival(void* buffer, std::int64_t bytes, Message& message,
                                                      bool atOnce) {
  Arrival& arrival = *std::exchange(message.arrival, nullptr);
  const Incoming incoming = arrival.incoming();
  Request* request = nullptr;
  if (atOnce && incoming.isHere() && incoming.length <= static_cast<std::uint64_t>(bytes)) [[likely]] {
    copyMessage(static_cast<std::byte*>(buffer), incoming.data, incoming.length);
  } else {
    request = requestPool.takeSpare();
    node::startMatched(*request, *message.comm, buffer, static_cast<std::uint64_t>(bytes), incoming);
  }
  nodeChannel.matching().end(arrival);
  messagePool.putBackQuickly(message);
  return request;
}

/// After fitsMatched(): nullptr when the data, all that the probe told of, is in the buffer; else the request
/// that is under way.
[[gnu::always_inline]] inline Request* receiveAtOnce(void* buffer, std::int64_t bytes, Message& message) {
  if (message.arrival != nullptr)
    return receiveArrival(buffer, bytes, message, true);
  Request* request = requestPool.takeSpare();
  const std::size_t length = message.probed.getInfo().length;
  const ucs_status_ptr_t status = issueMatched(*request, matchedParameters, buffer, bytes, message);
  // UCX gives back what it was given, which is what counts now.
  request = static_cast<Request*>(matchedParameters.request);
  if (status == nullptr) [[likely]] {
    request->active = request->inTransport = false;
    requestPool.putBack(*request);
    return nullptr;
  }
  return UCS_PTR_IS_ERR(status) ? failReceive(*request, status, length) : request;
}

/// After fitsMatched(): the request.
[[gnu::always_inline]] inline Request* receive(void* buffer, std::int64_t bytes, Message& message) {
  if (message.arrival != nullptr)
    return receiveArrival(buffer, bytes, message, false);
  const ucs_status_ptr_t status =
      issueMatched(*requestPool.takeSpare(), receiveParameters, buffer, bytes, message);
  if (UCS_PTR_IS_ERR(status)) [[unlikely]]
    return failReceive(*static_cast<Request*>(receiveParameters.request), status);
  return static_cast<Request*>(status);
}

} // namespace mpl::fastPath
