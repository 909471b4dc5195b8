#include "onesided/ucx/UcxWay.h"

#include "pt2pt/HostParameters.h"
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

constinit ucp_request_param_t UcxWay::parameters = hostParameters(UCP_OP_ATTR_FIELD_USER_DATA, partDone);

} // namespace mpl
