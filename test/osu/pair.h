/* How the benchmarks between two ranks begin and end. */
#pragma once

#include "bench.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* Starts MPI and reads the options; ends the job unless there are exactly two ranks. Gives the rank. */
static inline int pairBegin(int argc, char** argv, BenchOptions* options) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 2) {
    if (rank == 0)
      fprintf(stderr, "%s: needs 2 ranks, has %d\n", argv[0], ranks);
    MPI_Finalize();
    exit(2);
  }
  benchOptions(argc, argv, rank, options);
  return rank;
}

/* With -c: ends the job when data are wrong. */
static inline void pairCheck(const void* buffer, size_t bytes, unsigned seed) {
  const size_t wrong = benchDiffers(buffer, bytes, seed);
  if (wrong != 0) {
    fprintf(stderr, "%zu of %zu bytes are wrong\n", wrong, bytes);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
}
