#pragma once

#include <ucp/api/ucp.h>

#include <utility>

namespace mpl {

/// Takes an endpoint to a process that does not answer any more out of use: what is under way on it ends with
/// an error instead of waiting.
inline void closeByForce(ucp_ep_h& endpoint) noexcept {
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
  param.flags = UCP_EP_CLOSE_FLAG_FORCE;
  void* const closing = ucp_ep_close_nbx(std::exchange(endpoint, nullptr), &param);
  if (UCS_PTR_IS_PTR(closing))
    ucp_request_free(closing);
}

} // namespace mpl
