/* One-way time of a message between two ranks: half of a round trip with MPI_Send and MPI_Recv. */
#include "pair.h"

/* Both ranks: `trips` round trips. */
static void pingPong(int rank, char* out, char* in, int bytes, long trips) {
  if (rank == 0) {
    for (long i = 0; i < trips; ++i) {
      MPI_Send(out, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
      MPI_Recv(in, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  } else {
    for (long i = 0; i < trips; ++i) {
      MPI_Recv(in, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(out, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
  }
}

int main(int argc, char** argv) {
  BenchOptions options = {
      .smallest = 1, .largest = 4 << 20, .window = 1, .defaultIterations = 10000, .defaultWarmup = 1000};
  const int rank = pairBegin(argc, argv, &options);
  char* out = benchMemory(options.largest);
  char* in = benchMemory(options.largest);
  if (rank == 0)
    benchHeader(&options, "MPI latency", "Latency (us)");
  for (size_t size = options.smallest; size <= options.largest; size = benchNext(size)) {
    const long iterations = benchIterations(&options, size);
    double blocks[benchBlocks];
    if (options.check) {
      benchFill(out, size, (unsigned)rank);
      benchFill(in, size, 99);
      pingPong(rank, out, in, (int)size, 1);
      pairCheck(in, size, (unsigned)(1 - rank));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    pingPong(rank, out, in, (int)size, benchWarmup(&options, size));
    for (int block = 0; block < benchBlocks; ++block) {
      const double start = benchSeconds();
      pingPong(rank, out, in, (int)size, iterations / benchBlocks);
      blocks[block] = (benchSeconds() - start) * 1e6 / (2.0 * (double)(iterations / benchBlocks));
    }
    if (rank == 0)
      benchRow(&options, size, blocks, iterations);
  }
  free(in);
  free(out);
  MPI_Finalize();
  return 0;
}
