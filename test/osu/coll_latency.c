/* Time of a blocking collective: "coll_latency COLLECTIVE [options]", or "all" for all of them one after the
 * other, each under a line with its name. The value is the mean of the slowest rank. */
#include "bench.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum Kind { barrier, bcast, reduce, allreduce, allgather, gather, scatter, alltoall, kinds };
static const char* const names[kinds] = {"barrier",   "bcast",  "reduce",  "allreduce",
                                         "allgather", "gather", "scatter", "alltoall"};

static char* out;
static char* in;

static void call(enum Kind kind, int bytes) {
  const int floats = bytes / (int)sizeof(float);
  switch (kind) {
  case barrier:
    MPI_Barrier(MPI_COMM_WORLD);
    break;
  case bcast:
    MPI_Bcast(out, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    break;
  case reduce:
    MPI_Reduce(out, in, floats, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD);
    break;
  case allreduce:
    MPI_Allreduce(out, in, floats, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    break;
  case allgather:
    MPI_Allgather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
    break;
  case gather:
    MPI_Gather(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    break;
  case scatter:
    MPI_Scatter(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    break;
  default:
    MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
  }
}

/* A root that only sends must not run away from the others: every eighth call all meet. */
static double slowest(enum Kind kind, int bytes, long calls) {
  const int rooted = kind == bcast || kind == reduce || kind == gather || kind == scatter;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = benchSeconds();
  for (long i = 0; i < calls; ++i) {
    call(kind, bytes);
    if (rooted && i % 8 == 7)
      MPI_Barrier(MPI_COMM_WORLD);
  }
  const double mine = (benchSeconds() - start) * 1e6 / (double)calls;
  double all;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

static void measure(enum Kind kind, const BenchOptions* options, int rank) {
  if (rank == 0)
    benchHeader(options, names[kind], "Latency (us)");
  for (size_t size = options->smallest; size <= options->largest; size = benchNext(size)) {
    const long iterations = benchIterations(options, size);
    double blocks[benchBlocks];
    for (long i = 0; i < benchWarmup(options, size); ++i)
      call(kind, (int)size);
    for (int block = 0; block < benchBlocks; ++block)
      blocks[block] = slowest(kind, (int)size, iterations / benchBlocks);
    if (rank == 0)
      benchRow(options, size, blocks, iterations);
    if (kind == barrier)
      return;
  }
}

int main(int argc, char** argv) {
  BenchOptions options = {
      .smallest = 4, .largest = 1 << 20, .window = 1, .defaultIterations = 1000, .defaultWarmup = 50};
  int rank, ranks;
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
  out = benchMemory(options.largest * (size_t)ranks);
  in = benchMemory(options.largest * (size_t)ranks);
  int found = 0;
  for (int kind = 0; kind < kinds; ++kind)
    if (strcmp(wanted, "all") == 0 || strcmp(wanted, names[kind]) == 0) {
      measure((enum Kind)kind, &options, rank);
      found = 1;
    }
  if (!found && rank == 0)
    fprintf(stderr, "coll_latency: no collective is called %s\n", wanted);
  free(in);
  free(out);
  MPI_Finalize();
  return found ? 0 : 2;
}
