/* What a matched probe costs: the time to take a message that is waiting, with MPI_Recv, and with MPI_Mprobe
 * and MPI_Mrecv. The two take turns, block by block, on windows of messages that have all arrived. Prints
 * both and their ratio. */
#include "pair.h"

enum { waitingTag = 1, markTag = 2, goTag = 3 };

/* One window: rank 1 sends the messages and, behind them, a mark; when rank 0 has the mark the messages are
 * there. Gives the seconds for one message. */
static double takeWindow(const BenchOptions* options, int rank, char* buffer, size_t bytes, int matched,
                         MPI_Request* requests) {
  const int window = options->window, check = options->check;
  double seconds = 0;
  if (rank == 1) {
    MPI_Recv(NULL, 0, MPI_BYTE, 0, goTag, world, MPI_STATUS_IGNORE);
    for (int i = 0; i < window; ++i)
      MPI_Isend(buffer, (int)bytes, MPI_BYTE, 0, waitingTag, world, &requests[i]);
    MPI_Send(NULL, 0, MPI_BYTE, 0, markTag, world);
    MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
    return 0;
  }
  MPI_Send(NULL, 0, MPI_BYTE, 1, goTag, world);
  MPI_Recv(NULL, 0, MPI_BYTE, 1, markTag, world, MPI_STATUS_IGNORE);
  if (check)
    benchFill(buffer, bytes, 99);
  const double start = benchSeconds();
  if (matched) {
    for (int i = 0; i < window; ++i) {
      MPI_Message message;
      MPI_Mprobe(1, waitingTag, world, &message, MPI_STATUS_IGNORE);
      MPI_Mrecv(buffer, (int)bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    }
  } else {
    for (int i = 0; i < window; ++i)
      MPI_Recv(buffer, (int)bytes, MPI_BYTE, 1, waitingTag, world, MPI_STATUS_IGNORE);
  }
  seconds = (benchSeconds() - start) / window;
  if (check)
    pairCheck(options, buffer, bytes, 5);
  return seconds;
}

int main(int argc, char** argv) {
  BenchOptions options = {.letters = "WI",
                          .smallest = 8,
                          .largest = 1 << 20,
                          .window = 64,
                          .defaultIterations = 400,
                          .defaultWarmup = 20};
  const int rank = pairBegin(argc, argv, &options, MPI_THREAD_SINGLE);
  char* buffer = benchMemory(options.largest);
  MPI_Request* requests = mpiAllocate((size_t)options.window * sizeof *requests);
  if (rank == 0)
    printf("# Time to take a waiting message\n%-10s%18s%24s%18s%s\n", "# Size", "Recv (us)",
           "Mprobe + Mrecv (us)", "Ratio", options.check ? "  Validation" : "");
  for (size_t size = options.smallest; size <= options.largest; size = benchNext(size)) {
    const long windows = benchIterations(&options, size);
    double* seconds[2];
    benchFill(buffer, size, 5);
    for (int way = 0; way < 2; ++way)
      seconds[way] = mpiAllocate((size_t)windows * sizeof(double));
    for (long i = -benchWarmup(&options, size); i < windows; ++i)
      for (int way = 0; way < 2; ++way) {
        const double one = takeWindow(&options, rank, buffer, size, way, requests);
        if (i >= 0)
          seconds[way][i] = one;
      }
    if (rank == 0) {
      /* Medians: a window in which the process lost its core says nothing. */
      const double recv = benchMedian(seconds[0], windows), matched = benchMedian(seconds[1], windows);
      printf("%-10zu%18.3f%24.3f%18.3f%s\n", size, recv * 1e6, matched * 1e6, matched / recv,
             options.check ? "        Pass" : "");
      fflush(stdout);
    }
    free(seconds[0]);
    free(seconds[1]);
  }
  free(requests);
  free(buffer);
  mpiEnd();
  return 0;
}
