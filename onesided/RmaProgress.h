#pragma once

#include "onesided/RmaLock.h"
#include "pt2pt/Progress.h"

#include <atomic>
#include <cstdint>

namespace mpl {

class Window;

/// Progress of all transports of windows: by whoever waits in MPI, and by a thread of its own while nobody
/// does.
namespace rmaProgress {

/// The first window of the process is about to be made.
void prepare();

/// A window comes whose members reach this process by messages and UCX: the first time worker, address and
/// progress thread come to life. Each window leaves when it goes; without any, waits for messages do not look
/// at windows.
void start();
void leave() noexcept;
bool isRunning() noexcept;

/// One round; RmaLock held.
unsigned poll();

/// What a wait does between its turns: two-sided progress, and the deaths that were noticed. Throws
/// MPI_ERR_PROC_ABORTED where rank (MPI_ANY_SOURCE: any member) of the window is dead.
void restOf(const Window& window, int rank);

} // namespace rmaProgress

/// Drives progress until ready() is true, which is called with RmaLock held. Gives up with
/// MPI_ERR_PROC_ABORTED when the rank the wait depends on (MPI_ANY_SOURCE: any member) has died.
template <class Ready> void rmaWait(const Window& window, int rank, Ready&& ready) {
  Backoff backoff;
  for (;;) {
    do {
      RmaLock lock;
      if (ready())
        return;
      if (rmaProgress::poll() != 0)
        backoff.hopeful();
    } while (backoff.spin());
    rmaProgress::restOf(window, rank);
    backoff.rest();
  }
}

} // namespace mpl
