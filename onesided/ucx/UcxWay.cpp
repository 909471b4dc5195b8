#include "onesided/ucx/UcxWay.h"

#include "pt2pt/Send.h"

namespace mpl {

void UcxWay::partDone(void* request, ucs_status_t status, void* pending) {
  static_cast<Pending*>(pending)->end(errorClassOf(status));
  ucp_request_free(request);
}

void UcxWay::takeUnfinished(ucs_status_ptr_t status) {
  Pending& pending = *static_cast<Pending*>(parameters.user_data);
  pending.begin();
  if (!UCS_PTR_IS_PTR(status))
    pending.end(errorClassOf(UCS_PTR_STATUS(status)));
}

void UcxWay::failDead(Pending& pending) noexcept {
  pending.fail(MPI_ERR_PROC_ABORTED);
}

ucp_request_param_t UcxWay::parameters{
    .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_MEMORY_TYPE,
    .flags = 0,
    .request = nullptr,
    .cb = {.send = partDone},
    .datatype = 0,
    .user_data = nullptr,
    .reply_buffer = nullptr,
    .memory_type = UCS_MEMORY_TYPE_HOST,
    .recv_info = {},
    .memh = nullptr};

} // namespace mpl
