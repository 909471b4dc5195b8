#include "pt2pt/Engine.h"

#include "bootstrap/SharedMemoryCheck.h"
#include "bootstrap/SignalsHeld.h"
#include "pt2pt/Request.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace mpl {

Engine engine;

void checkUcx(ucs_status_t status, const char* what) {
  if (status != UCS_OK)
    fail(status == UCS_ERR_NO_MEMORY ? MPI_ERR_NO_MEM : MPI_ERR_INTERN, what, ": ",
         ucs_status_string(status));
}

namespace {

struct UcxSetting {
  const char* variable;
  const char* value;
};

// What MPL needs of UCX and a user's own setting overrides.
// The default of 20 s is how long a dead peer on another node would go unnoticed.
constexpr UcxSetting keepalive{"UCX_KEEPALIVE_INTERVAL", "2s"};
// Without these, endpoints that report the death of a peer fall back from shared memory to TCP.
constexpr UcxSetting posixErrors{"UCX_POSIX_ERROR_HANDLING", "y"};
constexpr UcxSetting sysvErrors{"UCX_SYSV_ERROR_HANDLING", "y"};

// Our settings stand in the environment while UCX reads them. ucp_config_modify would do, but UCX warns about
// a setting of a transport that is not in use; so settings of transports are made when it is known which are.
class SettingsInForce {
public:
  SettingsInForce() = default;
  ~SettingsInForce() {
    for (const char* variable : ours_)
      unsetenv(variable);
  }
  SettingsInForce(const SettingsInForce&) = delete;
  SettingsInForce& operator=(const SettingsInForce&) = delete;

  void add(const UcxSetting& setting) {
    if (std::getenv(setting.variable) == nullptr && setenv(setting.variable, setting.value, 0) == 0)
      ours_.push_back(setting.variable);
  }

private:
  std::vector<const char*> ours_;
};

// What UCX prints of the context: the one way to learn which transports it will use.
std::string reportOf(ucp_context_h context) {
  char* report = nullptr;
  std::size_t length = 0;
  std::FILE* stream = open_memstream(&report, &length);
  if (stream == nullptr)
    return {};
  ucp_context_print_info(context, stream);
  std::fclose(stream);
  const std::unique_ptr<char, void (*)(void*)> owned(report, std::free);
  return std::string(report, length);
}

// A transport that cannot have its memory (containers) makes UCX give up as a whole: the transports to leave
// out.
const char* withoutDeniedMemory(int localRanks) {
  const auto memory = SharedMemoryCheck::ofThisProcess(localRanks);
  if (memory.posix)
    return memory.systemV ? nullptr : "^sysv";
  return memory.systemV ? "^posix" : "^posix,sysv";
}

} // namespace

void Engine::start(bool threaded, int localRanks) {
  const SignalsHeld signals; // UCX makes threads, and files in /dev/shm
  SettingsInForce settings;
  settings.add(keepalive);
  if (const char* transports = withoutDeniedMemory(localRanks))
    settings.add({"UCX_TLS", transports}); // a choice of the user's stands
  ucp_params_t params{};
  params.field_mask =
      UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_MT_WORKERS_SHARED | UCP_PARAM_FIELD_TAG_SENDER_MASK;
  params.features = UCP_FEATURE_TAG;
  params.mt_workers_shared = 0;
  params.tag_sender_mask = 0;
  checkUcx(ucp_init(&params, nullptr, &context_), "ucp_init");
  const std::string report = reportOf(context_);
  const bool posix = report.find("posix/") != std::string::npos;
  const bool systemV = report.find("sysv/") != std::string::npos;
  usesSharedMemory_ = posix || systemV;
  if (posix)
    settings.add(posixErrors);
  if (systemV)
    settings.add(sysvErrors);

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

void Engine::stop() noexcept {
  if (worker_ != nullptr)
    ucp_worker_destroy(worker_);
  worker_ = nullptr;
  if (context_ != nullptr)
    ucp_cleanup(context_);
  context_ = nullptr;
  hooks_.clear();
  address_.clear();
}

unsigned Engine::runHooks() {
  if (runningHooks_) // a hook's own sends and receives may end up here again
    return 0;
  runningHooks_ = true;
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
  return events;
}

void Engine::removeHook(ProgressHook& hook) noexcept {
  std::erase(hooks_, &hook);
}

} // namespace mpl
