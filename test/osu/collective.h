/* One collective of the benchmarks: which one, on what buffers, and the ways to call it. */
#pragma once

#include "elements.h"

#include <mpi.h>

typedef enum Collective {
  allgather,
  allgatherv,
  allreduce,
  alltoall,
  alltoallv,
  alltoallw,
  barrier,
  bcast,
  exscan,
  gather,
  gatherv,
  reduce,
  reduceScatter,
  reduceScatterBlock,
  scan,
  scatter,
  scatterv,
  neighborAllgather,
  neighborAllgatherv,
  neighborAlltoall,
  neighborAlltoallv,
  neighborAlltoallw,
  collectives
} Collective;

/* All a call needs. `count` elements go from each rank, or to each in those that say something different to
 * everyone; in the reduce_scatter forms `count` is what all ranks get together. The arrays are as long as
 * there are peers: ranks of the communicator, or neighbours. */
typedef struct Call {
  Collective which;
  const BenchOptions* options;
  MPI_Comm comm; /* a ring of two neighbours each for the neighbourhood forms */
  int rank;
  int ranks;
  int peers;
  int root;
  MPI_Datatype type;
  int count;
  int* counts;
  int* places;         /* of the blocks, in elements */
  int* bytePlaces;     /* and in bytes */
  MPI_Aint* distances; /* the same as MPI_Aint */
  MPI_Datatype* types;
  char* out;
  char* in;
} Call;

/* Sets what depends on the size: count, counts and places of the blocks. */
void callResize(Call* call, size_t bytes);

void callBlocking(const Call* call);
MPI_Request callStart(const Call* call);
/* Makes a persistent request; ends the job with a message when the MPI at hand has none. */
MPI_Request callInit(const Call* call);

/* Fills the buffers so that callWrong() knows what must arrive; how many elements differ from that. */
void callFill(const Call* call);
size_t callWrong(const Call* call);
