#pragma once

#include "pt2pt/CpuPause.h"
#include "pt2pt/Engine.h"
#include "pt2pt/EngineLock.h"

#include <chrono>
#include <cstdint>

namespace mpl {

/// Runtime::checkPeers, which looks at the clock first.
void checkPeersNow();

/// How a waiting thread spends its time: it spins first, then yields the processor, then sleeps; sooner where
/// more ranks than processors share the node. Between rests it looks whether peers have died.
class Backoff {
public:
  /// One more turn without success: true while spinning on is right, false when rest() is due.
  bool spin() noexcept { return --spinsLeft_ != 0; }
  /// Something arrived: the wait will not be long.
  void hopeful() noexcept { rests_ = 0; }
  /// Yields or sleeps; engine not held. Checks the health of peers every now and then (may take the engine).
  void rest();

private:
  static constexpr unsigned firstSpins = 64;

  unsigned spinsLeft_ = firstSpins;
  unsigned rests_ = 0;
  std::chrono::steady_clock::time_point since_{};
};

/// Drives progress until ready() is true; takes the engine itself. ready() is called with the engine held and
/// may throw.
template <class Ready> void waitUntil(Ready&& ready) {
  Backoff backoff;
  for (;;) {
    {
      EngineLock lock;
      do {
        if (ready())
          return;
        if (engine.progress() != 0)
          backoff.hopeful();
      } while (backoff.spin());
    }
    backoff.rest();
  }
}

/// For calls that only test, when there was nothing: a program may wait by calling them again and again, so
/// every now and then this looks whether peers have died. Engine not held.
inline void foundNothing() {
  static thread_local unsigned turns = 0;
  if ((++turns & 1023) == 0) [[unlikely]]
    checkPeersNow();
}

/// One round of progress for calls that only test; takes the engine itself.
inline void progressOnce() {
  unsigned events;
  {
    EngineLock lock;
    events = engine.progress();
  }
  if (events == 0)
    foundNothing();
}

} // namespace mpl
