/* Who sends to whom in the neighbourhood collectives, as -N says. */
#pragma once

#include "bench.h"

#include <mpi.h>

typedef struct Neighbours {
  int sources;
  int destinations;
  int* from;
  int* slot; /* which of its blocks the source has for this rank */
  int* to;
} Neighbours;

/* Of one rank, in a communicator of so many: on the ring to its left and right; in the periodic grid of
 * MPI_Dims_create to all whose coordinates are not farther away than the radius; or as the edges say. */
Neighbours neighboursOf(const BenchOptions* options, int ranks, int rank);
void neighboursFree(Neighbours* neighbours);

/* The communicator that has them. */
MPI_Comm neighboursComm(const BenchOptions* options, const Neighbours* neighbours);

/* The greatest rank that an edge names. */
long neighboursGreatest(const BenchOptions* options);
