#include "pt2pt/FastPath.h"

#include "pt2pt/HostParameters.h"

namespace mpl::fastPath {

constinit ucp_request_param_t sendParameters =
    hostParameters(UCP_OP_ATTR_FIELD_REQUEST, mpl::detail::sendDone);
constinit ucp_request_param_t receiveParameters =
    hostParameters(UCP_OP_ATTR_FIELD_REQUEST | UCP_OP_ATTR_FLAG_NO_IMM_CMPL, mpl::detail::receiveDone);
constinit ucp_request_param_t matchedParameters =
    hostParameters(UCP_OP_ATTR_FIELD_REQUEST, mpl::detail::receiveDone);

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
