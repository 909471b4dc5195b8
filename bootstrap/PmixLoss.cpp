#include "bootstrap/PmixLoss.h"

#include "mpl/Log.h"

#include <atomic>
#include <csignal>
#include <pmix.h>
#include <unistd.h>

namespace mpl {

namespace {

std::atomic<bool> watching{false};

// By PMIx's thread.
void serverIsLost(std::size_t, pmix_status_t, const pmix_proc_t*, pmix_info_t*, std::size_t, pmix_info_t*,
                  std::size_t, pmix_event_notification_cbfunc_fn_t goOn, void* handed) {
  if (watching.exchange(false)) {
    log::error("the launcher has gone, and nobody else would end the job: this process ends");
    ::kill(::getpid(), SIGTERM);
  }
  if (goOn != nullptr)
    goOn(PMIX_EVENT_ACTION_COMPLETE, nullptr, 0, nullptr, nullptr, handed);
}

// The answer is of no interest, but without a function for it PMIx waits.
void registered(pmix_status_t, std::size_t, void*) {}

} // namespace

void watchPmixServer() {
  static pmix_status_t codes[] = {PMIX_ERR_LOST_CONNECTION}; // read later
  watching.store(true);
  PMIx_Register_event_handler(codes, 1, nullptr, 0, serverIsLost, registered, nullptr);
}

void ignorePmixServer() noexcept {
  watching.store(false);
}

} // namespace mpl
