// Synchronisation of windows: MPI-5.0, section 12.5. By any thread at MPI_THREAD_MULTIPLE. Errors, to the
// window's handler: MPI_ERR_WIN, MPI_ERR_ASSERT, MPI_ERR_RMA_SYNC for a call that does not fit the epochs
// that are open, MPI_ERR_PROC_ABORTED where a process that the call depends on has died; calls that complete
// operations: those of the operations (MPI_ERR_RMA_RANGE on dynamic windows).
#include "api/Checks.h"
#include "api/WindowGuard.h"

using namespace mpl;
using namespace mpl::api;

namespace {

void checkAssertion(int assertion, int allowed) {
  if ((assertion & ~allowed) != 0)
    fail(MPI_ERR_ASSERT, "assert is ", assertion, ", of which ", assertion & ~allowed,
         " is no assertion for this function");
}

bool isExclusive(int lockType) {
  if (lockType != MPI_LOCK_EXCLUSIVE && lockType != MPI_LOCK_SHARED)
    fail(MPI_ERR_LOCKTYPE, "lock_type is ", lockType,
         ", which is neither MPI_LOCK_SHARED nor MPI_LOCK_EXCLUSIVE");
  return lockType == MPI_LOCK_EXCLUSIVE;
}

template <bool local> [[gnu::cold, gnu::noinline]] int flushSlowly(int rank, MPI_Win win) {
  return guardedOn(local ? "MPI_Win_flush_local" : "MPI_Win_flush", win,
                   [&](Window& window) { window.flush(rank, local); });
}

template <bool local> [[gnu::always_inline]] inline int flush(int rank, MPI_Win win) {
  const Window* window = windows->findMade(win);
  if (window != nullptr && window->flushQuickly(rank)) [[likely]]
    return MPI_SUCCESS;
  return flushSlowly<local>(rank, win);
}

} // namespace

extern "C" {

/// Collective over the window's group. assert: 0 or MPI_MODE_NOSTORE, NOPUT, NOPRECEDE, NOSUCCEED.
int PMPI_Win_fence(int assert, MPI_Win win) {
  return guardedOn("MPI_Win_fence", win, [&](Window& window) {
    checkAssertion(assert, MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED);
    window.fence(assert);
  });
}

/// Does not wait. Errors also: MPI_ERR_GROUP for a group that is not of the window's.
int PMPI_Win_post(MPI_Group group, int assert, MPI_Win win) {
  return guardedOn("MPI_Win_post", win, [&](Window& window) {
    checkAssertion(assert, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT);
    window.post(groupOf(group), assert);
  });
}
/// Waits until all of the group have called MPI_Win_post. Errors also: MPI_ERR_GROUP.
int PMPI_Win_start(MPI_Group group, int assert, MPI_Win win) {
  return guardedOn("MPI_Win_start", win, [&](Window& window) {
    checkAssertion(assert, MPI_MODE_NOCHECK);
    window.start(groupOf(group), assert);
  });
}
int PMPI_Win_complete(MPI_Win win) {
  return guardedOn("MPI_Win_complete", win, [](Window& window) { window.complete(); });
}
int PMPI_Win_wait(MPI_Win win) {
  return guardedOn("MPI_Win_wait", win, [](Window& window) { window.finishExposure(true); });
}
/// flag: 1 where MPI_Win_wait would have returned; then the epoch is over.
int PMPI_Win_test(MPI_Win win, int* flag) {
  return guardedOn("MPI_Win_test", win, [&](Window& window) {
    checkPointer(flag, "flag");
    *flag = window.finishExposure(false);
  });
}

/// Waits until the lock is had. Errors also: MPI_ERR_LOCKTYPE, MPI_ERR_RANK.
int PMPI_Win_lock(int lock_type, int rank, int assert, MPI_Win win) {
  return guardedOn("MPI_Win_lock", win, [&](Window& window) {
    checkAssertion(assert, MPI_MODE_NOCHECK);
    const bool exclusive = isExclusive(lock_type);
    if (rank != MPI_PROC_NULL)
      window.lock(exclusive, rank, assert);
  });
}
/// Operations have taken place at the target when it returns. Errors also: MPI_ERR_RANK.
int PMPI_Win_unlock(int rank, MPI_Win win) {
  return guardedOn("MPI_Win_unlock", win, [&](Window& window) {
    if (rank != MPI_PROC_NULL)
      window.unlock(rank);
  });
}
int PMPI_Win_lock_all(int assert, MPI_Win win) {
  return guardedOn("MPI_Win_lock_all", win, [&](Window& window) {
    checkAssertion(assert, MPI_MODE_NOCHECK);
    window.lockAll(assert);
  });
}
int PMPI_Win_unlock_all(MPI_Win win) {
  return guardedOn("MPI_Win_unlock_all", win, [](Window& window) { window.unlockAll(); });
}

/// Operations have taken place at the target (local: their buffers here may be used) when it returns. Errors
/// also: MPI_ERR_RANK.
int PMPI_Win_flush(int rank, MPI_Win win) {
  return flush<false>(rank, win);
}
int PMPI_Win_flush_local(int rank, MPI_Win win) {
  return flush<true>(rank, win);
}
int PMPI_Win_flush_all(MPI_Win win) {
  return guardedOn("MPI_Win_flush_all", win, [](Window& window) { window.flushAll(false); });
}
int PMPI_Win_flush_local_all(MPI_Win win) {
  return guardedOn("MPI_Win_flush_local_all", win, [](Window& window) { window.flushAll(true); });
}

/// Local: a memory barrier.
int PMPI_Win_sync(MPI_Win win) {
  return guardedOn("MPI_Win_sync", win, [](Window& window) { window.sync(); });
}

} // extern "C"

#include "api/windowSync.aliases.h"
