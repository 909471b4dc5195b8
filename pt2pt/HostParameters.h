#pragma once

#include <ucp/api/ucp.h>

#include <cstdint>

namespace mpl {

/// Parameters of UCX's operations on memory of the host that call back; more: of UCP_OP_ATTR_*.
constexpr ucp_request_param_t hostParameters(std::uint32_t more, ucp_send_nbx_callback_t done) {
  return {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_MEMORY_TYPE | more,
          .flags = 0,
          .request = nullptr,
          .cb = {.send = done},
          .datatype = 0,
          .user_data = nullptr,
          .reply_buffer = nullptr,
          .memory_type = UCS_MEMORY_TYPE_HOST,
          .recv_info = {},
          .memh = nullptr};
}
/// The same for receives.
constexpr ucp_request_param_t hostParameters(std::uint32_t more, ucp_tag_recv_nbx_callback_t done) {
  ucp_request_param_t parameters = hostParameters(more, ucp_send_nbx_callback_t{});
  parameters.cb = {.recv = done};
  return parameters;
}

} // namespace mpl
