/* Bandwidth from rank 0 to rank 1: windows of MPI_Isend and MPI_Irecv, each answered by a short message. */
#include "pair.h"

static void stream(int rank, char* buffer, int bytes, int window, MPI_Request* requests, long windows) {
  char answer = 0;
  if (rank == 0) {
    for (long i = 0; i < windows; ++i) {
      for (int w = 0; w < window; ++w)
        MPI_Isend(buffer, bytes, MPI_BYTE, 1, 100, MPI_COMM_WORLD, &requests[w]);
      MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
      MPI_Recv(&answer, 1, MPI_BYTE, 1, 101, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  } else {
    for (long i = 0; i < windows; ++i) {
      for (int w = 0; w < window; ++w)
        MPI_Irecv(buffer, bytes, MPI_BYTE, 0, 100, MPI_COMM_WORLD, &requests[w]);
      MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
      MPI_Send(&answer, 1, MPI_BYTE, 0, 101, MPI_COMM_WORLD);
    }
  }
}

int main(int argc, char** argv) {
  BenchOptions options = {
      .smallest = 1, .largest = 4 << 20, .window = 64, .defaultIterations = 200, .defaultWarmup = 10};
  const int rank = pairBegin(argc, argv, &options);
  char* buffer = benchMemory(options.largest);
  MPI_Request* requests = malloc((size_t)options.window * sizeof *requests);
  if (requests == NULL)
    MPI_Abort(MPI_COMM_WORLD, 1);
  if (rank == 0)
    benchHeader(&options, "MPI bandwidth", "Bandwidth (MB/s)");
  for (size_t size = options.smallest; size <= options.largest; size = benchNext(size)) {
    const long iterations = benchIterations(&options, size);
    double blocks[benchBlocks];
    if (options.check) {
      benchFill(buffer, size, rank == 0 ? 5 : 99);
      stream(rank, buffer, (int)size, options.window, requests, 1);
      pairCheck(buffer, size, 5);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    stream(rank, buffer, (int)size, options.window, requests, benchWarmup(&options, size));
    for (int block = 0; block < benchBlocks; ++block) {
      const double start = benchSeconds();
      stream(rank, buffer, (int)size, options.window, requests, iterations / benchBlocks);
      blocks[block] =
          (double)size * options.window * (double)(iterations / benchBlocks) / 1e6 / (benchSeconds() - start);
    }
    if (rank == 0)
      benchRow(&options, size, blocks, iterations);
  }
  free(requests);
  free(buffer);
  MPI_Finalize();
  return 0;
}
