#include "bootstrap/Watchdog.h"

#include <utility>

namespace mpl {

Watchdog::Watchdog(std::chrono::nanoseconds limit, std::function<void()> action) {
  if (limit <= std::chrono::nanoseconds::zero())
    return;
  thread_ = std::thread([this, limit, act = std::move(action)] {
    std::unique_lock lock(mutex_);
    if (!ended_.wait_for(lock, limit, [this] { return over_; }))
      act();
  });
}

Watchdog::~Watchdog() {
  if (!thread_.joinable())
    return;
  {
    const std::lock_guard guard(mutex_);
    over_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

} // namespace mpl
