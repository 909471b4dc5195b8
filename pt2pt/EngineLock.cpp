#include "pt2pt/EngineLock.h"

#include "pt2pt/CpuPause.h"

namespace mpl {

constinit bool engineThreaded = false;
constinit EngineMutex engineMutex;

void EngineMutex::lockSlowly() noexcept {
  waiting_.fetch_add(1, std::memory_order_relaxed);
  // The holder usually leaves within a microsecond; sleeping costs several.
  for (int spin = 0; spin < 200; ++spin) {
    std::uint32_t expected = 0;
    if (state_.load(std::memory_order_relaxed) == 0 &&
        state_.compare_exchange_strong(expected, 1, std::memory_order_acquire)) {
      waiting_.fetch_sub(1, std::memory_order_relaxed);
      return;
    }
    cpuPause();
  }
  while (state_.exchange(2, std::memory_order_acquire) != 0)
    state_.wait(2, std::memory_order_relaxed);
  waiting_.fetch_sub(1, std::memory_order_relaxed);
}

void EngineMutex::wakeOne() noexcept {
  state_.store(0, std::memory_order_release);
  state_.notify_one();
}

} // namespace mpl
