#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace mpl {

/// Does something when its scope has not ended in time: for calls of libraries that may never come back and
/// cannot be interrupted. The action runs in a thread of its own, while the call still waits.
class Watchdog {
public:
  /// No limit where it is 0.
  Watchdog(std::chrono::nanoseconds limit, std::function<void()> action);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::thread thread_;
};

} // namespace mpl
