/* A window between two ranks, made and synchronised in the ways that -w and -s name. */
#pragma once

#include "bench.h"

#include <mpi.h>

typedef struct TestWindow {
  MPI_Win win;
  BenchWindow kind;
  int peer;
  MPI_Group peerGroup;
  char* memory;      /* this rank's part */
  MPI_Aint peerBase; /* displacement of the first byte of the peer's part */
} TestWindow;

/* Both ranks, with so many bytes of memory each. */
TestWindow windowMake(const BenchOptions* options, size_t bytes);
void windowFree(TestWindow* window);
const char* windowKindName(BenchWindow kind);
const char* windowSyncName(BenchSync sync);

/* Before the first and after the last of several epochs with flush and flush_local, which is one long epoch.
 */
void windowOpen(const TestWindow* window, BenchSync sync);
void windowClose(const TestWindow* window, BenchSync sync);

/* Around the operations of one epoch, at the origin; windowExpose is the target's part of fence and pscw. */
void windowBegin(const TestWindow* window, BenchSync sync);
void windowEnd(const TestWindow* window, BenchSync sync);
void windowExpose(const TestWindow* window, BenchSync sync);

/* Around the operations of one epoch in which both are origin and target; fence and pscw. */
void windowBeginBoth(const TestWindow* window, BenchSync sync);
void windowEndBoth(const TestWindow* window, BenchSync sync);

/* Around own loads and stores in the window's memory, while nobody else uses it: begin is 1, then 0. */
void windowWrite(const TestWindow* window, int begin);
