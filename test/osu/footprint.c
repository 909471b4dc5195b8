/* What a process of a job takes before and while it talks to the others.
 * One line: ranks, then for each of three steps - MPI_Init, a first barrier, a message from each rank to
 * every other - the processor time of a rank (ms, mean), the time of the slowest (ms), the memory that a rank
 * has after it (KiB, its share, mean) and the open files of a rank (greatest); then what the MPI_Finalize of
 * rank 0 takes (ms). */
#include "bench.h"
#include "proc.h"

#include <dirent.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { steps = 3, perStep = 4 };

static double processorSeconds(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
}

static double openFiles(void) {
  double count = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (folder != NULL && readdir(folder) != NULL)
    ++count;
  if (folder != NULL)
    closedir(folder);
  return count - 3; /* . and .. and the folder itself */
}

static double begun[2];

static void begin(void) {
  begun[0] = processorSeconds();
  begun[1] = benchSeconds();
}

static void end(double* step) {
  step[0] = (processorSeconds() - begun[0]) * 1e3;
  step[1] = (benchSeconds() - begun[1]) * 1e3;
  step[2] = lineKiB("/proc/self/smaps_rollup", "Pss:") + lineKiB("/proc/self/status", "VmPTE:");
  step[3] = openFiles();
}

int main(int argc, char** argv) {
  double own[steps * perStep], sum[steps * perStep], most[steps * perStep];
  int rank, ranks;
  begin();
  MPI_Init(&argc, &argv);
  end(own);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  begin();
  MPI_Barrier(MPI_COMM_WORLD);
  end(own + perStep);

  int mine = rank;
  int* theirs = malloc((size_t)ranks * sizeof *theirs);
  MPI_Request* requests = malloc((size_t)ranks * 2 * sizeof *requests);
  begin();
  for (int i = 0; i < ranks; ++i) {
    MPI_Irecv(&theirs[i], 1, MPI_INT, i, 0, MPI_COMM_WORLD, &requests[i]);
    MPI_Isend(&mine, 1, MPI_INT, (rank + i) % ranks, 0, MPI_COMM_WORLD, &requests[ranks + i]);
  }
  MPI_Waitall(2 * ranks, requests, MPI_STATUSES_IGNORE);
  end(own + 2 * perStep);
  for (int i = 0; i < ranks; ++i)
    if (theirs[i] != i)
      MPI_Abort(MPI_COMM_WORLD, 1);

  MPI_Reduce(own, sum, steps * perStep, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Reduce(own, most, steps * perStep, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  const double finalizing = benchSeconds();
  MPI_Finalize();
  if (rank == 0) {
    printf("%d", ranks);
    for (int i = 0; i < steps * perStep; i += perStep)
      printf("  %.2f %.2f %.0f %.0f", sum[i] / ranks, most[i + 1], sum[i + 2] / ranks, most[i + 3]);
    printf("  %.2f\n", (benchSeconds() - finalizing) * 1e3);
  }
  free(theirs);
  free(requests);
  return 0;
}
