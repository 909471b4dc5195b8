/* Ping-pong of two ranks that have child processes: each rank forks after MPI_Init (-t S:R processes, itself
 * among them, 2:2 unless told), which makes the memory of the parent shared for copying on write and shows
 * whether a transport stands that. The children sleep and end when the parent is done; they call no MPI. */
#define _POSIX_C_SOURCE 200809L
#include "pair.h"

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child ends with its parent: when the pipe's other end is closed, read() gives nothing. */
static pid_t child(int ends[2]) {
  const pid_t pid = fork();
  if (pid < 0)
    MPI_Abort(world, 1);
  if (pid == 0) {
    char nothing;
    close(ends[1]);
    while (read(ends[0], &nothing, 1) > 0) {
    }
    _exit(0);
  }
  return pid;
}

static void measure(Pair* pair, const BenchOptions* options, size_t size) {
  BenchSeries series = benchSeries(options, size);
  pairResize(pair, options, size, 1);
  series.sent = pair->layout.sent;
  if (options->check) {
    pairFill(pair);
    pairPingPong(pair, options->checks);
    pairVerify(pair, options);
  }
  MPI_Barrier(world);
  pairPingPong(pair, benchWarmup(options, size));
  for (int block = 0; block < series.blocks; ++block) {
    const double start = benchSeconds();
    pairPingPong(pair, series.perBlock);
    series.values[block] = (benchSeconds() - start) * 1e6 / (2.0 * (double)series.perBlock);
  }
  if (pair->rank == 0)
    benchRow(options, size, &series);
  pairFree(pair);
  benchSeriesFree(&series);
}

int main(int argc, char** argv) {
  BenchOptions options = {.letters = "tTdDI",
                          .smallest = 1,
                          .largest = 4 << 20,
                          .counts = {2, 2},
                          .defaultIterations = 1000,
                          .defaultWarmup = 100};
  const int rank = pairBegin(argc, argv, &options, MPI_THREAD_SINGLE);
  Pair pair = {.rank = rank, .peer = 1 - rank, .sends = rank == 0};
  const int children = options.counts[rank] - 1;
  if (options.counts[0] < 1 || options.counts[1] < 1)
    mpiRefuse(&options, "-t: there is one process at least");
  mpiLimit(&options, 2, 0);
  pid_t* pids = mpiAllocate((size_t)children * sizeof *pids);
  int ends[2];
  if (pipe(ends) != 0)
    MPI_Abort(world, 1);
  for (int i = 0; i < children; ++i)
    pids[i] = child(ends);
  close(ends[0]);
  char title[80];
  snprintf(title, sizeof title, "MPI multi-process latency [child processes: %d and %d]",
           options.counts[0] - 1, options.counts[1] - 1);
  for (int type = 0; benchUseType(&options, type); ++type) {
    if (rank == 0)
      benchHeader(&options, title, "Avg Latency(us)");
    for (size_t size = elementsFirst(&options); size <= options.largest; size = elementsNext(&options, size))
      measure(&pair, &options, size);
  }
  close(ends[1]);
  for (int i = 0; i < children; ++i)
    waitpid(pids[i], NULL, 0);
  free(pids);
  mpiEnd();
  return 0;
}
