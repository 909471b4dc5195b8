#pragma once

#include "pt2pt/Receive.h"
#include "pt2pt/Send.h"

/// The common case of sends and receives at the least number of instructions (make instruction-count): plain
/// data, a named peer that was sent to before, one thread at a time, everybody alive. Everything else, wrong
/// arguments included, is left to the general path, which checks again and explains.
namespace mpl::fastPath {

/// What is the same in all operations; the request changes.
[[gnu::visibility("hidden")]] extern ucp_request_param_t sendParameters;
[[gnu::visibility("hidden")]] extern ucp_request_param_t receiveParameters;

/// Makes the pool's front, which UCX has taken for a send, a pending request; where UCX refused, a request
/// that has completed with the error, so that nothing but the request matters after UCX was called.
[[gnu::cold]] Request* adoptSend(Request& request, ucs_status_ptr_t status);
[[gnu::cold]] Request* failReceive(Request& request, ucs_status_ptr_t status);

/// Whether the fast path may be taken; sets the size of the message. `size` is that of an element of plain
/// data and not 0; comm is not null. Where the types of count and size are small, the compiler leaves out
/// what cannot be.
template <class Count, class Size>
[[gnu::always_inline]] inline bool fits(const void* buffer, Count count, Size size, int peer, int tag,
                                        const Communicator* comm, std::int64_t& bytes) {
  constexpr std::uintptr_t constants = 16; // MPI_BOTTOM, MPI_IN_PLACE and such are below
  return static_cast<unsigned>(peer) < comm->fastPeerCount() &&
         static_cast<unsigned>(tag) <= static_cast<unsigned>(envelope::maxTag) &&
         reinterpret_cast<std::uintptr_t>(buffer) >= constants &&
         !__builtin_mul_overflow(count, size, &bytes) && bytes >= 0;
}

template <class Count, class Size>
[[gnu::always_inline]] inline bool fitsSend(const void* buffer, Count count, Size size, int dest, int tag,
                                            const Communicator* comm, std::int64_t& bytes,
                                            ucp_ep_h& endpoint) {
  return fits(buffer, count, size, dest, tag, comm, bytes) &&
         static_cast<std::uint64_t>(bytes) <= largestDirect &&
         (endpoint = comm->knownEndpoint(dest)) != nullptr;
}

template <class Count, class Size>
[[gnu::always_inline]] inline bool fitsReceive(const void* buffer, Count count, Size size, int source,
                                               int tag, const Communicator* comm, std::int64_t& bytes) {
  return fits(buffer, count, size, source, tag, comm, bytes) && requestPool.hasSpare();
}

/// After fitsSend(): nullptr when the message left at once, else the request that is under way.
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

} // namespace mpl::fastPath
