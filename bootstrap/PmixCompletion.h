#pragma once

#include "bootstrap/Process.h"

#include <condition_variable>
#include <mutex>
#include <pmix.h>

namespace mpl {

/// A call that ends by a callback from PMIx's own thread. The callback holds a reference, so that nobody has
/// to wait for it.
struct Completion {
  std::mutex mutex;
  std::condition_variable changed;
  bool ended = false;
  pmix_status_t status = PMIX_SUCCESS;
  Bytes value;

  void end(pmix_status_t result, Bytes bytes) {
    const std::lock_guard lock(mutex);
    status = result;
    value = std::move(bytes);
    ended = true;
    changed.notify_all();
  }
  bool hasEnded() {
    const std::lock_guard lock(mutex);
    return ended;
  }
  bool waitUntil(std::chrono::steady_clock::time_point limit) {
    std::unique_lock lock(mutex);
    return changed.wait_until(lock, limit, [this] { return ended; });
  }
};

} // namespace mpl
