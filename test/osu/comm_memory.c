/* Memory that a communicator takes: makes many copies of MPI_COMM_WORLD and prints, for each one, what they
 * add to the memory of rank 0's process (KiB) when they are made and further with a first barrier on each,
 * and the memory that all its ranks on this node share (KiB) after that and after a reduction of 64 KiB. One
 * line: ranks, own, own more by use, shared, shared with large data. */
#include "proc.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How many are made; how many of them are used; how many for large data. */
enum { communicators = 1000, used = 64, usedLargely = 16, elements = 16384 };

/* KiB of shared memory without a name that this process has mapped, used or not. */
static double sharedKiB(void) {
  char line[512];
  double bytes = 0;
  FILE* file = fopen("/proc/self/maps", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    unsigned long from, to;
    if (strstr(line, "/memfd:") != NULL && sscanf(line, "%lx-%lx", &from, &to) == 2)
      bytes += (double)(to - from);
  }
  if (file != NULL)
    fclose(file);
  return bytes / 1024;
}

int main(int argc, char** argv) {
  static float out[elements], in[elements];
  MPI_Comm comms[communicators];
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  /* What the first use of anything takes is not the communicators'. */
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
  MPI_Barrier(comms[0]);
  MPI_Allreduce(out, in, elements, MPI_FLOAT, MPI_SUM, comms[0]);
  MPI_Comm_free(&comms[0]);

  const double ownAtFirst = lineKiB("/proc/self/status", "RssAnon:");
  const double sharedAtFirst = sharedKiB();
  for (int i = 0; i < communicators; ++i)
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  const double ownMade = lineKiB("/proc/self/status", "RssAnon:");
  for (int i = 0; i < used; ++i)
    MPI_Barrier(comms[i]);
  const double ownUsed = lineKiB("/proc/self/status", "RssAnon:");
  const double shared = sharedKiB();
  for (int i = 0; i < usedLargely; ++i)
    MPI_Allreduce(out, in, elements, MPI_FLOAT, MPI_SUM, comms[i]);
  const double sharedLarge = sharedKiB();
  for (int i = 0; i < communicators; ++i)
    MPI_Comm_free(&comms[i]);
  if (rank == 0) {
    const double sharedEach = (shared - sharedAtFirst) / used;
    printf("%d %.2f %.2f %.1f %.1f\n", ranks, (ownMade - ownAtFirst) / communicators,
           (ownUsed - ownMade) / used, sharedEach, sharedEach + (sharedLarge - shared) / usedLargely);
  }
  MPI_Finalize();
  return 0;
}
