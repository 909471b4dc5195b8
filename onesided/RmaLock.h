#pragma once

#include "pt2pt/EngineLock.h"

namespace mpl {

/// The one lock around the transports of windows and what their progress touches. Real where the program has
/// several threads (which it may come to have later, by a session) or the progress thread runs; it may be
/// taken with the engine held, never the other way round.
class RmaLock {
public:
  RmaLock() noexcept : held_(threaded || engineThreaded) {
    if (held_) [[unlikely]]
      mutex.lock();
  }
  ~RmaLock() { release(); }
  RmaLock(const RmaLock&) = delete;
  RmaLock& operator=(const RmaLock&) = delete;

  void release() noexcept {
    if (held_) [[unlikely]] {
      held_ = false;
      mutex.unlock();
    }
  }

  /// Without a scope, where it is known to be real and nothing can throw.
  static bool tryToTake() noexcept { return mutex.tryLock(); }
  static void giveBack() noexcept { mutex.unlock(); }

  /// From now on taking it means something. Called while no other thread can hold it.
  static void makeReal() noexcept { threaded = true; }
  /// Whether some thread waits for it.
  static bool isContended() noexcept { return mutex.contended(); }

private:
  static bool threaded;
  static EngineMutex mutex;

  bool held_;
};

} // namespace mpl
