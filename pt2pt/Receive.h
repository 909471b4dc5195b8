#pragma once

#include "pt2pt/Communicator.h"
#include "pt2pt/Engine.h"
#include "pt2pt/MessageBuffer.h"
#include "pt2pt/Request.h"
#include "pt2pt/TagProbeInfo.h"
#include "pt2pt/node/NodeReceive.h"

namespace mpl {

namespace detail {

void receiveDone(void* request, ucs_status_t status, const ucp_tag_recv_info_t* info, void*);

/// Completes a receive that UCX has ended; bits: the envelope of the message, where one came.
void receiveEnded(Request& request, ucs_status_t status, std::uint64_t bits,
                  const ucp_tag_recv_info_t* info) noexcept;

/// The buffer of a described receive (pt2pt/node).
inline MessageBuffer bufferOf(const Request& request) noexcept {
  const bool plain = request.datatype == nullptr;
  return {request.buffer, plain ? request.capacity : request.elements, request.capacity,
          request.transportType, plain};
}

/// Hands a receive to UCX; done: its callback.
ucs_status_ptr_t issueReceive(Request& request, const MessageBuffer& data, const envelope::Pattern& wanted,
                              ucp_tag_recv_nbx_callback_t done = receiveDone);

/// Completes a receive that UCX refused to start; bytes: of the message, where it is known.
[[gnu::cold]] void completeRefused(Request& request, ucs_status_ptr_t status,
                                   std::uint64_t bytes = 0) noexcept;

[[noreturn, gnu::cold]] void failReceive(Request& request, ucs_status_ptr_t status);

/// Makes a request a pending receive.
inline void prepareReceive(Request& request, Communicator& comm, const MessageBuffer& data,
                           const Datatype* datatype, int source, int tag) {
  request.begin(Request::Kind::Receive);
  request.inTransport = true;
  request.capacity = data.bytes;
  request.peer = source;
  request.tag = tag;
  request.attach(comm);
  if (!data.plain) [[unlikely]] {
    datatype->retain();
    request.datatype = const_cast<Datatype*>(datatype);
  }
}

/// What UCX takes for a receive.
inline ucp_request_param_t receiveParameters(Request& request, const MessageBuffer& data,
                                             ucp_tag_recv_nbx_callback_t done = receiveDone) {
  ucp_request_param_t param;
  // The status is wanted always, and only the callback has it (UCX 1.13 fills no recv_info): no immediate
  // completion.
  param.op_attr_mask = UCP_OP_ATTR_FIELD_REQUEST | UCP_OP_ATTR_FIELD_CALLBACK |
                       UCP_OP_ATTR_FIELD_MEMORY_TYPE | UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
  param.request = &request;
  param.cb.recv = done;
  param.memory_type = UCS_MEMORY_TYPE_HOST;
  if (!data.plain) [[unlikely]] {
    param.op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE;
    param.datatype = data.type;
  }
  return param;
}

} // namespace detail

/// Starts a receive into a request that is the caller's (fresh from the pool, or persistent); engine held;
/// all arguments are checked. It may be complete on return. source may be MPI_ANY_SOURCE, tag MPI_ANY_TAG.
inline void startReceive(Request& request, Communicator& comm, std::uint64_t contextBits,
                         const MessageBuffer& data, const Datatype* datatype, int source, int tag) {
  detail::prepareReceive(request, comm, data, datatype, source, tag);
  const envelope::Pattern wanted = envelope::pattern(contextBits, source, tag);
  if (nodeChannel.isOpen()) {
    node::describe(request, data, wanted);
    return node::startReceive(request, source);
  }
  const ucs_status_ptr_t status = detail::issueReceive(request, data, wanted);
  if (UCS_PTR_IS_ERR(status)) [[unlikely]]
    detail::failReceive(request, status);
}

/// The same with a request from the pool.
inline Request& startReceive(Communicator& comm, std::uint64_t contextBits, const MessageBuffer& data,
                             const Datatype* datatype, int source, int tag) {
  if (endpoints.deadCount() != 0) [[unlikely]]
    comm.checkSource(contextBits, source, tag);
  Request& request = requestPool.take();
  startReceive(request, comm, contextBits, data, datatype, source, tag);
  return request;
}

/// Takes a receive back for which no message has come yet; it completes as cancelled, or with
/// request.failWith. One that has its message goes on.
void withdraw(Request& request) noexcept;

/// Hands a described receive (pt2pt/node) to UCX; it completes with an error where UCX refuses it.
void receiveFromTransport(Request& request) noexcept;
/// The same for a message that a probe took out of UCX's matching.
void receiveMatched(Request& request, TagProbeInfo& probed) noexcept;

/// What went wrong with a completed request, for its error message.
std::string describeFailure(const Request& request);

} // namespace mpl
