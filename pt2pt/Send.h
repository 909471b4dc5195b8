#pragma once

#include "pt2pt/Communicator.h"
#include "pt2pt/MessageBuffer.h"
#include "pt2pt/Request.h"

namespace mpl {

/// When a send is complete (MPI-5.0, section 3.4). Ready sends are standard ones; buffered sends are standard
/// ones out of another buffer (BsendBuffer).
enum class SendMode { Standard, Synchronous };

namespace detail {

void sendDone(void* request, ucs_status_t status, void*);

/// Completes a send or receive with the rank `peer` that UCX has ended with an error.
[[gnu::cold]] void completeFailed(Request& request, int peer, ucs_status_t status);

/// Makes the request a pending send: UCX has it.
void markPending(Request& request, Communicator& comm, const Datatype* datatype, const MessageBuffer& data,
                 int destination, int tag);

[[noreturn, gnu::cold]] void failSend(ucs_status_t error, Communicator& comm, const MessageBuffer& data,
                                      int destination, int tag);

/// What is left to do when UCX did not finish the send of a pooled request at once.
Request* finishStartingSend(ucs_status_ptr_t status, Request& request, Communicator& comm,
                            const Datatype* datatype, const MessageBuffer& data, int destination, int tag);

/// Hands a send to UCX with the memory of this request; what comes back is UCX's answer.
template <SendMode mode>
ucs_status_ptr_t issueSend(Request& request, ucp_ep_h endpoint, std::uint64_t bits, const MessageBuffer& data,
                           ucp_send_nbx_callback_t done = sendDone) {
  ucp_request_param_t param;
  param.op_attr_mask = UCP_OP_ATTR_FIELD_REQUEST | UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_MEMORY_TYPE;
  param.request = &request;
  param.cb.send = done;
  param.memory_type = UCS_MEMORY_TYPE_HOST;
  if (!data.plain) [[unlikely]] {
    param.op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE;
    param.datatype = data.type;
  }
  if constexpr (mode == SendMode::Synchronous) {
    // Fast completion keeps UCX from its zero-copy eager protocol, in which an error ends the process.
    param.op_attr_mask |= UCP_OP_ATTR_FLAG_FAST_CMPL;
    return ucp_tag_send_sync_nbx(endpoint, data.address, data.count, bits, &param);
  }
  return ucp_tag_send_nbx(endpoint, data.address, data.count, bits, &param);
}

/// The send of startSend() through memory of the node (pt2pt/node).
Request* startNodeSend(Lane& lane, Communicator& comm, std::uint64_t contextBits, const MessageBuffer& data,
                       const Datatype* datatype, int destination, int tag, bool synchronous);
/// The same for restartSend().
void restartNodeSend(Request& request, Lane& lane, Communicator& comm, const MessageBuffer& data,
                     const Datatype* datatype, int destination, int tag, bool synchronous);

} // namespace detail

/// Starts a send; engine held; all arguments are checked and destination is a rank. Returns nullptr when the
/// message left at once: nothing to wait for, nothing was allocated. datatype: held until completion when the
/// send packs through it.
template <SendMode mode>
Request* startSend(Communicator& comm, std::uint64_t contextBits, const MessageBuffer& data,
                   const Datatype* datatype, int destination, int tag) {
  const Route route = comm.route(destination);
  if (route.isLane())
    return detail::startNodeSend(route.lane(), comm, contextBits, data, datatype, destination, tag,
                                 mode == SendMode::Synchronous);
  Request& request = requestPool.take();
  const ucs_status_ptr_t status =
      detail::issueSend<mode>(request, route.endpoint(), envelope::make(contextBits, comm.rank(), tag), data);
  if (status == nullptr) [[likely]] {
    requestPool.putBack(request);
    return nullptr;
  }
  return detail::finishStartingSend(status, request, comm, data.plain ? nullptr : datatype, data, destination,
                                    tag);
}

/// Starts a send with a request that is the caller's (persistent); it may be complete on return.
template <SendMode mode>
void restartSend(Request& request, Communicator& comm, const MessageBuffer& data, const Datatype* datatype,
                 int destination, int tag) {
  const Route route = comm.route(destination);
  if (route.isLane())
    return detail::restartNodeSend(request, route.lane(), comm, data, datatype, destination, tag,
                                   mode == SendMode::Synchronous);
  const ucs_status_ptr_t status = detail::issueSend<mode>(
      request, route.endpoint(), envelope::make(comm.messageContext(), comm.rank(), tag), data);
  if (status == nullptr) {
    request.begin(Request::Kind::Send);
    request.outcome = Outcome::empty();
    request.complete();
  } else if (UCS_PTR_IS_ERR(status)) {
    detail::failSend(UCS_PTR_STATUS(status), comm, data, destination, tag);
  } else {
    detail::markPending(request, comm, data.plain ? nullptr : datatype, data, destination, tag);
  }
}

/// The class of MPI error that a UCX status stands for when an operation ends with it.
int errorClassOf(ucs_status_t status) noexcept;

} // namespace mpl
