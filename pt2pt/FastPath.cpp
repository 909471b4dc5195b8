#include "pt2pt/FastPath.h"

namespace mpl::fastPath {

ucp_request_param_t sendParameters = {.op_attr_mask = UCP_OP_ATTR_FIELD_REQUEST | UCP_OP_ATTR_FIELD_CALLBACK |
                                                      UCP_OP_ATTR_FIELD_MEMORY_TYPE,
                                      .flags = 0,
                                      .request = nullptr,
                                      .cb = {.send = mpl::detail::sendDone},
                                      .datatype = 0,
                                      .user_data = nullptr,
                                      .reply_buffer = nullptr,
                                      .memory_type = UCS_MEMORY_TYPE_HOST,
                                      .recv_info = {},
                                      .memh = nullptr};

ucp_request_param_t receiveParameters = {.op_attr_mask =
                                             UCP_OP_ATTR_FIELD_REQUEST | UCP_OP_ATTR_FIELD_CALLBACK |
                                             UCP_OP_ATTR_FIELD_MEMORY_TYPE | UCP_OP_ATTR_FLAG_NO_IMM_CMPL,
                                         .flags = 0,
                                         .request = nullptr,
                                         .cb = {.recv = mpl::detail::receiveDone},
                                         .datatype = 0,
                                         .user_data = nullptr,
                                         .reply_buffer = nullptr,
                                         .memory_type = UCS_MEMORY_TYPE_HOST,
                                         .recv_info = {},
                                         .memh = nullptr};

ucp_request_param_t matchedParameters = {
    .op_attr_mask = UCP_OP_ATTR_FIELD_REQUEST | UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_MEMORY_TYPE,
    .flags = 0,
    .request = nullptr,
    .cb = {.recv = mpl::detail::receiveDone},
    .datatype = 0,
    .user_data = nullptr,
    .reply_buffer = nullptr,
    .memory_type = UCS_MEMORY_TYPE_HOST,
    .recv_info = {},
    .memh = nullptr};

Request* adoptSend(Request& request, ucs_status_ptr_t status) {
  requestPool.takeThis(request);
  request.begin(Request::Kind::Send);
  request.capacity = 0; // not kept: only messages about failures would tell it
  request.outcome = Outcome::empty();
  request.inTransport = UCS_PTR_IS_PTR(status);
  if (!request.inTransport)
    request.completeWith(errorClassOf(UCS_PTR_STATUS(status)));
  return &request;
}

Request* failReceive(Request& request, ucs_status_ptr_t status, std::uint64_t bytes) {
  detail::completeRefused(request, status, bytes);
  return &request;
}

} // namespace mpl::fastPath
