/* What a window costs: makes many of each kind, with a page of memory at each rank, and frees them.
 *   window_creation [WINDOWS [ROUNDS]]      (default 50 windows at a time, 5 rounds)
 * A line for each kind: ranks, microseconds to make one and to free one (the best round of the slowest rank),
 * and the memory that one takes while it is there (KiB, a rank's share, mean and greatest of the ranks), the
 * page of the window included: its own memory, its share of what several map, and page tables. */
#include "bench.h"
#include "proc.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 1000, bytes = 4096 };

static const char* const kinds[] = {"allocate", "create", "dynamic", "allocate_shared"};

/* KiB of this process; what is mapped by several counts for each in part. */
static double memoryKiB(void) {
  return lineKiB("/proc/self/smaps_rollup", "Pss:") + lineKiB("/proc/self/status", "VmPTE:");
}

static MPI_Win make(int kind, char* memory) {
  MPI_Win win = MPI_WIN_NULL;
  char* base = memory;
  switch (kind) {
  case 0:
    MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    break;
  case 1:
    MPI_Win_create(memory, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    break;
  case 2:
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    break;
  default:
    MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  }
  memset(base, 1, bytes);
  return win;
}

int main(int argc, char** argv) {
  static MPI_Win wins[most];
  const int windows = argc > 1 ? atoi(argv[1]) : 50;
  const int rounds = argc > 2 ? atoi(argv[2]) : 5;
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (windows < 1 || windows > most || rounds < 1) {
    if (rank == 0)
      fprintf(stderr, "usage: window_creation [WINDOWS (1..%d) [ROUNDS]]\n", most);
    MPI_Finalize();
    return 2;
  }
  char* memory = benchMemory((size_t)windows * bytes);
  if (rank == 0)
    printf("# ranks kind      make (us)  free (us)  memory (KiB)  greatest\n");
  for (int kind = 0; kind < 4; ++kind) {
    double least[2] = {1e9, 1e9};
    double grown = 0;
    /* The first round is not measured: what the first window brings stays. */
    for (int round = 0; round <= rounds; ++round) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double before = memoryKiB();
      MPI_Barrier(MPI_COMM_WORLD);
      double times[2];
      double begun = benchSeconds();
      for (int i = 0; i < windows; ++i)
        wins[i] = make(kind, memory + (size_t)i * bytes);
      times[0] = benchSeconds() - begun;
      MPI_Barrier(MPI_COMM_WORLD);
      if (round == rounds)
        grown = memoryKiB() - before;
      MPI_Barrier(MPI_COMM_WORLD);
      begun = benchSeconds();
      for (int i = 0; i < windows; ++i)
        MPI_Win_free(&wins[i]);
      times[1] = benchSeconds() - begun;
      for (int i = 0; i < 2 && round > 0; ++i)
        least[i] = times[i] < least[i] ? times[i] : least[i];
    }
    double slowest[2], sum, greatest;
    MPI_Reduce(least, slowest, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&grown, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&grown, &greatest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
      printf("%d %-16s %8.1f %10.1f %13.2f %9.2f\n", ranks, kinds[kind], slowest[0] * 1e6 / windows,
             slowest[1] * 1e6 / windows, sum / ranks / windows, greatest / windows);
      fflush(stdout);
    }
  }
  free(memory);
  MPI_Finalize();
  return 0;
}
