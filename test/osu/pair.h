/* What the benchmarks that are MPI programs share: how they begin and end, checks, memory. */
#pragma once

#include "elements.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the job with a message and status 2; every rank calls it. */
static inline void mpiRefuse(const char* program, const char* why) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    fprintf(stderr, "%s: %s\n", program, why);
  MPI_Finalize();
  exit(2);
}

/* Starts MPI; ends the job unless there are at least `least` ranks, and an even number where pairs are. */
static inline int mpiBegin(int* argc, char*** argv, int least, int even) {
  int rank, ranks;
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks < least)
    mpiRefuse((*argv)[0], least == 2 ? "needs at least 2 ranks" : "needs more ranks");
  if (even && ranks % 2 != 0)
    mpiRefuse((*argv)[0], "needs an even number of ranks");
  return rank;
}

/* Reads the options; ends the job when there is nothing to measure. */
static inline void mpiOptions(int argc, char** argv, int rank, BenchOptions* options) {
  const int status = benchOptions(argc, argv, rank, options);
  if (status < 0)
    return;
  MPI_Finalize();
  exit(status);
}

/* Starts MPI and reads the options; ends the job unless there are exactly two ranks. Gives the rank. */
static inline int pairBegin(int argc, char** argv, BenchOptions* options) {
  int ranks;
  const int rank = mpiBegin(&argc, &argv, 1, 0);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 2)
    mpiRefuse(argv[0], "needs 2 ranks");
  mpiOptions(argc, argv, rank, options);
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

enum { dataTag = 100, answerTag = 101 };

/* One side of round trips between two ranks; `first` sends first. */
static inline void pairPingPong(int first, int partner, const void* out, void* in, int count,
                                MPI_Datatype type, long trips) {
  for (long i = 0; i < trips; ++i) {
    if (first)
      MPI_Send(out, count, type, partner, dataTag, MPI_COMM_WORLD);
    MPI_Recv(in, count, type, partner, dataTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!first)
      MPI_Send(out, count, type, partner, dataTag, MPI_COMM_WORLD);
  }
}

static inline void* mpiAllocate(size_t bytes) {
  void* memory = malloc(bytes ? bytes : 1);
  if (memory == NULL)
    MPI_Abort(MPI_COMM_WORLD, 1);
  return memory;
}
