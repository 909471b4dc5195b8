#pragma once

#include <atomic>
#include <cstdint>

namespace mpl {

/// The one lock around the UCX worker and everything that its callbacks touch. Taken only when the program
/// asked for MPI_THREAD_MULTIPLE; otherwise taking it costs one load. It knows how many threads wait for it,
/// so that a thread which does nothing but wait for a message can step aside for one that has work.
class EngineMutex {
public:
  void lock() noexcept {
    std::uint32_t expected = 0;
    if (!state_.compare_exchange_strong(expected, 1, std::memory_order_acquire))
      lockSlowly();
  }
  [[gnu::always_inline]] bool tryLock() noexcept {
    std::uint32_t expected = 0;
    return state_.compare_exchange_strong(expected, 1, std::memory_order_acquire);
  }

  [[gnu::always_inline]] void unlock() noexcept {
    if (state_.fetch_sub(1, std::memory_order_release) != 1) [[unlikely]]
      wakeOne();
  }

  bool contended() const noexcept { return waiting_.load(std::memory_order_relaxed) != 0; }

private:
  void lockSlowly() noexcept;
  /// unlock() where a thread sleeps: state_ is 1 and nobody's.
  void wakeOne() noexcept;

  std::atomic<std::uint32_t> state_{0}; // 0 free, 1 held, 2 held and a thread sleeps
  std::atomic<std::uint32_t> waiting_{0};
};

/// Whether calls are serialised by us (MPI_THREAD_MULTIPLE); set once, in MPI_Init_thread.
extern bool engineThreaded;
extern EngineMutex engineMutex;

/// Holds the engine for a scope. Not recursive: never call an MPI function or a user's function within it.
class EngineLock {
public:
  EngineLock() noexcept : held_(engineThreaded) {
    if (held_) [[unlikely]]
      engineMutex.lock();
  }
  ~EngineLock() { release(); }
  EngineLock(const EngineLock&) = delete;
  EngineLock& operator=(const EngineLock&) = delete;

  void release() noexcept {
    if (held_) [[unlikely]] {
      held_ = false;
      engineMutex.unlock();
    }
  }

private:
  bool held_;
};

} // namespace mpl
