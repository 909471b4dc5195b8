#include "window.h"
#include "pair.h"

#include <stdlib.h>
#include <string.h>

TestWindow windowMake(const BenchOptions* options, size_t bytes) {
  TestWindow window = {.kind = options->kind};
  MPI_Group everyone;
  MPI_Aint base = 0;
  int rank;
  MPI_Comm_rank(world, &rank);
  window.peer = 1 - rank;
  switch (options->kind) {
  case benchAllocate:
    MPI_Win_allocate((MPI_Aint)bytes, 1, MPI_INFO_NULL, world, &window.memory, &window.win);
    memset(window.memory, 1, bytes);
    break;
  case benchCreate:
    window.memory = benchMemory(bytes);
    MPI_Win_create(window.memory, (MPI_Aint)bytes, 1, MPI_INFO_NULL, world, &window.win);
    break;
  default:
    window.memory = benchMemory(bytes);
    MPI_Win_create_dynamic(MPI_INFO_NULL, world, &window.win);
    MPI_Win_attach(window.win, window.memory, (MPI_Aint)bytes);
    MPI_Get_address(window.memory, &base);
  }
  MPI_Sendrecv(&base, 1, MPI_AINT, window.peer, 1, &window.peerBase, 1, MPI_AINT, window.peer, 1, world,
               MPI_STATUS_IGNORE);
  MPI_Comm_group(world, &everyone);
  MPI_Group_incl(everyone, 1, &window.peer, &window.peerGroup);
  MPI_Group_free(&everyone);
  return window;
}

void windowFree(TestWindow* window) {
  MPI_Barrier(world);
  MPI_Group_free(&window->peerGroup);
  if (window->kind == benchDynamic)
    MPI_Win_detach(window->win, window->memory);
  MPI_Win_free(&window->win);
  if (window->kind != benchAllocate)
    free(window->memory);
}

const char* windowKindName(BenchWindow kind) {
  return kind == benchAllocate ? "MPI_Win_allocate"
         : kind == benchCreate ? "MPI_Win_create"
                               : "MPI_Win_create_dynamic";
}

const char* windowSyncName(BenchSync sync) {
  switch (sync) {
  case benchFlush:
    return "MPI_Win_flush";
  case benchFlushLocal:
    return "MPI_Win_flush_local";
  case benchLock:
    return "MPI_Win_lock/unlock";
  case benchLockAll:
    return "MPI_Win_lock_all/unlock_all";
  case benchFence:
    return "MPI_Win_fence";
  default:
    return "MPI_Win_post/start/complete/wait";
  }
}

void windowOpen(const TestWindow* window, BenchSync sync) {
  if (sync == benchFlush || sync == benchFlushLocal)
    MPI_Win_lock(MPI_LOCK_SHARED, window->peer, 0, window->win);
}

void windowClose(const TestWindow* window, BenchSync sync) {
  if (sync == benchFlush || sync == benchFlushLocal)
    MPI_Win_unlock(window->peer, window->win);
}

void windowBegin(const TestWindow* window, BenchSync sync) {
  switch (sync) {
  case benchLock:
    MPI_Win_lock(MPI_LOCK_SHARED, window->peer, 0, window->win);
    break;
  case benchLockAll:
    MPI_Win_lock_all(0, window->win);
    break;
  case benchFence:
    MPI_Win_fence(0, window->win);
    break;
  case benchPscw:
    MPI_Win_start(window->peerGroup, 0, window->win);
    break;
  default:
    break;
  }
}

void windowEnd(const TestWindow* window, BenchSync sync) {
  switch (sync) {
  case benchFlush:
    MPI_Win_flush(window->peer, window->win);
    break;
  case benchFlushLocal:
    MPI_Win_flush_local(window->peer, window->win);
    break;
  case benchLock:
    MPI_Win_unlock(window->peer, window->win);
    break;
  case benchLockAll:
    MPI_Win_unlock_all(window->win);
    break;
  case benchFence:
    MPI_Win_fence(0, window->win);
    break;
  default:
    MPI_Win_complete(window->win);
  }
}

void windowExpose(const TestWindow* window, BenchSync sync) {
  if (sync == benchFence) {
    MPI_Win_fence(0, window->win);
    MPI_Win_fence(0, window->win);
    return;
  }
  MPI_Win_post(window->peerGroup, 0, window->win);
  MPI_Win_wait(window->win);
}

void windowBeginBoth(const TestWindow* window, BenchSync sync) {
  if (sync == benchPscw)
    MPI_Win_post(window->peerGroup, 0, window->win);
  windowBegin(window, sync);
}

void windowEndBoth(const TestWindow* window, BenchSync sync) {
  windowEnd(window, sync);
  if (sync == benchPscw)
    MPI_Win_wait(window->win);
}

void windowWrite(const TestWindow* window, int begin) {
  int rank;
  MPI_Comm_rank(world, &rank);
  if (begin)
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window->win);
  else
    MPI_Win_unlock(rank, window->win);
}
