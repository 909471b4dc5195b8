/* How long MPI_Init and MPI_Finalize take. The time of the slowest rank counts. */
#include "bench.h"

#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank;
  double times[2], slowest[2];
  const double start = benchSeconds();
  MPI_Init(&argc, &argv);
  times[0] = benchSeconds() - start;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  /* What the first message costs belongs to starting up. */
  MPI_Barrier(MPI_COMM_WORLD);
  times[1] = benchSeconds() - start;
  MPI_Reduce(times, slowest, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  const double end = benchSeconds();
  MPI_Finalize();
  if (rank == 0)
    printf(
        "# init (ms)   with first barrier (ms)   finalize (ms)   init + finalize (ms)\n%.2f %.2f %.2f %.2f\n",
        slowest[0] * 1e3, slowest[1] * 1e3, (benchSeconds() - end) * 1e3,
        (slowest[0] + benchSeconds() - end) * 1e3);
  return 0;
}
