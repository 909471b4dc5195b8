/* Messages per second that rank 0 can take with a matched probe: rank 1 sends windows of messages, rank 0
 * asks with MPI_Improbe until one is there, takes it with MPI_Imrecv and completes all at the end of the
 * window; beside it the same with MPI_Irecv posted at once. */
#include "pair.h"

static void send(char* buffer, int bytes, int window, MPI_Request* requests) {
  for (int w = 0; w < window; ++w)
    MPI_Isend(buffer, bytes, MPI_CHAR, 0, dataTag, world, &requests[w]);
  MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
  MPI_Recv(NULL, 0, MPI_CHAR, 0, answerTag, world, MPI_STATUS_IGNORE);
}

static void take(char* buffer, int bytes, int window, int matched, MPI_Request* requests) {
  for (int w = 0; w < window; ++w) {
    int there = 0;
    MPI_Message message;
    if (!matched) {
      MPI_Irecv(buffer, bytes, MPI_CHAR, 1, dataTag, world, &requests[w]);
      continue;
    }
    while (!there)
      MPI_Improbe(MPI_ANY_SOURCE, dataTag, world, &there, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(buffer, bytes, MPI_CHAR, &message, &requests[w]);
  }
  MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
  MPI_Send(NULL, 0, MPI_CHAR, 1, answerTag, world);
}

static double windows(int rank, char* buffer, size_t size, const BenchOptions* options, int matched,
                      long times, MPI_Request* requests) {
  const double start = benchSeconds();
  for (long i = 0; i < times; ++i) {
    if (rank == 1)
      send(buffer, (int)size, options->window, requests);
    else
      take(buffer, (int)size, options->window, matched, requests);
  }
  return benchSeconds() - start;
}

int main(int argc, char** argv) {
  BenchOptions options = {.letters = "WI",
                          .smallest = 1,
                          .largest = 1 << 20,
                          .window = 64,
                          .defaultIterations = 200,
                          .defaultWarmup = 20};
  const int rank = pairBegin(argc, argv, &options, MPI_THREAD_SINGLE);
  char* buffer = benchMemory(options.largest);
  MPI_Request* requests = mpiAllocate((size_t)options.window * sizeof *requests);
  if (rank == 0)
    benchHeader(&options, "MPI message rate with matched probes", "Improbe (1/s)        Irecv (1/s)");
  for (size_t size = options.smallest; size <= options.largest; size = benchNext(size)) {
    BenchSeries series = benchSeries(&options, size);
    const double messages = (double)series.perBlock * options.window;
    double posted = 0;
    benchFill(buffer, size, rank == 1 ? 5 : 99);
    for (int matched = 0; matched < 2; ++matched)
      windows(rank, buffer, size, &options, matched, benchWarmup(&options, size) + 1, requests);
    if (options.check)
      pairCheck(&options, buffer, size, 5);
    for (int block = 0; block < series.blocks; ++block) {
      posted +=
          messages / windows(rank, buffer, size, &options, 0, series.perBlock, requests) / series.blocks;
      series.values[block] = messages / windows(rank, buffer, size, &options, 1, series.perBlock, requests);
    }
    if (rank == 0)
      benchRowMore(&options, size, &series, 1, &posted);
    benchSeriesFree(&series);
  }
  free(requests);
  free(buffer);
  mpiEnd();
  return 0;
}
