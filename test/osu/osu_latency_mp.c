/* Ping-pong of two ranks that have child processes: each rank forks after MPI_Init (-t S:R children, 1:1
 * unless told), which makes the memory of the parent shared for copying on write and shows whether a
 * transport stands that. The children sleep and end when the parent is done; they call no MPI. */
#define _POSIX_C_SOURCE 200809L
#include "pair.h"

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child ends with its parent: when the pipe's other end is closed, read() gives nothing. */
static pid_t child(int ends[2]) {
  const pid_t pid = fork();
  if (pid < 0)
    MPI_Abort(MPI_COMM_WORLD, 1);
  if (pid == 0) {
    char nothing;
    close(ends[1]);
    while (read(ends[0], &nothing, 1) > 0) {
    }
    _exit(0);
  }
  return pid;
}

static void measure(const BenchOptions* options, int rank, size_t size, char* out, char* in) {
  const MPI_Datatype type = elementType(options);
  const int count = (int)(size / elementSize(options));
  BenchSeries series = benchSeries(options, size);
  if (options->check) {
    benchFill(out, size, (unsigned)rank);
    benchFill(in, size, 99);
    pairPingPong(rank == 0, 1 - rank, out, in, count, type, 1);
    pairCheck(in, size, (unsigned)(1 - rank));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  pairPingPong(rank == 0, 1 - rank, out, in, count, type, benchWarmup(options, size));
  for (int block = 0; block < series.blocks; ++block) {
    const double start = benchSeconds();
    pairPingPong(rank == 0, 1 - rank, out, in, count, type, series.perBlock);
    series.values[block] = (benchSeconds() - start) * 1e6 / (2.0 * (double)series.perBlock);
  }
  if (rank == 0)
    benchRow(options, size, &series);
  benchSeriesFree(&series);
}

int main(int argc, char** argv) {
  BenchOptions options = {.letters = "td",
                          .smallest = 1,
                          .largest = 4 << 20,
                          .counts = {1, 1},
                          .defaultIterations = 1000,
                          .defaultWarmup = 100};
  const int rank = pairBegin(argc, argv, &options);
  char* out = benchMemory(options.largest);
  char* in = benchMemory(options.largest);
  const int children = options.counts[rank];
  pid_t* pids = mpiAllocate((size_t)children * sizeof *pids);
  int ends[2];
  if (pipe(ends) != 0)
    MPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = 0; i < children; ++i)
    pids[i] = child(ends);
  close(ends[0]);
  char title[80];
  snprintf(title, sizeof title, "MPI multi-process latency [child processes: %d and %d]", options.counts[0],
           options.counts[1]);
  if (rank == 0)
    benchHeader(&options, title, "Latency (us)");
  for (size_t size = elementsFirst(&options); size <= options.largest; size = elementsNext(&options, size))
    measure(&options, rank, size, out, in);
  close(ends[1]);
  for (int i = 0; i < children; ++i)
    waitpid(pids[i], NULL, 0);
  free(pids);
  free(in);
  free(out);
  MPI_Finalize();
  return 0;
}
