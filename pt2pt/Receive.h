#pragma once

#include "pt2pt/Communicator.h"
#include "pt2pt/Engine.h"
#include "pt2pt/MessageBuffer.h"
#include "pt2pt/Request.h"

namespace mpl {

namespace detail {

void receiveDone(void* request, ucs_status_t status, const ucp_tag_recv_info_t* info, void*);

[[noreturn, gnu::cold]] void failReceive(Request& request, ucs_status_ptr_t status);

/// Fills in a request for a receive and the parameters that UCX takes.
inline void prepareReceive(Request& request, ucp_request_param_t& param, Communicator& comm,
                           const MessageBuffer& data, const Datatype* datatype, int source, int tag) {
  request.begin(Request::Kind::Receive);
  request.inTransport = true;
  request.capacity = data.bytes;
  request.peer = source;
  request.tag = tag;
  request.attach(comm);
  // The status is wanted always, and only the callback has it (UCX 1.13 fills no recv_info): no immediate
  // completion.
  param.op_attr_mask = UCP_OP_ATTR_FIELD_REQUEST | UCP_OP_ATTR_FIELD_CALLBACK |
                       UCP_OP_ATTR_FIELD_MEMORY_TYPE | UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
  param.request = &request;
  param.cb.recv = receiveDone;
  param.memory_type = UCS_MEMORY_TYPE_HOST;
  if (!data.plain) [[unlikely]] {
    param.op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE;
    param.datatype = data.type;
    datatype->retain();
    request.datatype = const_cast<Datatype*>(datatype);
  }
}

} // namespace detail

/// Starts a receive into a request that is the caller's (fresh from the pool, or persistent); engine held;
/// all arguments are checked. It may be complete on return. source may be MPI_ANY_SOURCE, tag MPI_ANY_TAG.
inline void startReceive(Request& request, Communicator& comm, std::uint64_t contextBits,
                         const MessageBuffer& data, const Datatype* datatype, int source, int tag) {
  ucp_request_param_t param;
  detail::prepareReceive(request, param, comm, data, datatype, source, tag);
  const envelope::Pattern wanted = envelope::pattern(contextBits, source, tag);
  const ucs_status_ptr_t status =
      ucp_tag_recv_nbx(engine.worker(), data.address, data.count, wanted.bits, wanted.mask, &param);
  if (UCS_PTR_IS_ERR(status)) [[unlikely]]
    detail::failReceive(request, status);
}

/// The same with a request from the pool.
inline Request& startReceive(Communicator& comm, std::uint64_t contextBits, const MessageBuffer& data,
                             const Datatype* datatype, int source, int tag) {
  if (endpoints.deadCount() != 0) [[unlikely]]
    comm.checkAlive(source);
  Request& request = requestPool.take();
  startReceive(request, comm, contextBits, data, datatype, source, tag);
  return request;
}

/// What went wrong with a completed request, for its error message.
std::string describeFailure(const Request& request);

} // namespace mpl
