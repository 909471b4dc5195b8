#include "pt2pt/Engine.h"

#include "bootstrap/SignalsHeld.h"
#include "pt2pt/Request.h"
#include "pt2pt/UcxSettings.h"

#include <algorithm>

namespace mpl {

Engine engine;

void checkUcx(ucs_status_t status, const char* what) {
  if (status != UCS_OK)
    fail(status == UCS_ERR_NO_MEMORY ? MPI_ERR_NO_MEM : MPI_ERR_INTERN, what, ": ",
         ucs_status_string(status));
}

void Engine::start(bool threaded, int localRanks) {
  const SignalsHeld signals; // UCX makes threads, and files in /dev/shm
  UcxSettings settings(localRanks);
  ucp_params_t params{};
  params.field_mask =
      UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_MT_WORKERS_SHARED | UCP_PARAM_FIELD_TAG_SENDER_MASK;
  params.features = UCP_FEATURE_TAG;
  params.mt_workers_shared = 0;
  params.tag_sender_mask = 0;
  checkUcx(ucp_init(&params, nullptr, &context_), "ucp_init");
  usesSharedMemory_ = settings.addFor(context_);

  ucp_context_attr_t attributes{};
  attributes.field_mask = UCP_ATTR_FIELD_REQUEST_SIZE;
  checkUcx(ucp_context_query(context_, &attributes), "ucp_context_query");
  requestBytes_ = attributes.request_size;
  requestPool.configure(requestBytes_);

  ucp_worker_params_t workerParams{};
  workerParams.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  // Calls from several threads are serialised by our own lock.
  workerParams.thread_mode = threaded ? UCS_THREAD_MODE_SERIALIZED : UCS_THREAD_MODE_SINGLE;
  checkUcx(ucp_worker_create(context_, &workerParams, &worker_), "ucp_worker_create");
  engineThreaded = threaded;

  ucp_address_t* address = nullptr;
  std::size_t length = 0;
  checkUcx(ucp_worker_get_address(worker_, &address, &length), "ucp_worker_get_address");
  address_.assign(reinterpret_cast<const char*>(address), length);
  ucp_worker_release_address(worker_, address);
}

bool Engine::flush() noexcept {
  if (!nodeChannel.isFlushed())
    return false;
  if (flushing_ == nullptr) {
    const ucp_request_param_t param{};
    void* const request = ucp_worker_flush_nbx(worker_, &param);
    if (!UCS_PTR_IS_PTR(request))
      return true;
    flushing_ = request;
  }
  if (ucp_request_check_status(flushing_) == UCS_INPROGRESS)
    return false;
  ucp_request_free(flushing_);
  flushing_ = nullptr;
  return true;
}

unsigned Engine::runHooks() {
  if (runningHooks_) // a hook's own sends and receives may end up here again
    return 0;
  runningHooks_ = true;
  hookEvents_ = 0;
  unsigned events = 0;
  for (std::size_t i = 0; i < hooks_.size();) {
    ProgressHook* hook = hooks_[i];
    const bool done = hook->advance();
    // advance() may have added or removed hooks: look where this one is now.
    if (i >= hooks_.size() || hooks_[i] != hook)
      continue;
    if (done) {
      hooks_.erase(hooks_.begin() + static_cast<std::ptrdiff_t>(i));
      ++events;
    } else {
      ++i;
    }
  }
  runningHooks_ = false;
  return events + hookEvents_;
}

void Engine::removeHook(ProgressHook& hook) noexcept {
  std::erase(hooks_, &hook);
}

} // namespace mpl
