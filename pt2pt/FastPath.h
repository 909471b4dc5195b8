#pragma once

#include "pt2pt/Receive.h"
#include "pt2pt/Send.h"

namespace mpl::fastPath {

/// The common case of sends and receives at the least number of instructions (make instruction-count): plain data,
/// a named peer that was sent to before, one thread at a time, everybody alive. Everything else, wrong arguments
/// included, is left to the general path, which checks again and explains.

/// One thread at a time and nobody known to be dead; set by the engine and by Endpoints.
extern bool open;

/// What is the same in all operations; the request changes.
extern ucp_request_param_t sendParameters;
extern ucp_request_param_t receiveParameters;

/// Says that the general path has to do it: nothing has happened.
inline Request* notTaken() noexcept { return reinterpret_cast<Request*>(1); }

/// Makes the pool's front, which UCX has taken for a send, a pending request; notTaken() where UCX refused.
[[gnu::cold]] Request* adoptSend(Request& request, ucs_status_ptr_t status);
[[gnu::cold]] Request* dropReceive(Request& request);

namespace detail {

constexpr std::uintptr_t constants = 16; // MPI_BOTTOM, MPI_IN_PLACE and such are below

inline bool isPlainMessage(const void* buffer, MPI_Count count, const Communicator* comm, const Datatype* type,
                           int peer, int tag) {
  return comm != nullptr && type != nullptr && type->isPlain() && count >= 0 &&
         static_cast<unsigned>(peer) < static_cast<unsigned>(comm->peerCount()) &&
         static_cast<unsigned>(tag) <= static_cast<unsigned>(envelope::maxTag) &&
         reinterpret_cast<std::uintptr_t>(buffer) >= constants && open;
}

} // namespace detail

/// nullptr: the message left at once. A request: it is under way. notTaken().
template <SendMode mode>
[[gnu::always_inline]] inline Request* send(const void* buffer, MPI_Count count, MPI_Datatype datatype, int dest,
                                            int tag, MPI_Comm handle) {
  Communicator* comm = communicators->find(handle);
  const Datatype* type = datatypes->find(datatype);
  if (mode != SendMode::Standard || !detail::isPlainMessage(buffer, count, comm, type, dest, tag)) [[unlikely]]
    return notTaken();
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(count, static_cast<std::int64_t>(type->size()), &bytes)) [[unlikely]]
    return notTaken();
  ucp_ep_h endpoint = comm->knownEndpoint(dest);
  if (endpoint == nullptr) [[unlikely]]
    return notTaken();
  // Nearly always the send completes and the request stays where it is.
  Request& request = requestPool.front();
  request.comm = comm;
  request.peer = dest;
  request.tag = tag;
  request.capacity = static_cast<std::uint64_t>(bytes);
  sendParameters.request = &request;
  const ucs_status_ptr_t status =
      ucp_tag_send_nbx(endpoint, buffer, static_cast<std::size_t>(bytes),
                       comm->sendBits() | static_cast<std::uint32_t>(tag), &sendParameters);
  if (status == nullptr) [[likely]]
    return nullptr;
  return adoptSend(request, status);
}

/// A request, or notTaken().
[[gnu::always_inline]] inline Request* receive(void* buffer, MPI_Count count, MPI_Datatype datatype, int source,
                                               int tag, MPI_Comm handle) {
  Communicator* comm = communicators->find(handle);
  const Datatype* type = datatypes->find(datatype);
  if (!detail::isPlainMessage(buffer, count, comm, type, source, tag)) [[unlikely]]
    return notTaken();
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(count, static_cast<std::int64_t>(type->size()), &bytes)) [[unlikely]]
    return notTaken();
  Request* request = requestPool.takeQuickly();
  if (request == nullptr) [[unlikely]]
    return notTaken();
  request->beginReceive();
  request->comm = comm;
  request->peer = source;
  request->tag = tag;
  request->capacity = static_cast<std::uint64_t>(bytes);
  receiveParameters.request = request;
  const ucs_status_ptr_t status = ucp_tag_recv_nbx(
      engine.worker(), buffer, static_cast<std::size_t>(bytes),
      envelope::make(comm->messageContext(), source, tag), envelope::fullMask, &receiveParameters);
  if (UCS_PTR_IS_ERR(status)) [[unlikely]]
    return dropReceive(*request);
  return request;
}

} // namespace mpl::fastPath
