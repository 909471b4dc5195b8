#include "pt2pt/FastPath.h"

namespace mpl::fastPath {

constinit bool open = false;

ucp_request_param_t sendParameters = {
    .op_attr_mask = UCP_OP_ATTR_FIELD_REQUEST | UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_MEMORY_TYPE,
    .flags = 0,
    .request = nullptr,
    .cb = {.send = mpl::detail::sendDone},
    .datatype = 0,
    .user_data = nullptr,
    .reply_buffer = nullptr,
    .memory_type = UCS_MEMORY_TYPE_HOST,
    .recv_info = {},
    .memh = nullptr};

ucp_request_param_t receiveParameters = {
    .op_attr_mask = UCP_OP_ATTR_FIELD_REQUEST | UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_MEMORY_TYPE |
                    UCP_OP_ATTR_FLAG_NO_IMM_CMPL,
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
  if (UCS_PTR_IS_ERR(status))
    return notTaken();
  requestPool.takeThis(request);
  request.begin(Request::Kind::Send);
  request.inTransport = true;
  request.outcome = Outcome::empty();
  return &request;
}

Request* dropReceive(Request& request) {
  requestPool.releaseUnseen(request);
  return notTaken();
}

} // namespace mpl::fastPath
