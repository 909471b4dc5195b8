/* One collective of the benchmarks: which one, on what buffers, and the ways to call it. */
#pragma once

#include "elements.h"
#include "layout.h"
#include "neighbours.h"

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

/* All a call needs. `count` elements, or one of a derived datatype, go from each rank, or to each in those
 * that say something different to everyone; in the reduce_scatter forms `count` is what all ranks get
 * together. The arrays are as long as there are peers: ranks of the communicator, or neighbours. */
typedef struct Call {
  Collective which;
  const BenchOptions* options;
  MPI_Comm comm; /* for the neighbourhood forms one that has the neighbours */
  Neighbours neighbours;
  int rank;
  int ranks;
  int peers;
  int root;
  Layout layout; /* of one block */
  MPI_Datatype type;
  int count;
  int* counts;
  int* places;         /* of the blocks, in elements, or in derived datatypes */
  int* bytePlaces;     /* and in bytes */
  MPI_Aint* distances; /* the same as MPI_Aint */
  MPI_Datatype* types;
  char* out;
  char* in;
  const void* send; /* `out` and `in`, or MPI_IN_PLACE */
  void* receive;
} Call;

/* What there is of a collective: a root, neighbours, a reduction, MPI_IN_PLACE. */
int hasRoot(Collective which);
int hasNeighbours(Collective which);
int isReduction(Collective which);
int hasInPlace(Collective which);

/* Sets what depends on the size: datatype, count, counts and places of the blocks. */
void callResize(Call* call, size_t bytes);
void callRelease(Call* call);
/* Sets the root and what depends on it. */
void callRoot(Call* call, int root);

void callBlocking(const Call* call);
MPI_Request callStart(const Call* call);
/* Makes a persistent request; ends the job with a message when the MPI at hand has none. */
MPI_Request callInit(const Call* call);

/* Fills the buffers so that callWrong() knows what must arrive; how many elements differ from that. */
void callFill(const Call* call);
size_t callWrong(const Call* call);
