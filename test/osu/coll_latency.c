/* Time of a blocking collective: "coll_latency COLLECTIVE [options]", or "all" for all of them one after the
 * other, each under a line with its name. Every call is timed by itself, with a barrier between the calls
 * that is not timed; the value is the mean over calls and ranks. Sizes are bytes: of the whole data for
 * broadcasts and reductions, of one rank's block for the others. */
#include "bench.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum Kind {
  barrier,
  bcast,
  reduce,
  allreduce,
  reduce_scatter_block,
  reduce_scatter,
  scan,
  exscan,
  allgather,
  allgatherv,
  gather,
  gatherv,
  scatter,
  scatterv,
  alltoall,
  alltoallv,
  alltoallw,
  neighbor_allgather,
  neighbor_allgatherv,
  neighbor_alltoall,
  neighbor_alltoallv,
  neighbor_alltoallw,
  kinds
};
static const char* const names[kinds] = {"barrier",
                                         "bcast",
                                         "reduce",
                                         "allreduce",
                                         "reduce_scatter_block",
                                         "reduce_scatter",
                                         "scan",
                                         "exscan",
                                         "allgather",
                                         "allgatherv",
                                         "gather",
                                         "gatherv",
                                         "scatter",
                                         "scatterv",
                                         "alltoall",
                                         "alltoallv",
                                         "alltoallw",
                                         "neighbor_allgather",
                                         "neighbor_allgatherv",
                                         "neighbor_alltoall",
                                         "neighbor_alltoallv",
                                         "neighbor_alltoallw"};

static char* out;
static char* in;
static int rank, ranks;
static MPI_Comm ring; /* each rank's neighbours are the one before and the one behind it */

/* One entry for each rank (or neighbour). */
static int* counts;
static int* starts;
static MPI_Aint* farStarts;
static MPI_Datatype* types;

static void describe(enum Kind kind, int bytes) {
  const int floats = bytes / (int)sizeof(float);
  for (int i = 0; i < ranks + 2; ++i) {
    counts[i] = kind == reduce_scatter ? floats / ranks + (i < floats % ranks) : bytes;
    starts[i] = i * bytes;
    farStarts[i] = (MPI_Aint)i * bytes;
    types[i] = MPI_BYTE;
  }
}

static void callOnNeighbors(enum Kind kind, int bytes) {
  switch (kind) {
  case neighbor_allgather:
    MPI_Neighbor_allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, ring);
    break;
  case neighbor_allgatherv:
    MPI_Neighbor_allgatherv(out, bytes, MPI_BYTE, in, counts, starts, MPI_BYTE, ring);
    break;
  case neighbor_alltoall:
    MPI_Neighbor_alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, ring);
    break;
  case neighbor_alltoallv:
    MPI_Neighbor_alltoallv(out, counts, starts, MPI_BYTE, in, counts, starts, MPI_BYTE, ring);
    break;
  default:
    MPI_Neighbor_alltoallw(out, counts, farStarts, types, in, counts, farStarts, types, ring);
  }
}

static void call(enum Kind kind, int bytes) {
  const int floats = bytes / (int)sizeof(float);
  const MPI_Comm world = MPI_COMM_WORLD;
  switch (kind) {
  case barrier:
    MPI_Barrier(world);
    break;
  case bcast:
    MPI_Bcast(out, bytes, MPI_BYTE, 0, world);
    break;
  case reduce:
    MPI_Reduce(out, in, floats, MPI_FLOAT, MPI_SUM, 0, world);
    break;
  case allreduce:
    MPI_Allreduce(out, in, floats, MPI_FLOAT, MPI_SUM, world);
    break;
  case reduce_scatter_block:
    MPI_Reduce_scatter_block(out, in, floats / ranks, MPI_FLOAT, MPI_SUM, world);
    break;
  case reduce_scatter:
    MPI_Reduce_scatter(out, in, counts, MPI_FLOAT, MPI_SUM, world);
    break;
  case scan:
    MPI_Scan(out, in, floats, MPI_FLOAT, MPI_SUM, world);
    break;
  case exscan:
    MPI_Exscan(out, in, floats, MPI_FLOAT, MPI_SUM, world);
    break;
  case allgather:
    MPI_Allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, world);
    break;
  case allgatherv:
    MPI_Allgatherv(out, bytes, MPI_BYTE, in, counts, starts, MPI_BYTE, world);
    break;
  case gather:
    MPI_Gather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, world);
    break;
  case gatherv:
    MPI_Gatherv(out, bytes, MPI_BYTE, in, counts, starts, MPI_BYTE, 0, world);
    break;
  case scatter:
    MPI_Scatter(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, world);
    break;
  case scatterv:
    MPI_Scatterv(out, counts, starts, MPI_BYTE, in, bytes, MPI_BYTE, 0, world);
    break;
  case alltoall:
    MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, world);
    break;
  case alltoallv:
    MPI_Alltoallv(out, counts, starts, MPI_BYTE, in, counts, starts, MPI_BYTE, world);
    break;
  case alltoallw:
    MPI_Alltoallw(out, counts, starts, types, in, counts, starts, types, world);
    break;
  default:
    callOnNeighbors(kind, bytes);
  }
}

/* Mean over calls and ranks, in microseconds. */
static double meanTime(enum Kind kind, int bytes, long calls) {
  double mine = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  for (long i = 0; i < calls; ++i) {
    const double start = benchSeconds();
    call(kind, bytes);
    mine += benchSeconds() - start;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  mine *= 1e6 / (double)calls;
  double sum;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum / ranks;
}

static void measure(enum Kind kind, const BenchOptions* options) {
  if (rank == 0)
    benchHeader(options, names[kind], "Latency (us)");
  for (size_t size = options->smallest; size <= options->largest; size = benchNext(size)) {
    /* Something for each rank. */
    if ((kind == reduce_scatter || kind == reduce_scatter_block) && size < (size_t)ranks * sizeof(float))
      continue;
    const long iterations = benchIterations(options, size);
    double blocks[benchBlocks];
    describe(kind, (int)size);
    for (long i = 0; i < benchWarmup(options, size); ++i)
      call(kind, (int)size);
    for (int block = 0; block < benchBlocks; ++block)
      blocks[block] = meanTime(kind, (int)size, iterations / benchBlocks);
    if (rank == 0)
      benchRow(options, size, blocks, iterations);
    if (kind == barrier)
      return;
  }
}

int main(int argc, char** argv) {
  BenchOptions options = {
      .smallest = 4, .largest = 1 << 20, .window = 1, .defaultIterations = 1000, .defaultWarmup = 50};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* wanted = argc > 1 ? argv[1] : "all";
  if (argc > 1) {
    argv[1] = argv[0];
    --argc;
    ++argv;
  }
  benchOptions(argc, argv, rank, &options);
  const size_t entries = (size_t)ranks + 2;
  out = benchMemory(options.largest * entries);
  in = benchMemory(options.largest * entries);
  counts = benchMemory(entries * sizeof *counts);
  starts = benchMemory(entries * sizeof *starts);
  farStarts = benchMemory(entries * sizeof *farStarts);
  types = benchMemory(entries * sizeof *types);
  const int periodic = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);

  int found = 0;
  for (int kind = 0; kind < kinds; ++kind)
    if (strcmp(wanted, "all") == 0 || strcmp(wanted, names[kind]) == 0) {
      measure((enum Kind)kind, &options);
      found = 1;
    }
  if (!found && rank == 0)
    fprintf(stderr, "coll_latency: no collective is called %s\n", wanted);
  MPI_Comm_free(&ring);
  free(types);
  free(farStarts);
  free(starts);
  free(counts);
  free(in);
  free(out);
  MPI_Finalize();
  return found ? 0 : 2;
}
