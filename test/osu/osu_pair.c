/* Two ranks: osu_latency, osu_bw, osu_bibw and their persistent forms.
 *
 * latency  half of a round trip of MPI_Send and MPI_Recv
 * bw       windows of messages from rank 0 to rank 1, each window answered by a short message
 * bibw     windows of messages both ways at once
 * With _persistent behind the name the messages are made once, by MPI_Send_init and MPI_Recv_init, and
 * started again and again. */
#include "pair.h"

#include <string.h>

typedef enum Kind { latency, oneWay, bothWays, noKind } Kind;

/* What one size is measured with. */
typedef struct Run {
  Kind kind;
  int persistent;
  int window;
  Pair pair;
  MPI_Request* sends;
  MPI_Request* receives;
} Run;

static Kind kindOf(const char* name) {
  static const char* const names[] = {"latency", "bw", "bibw"};
  for (int kind = 0; kind < noKind; ++kind) {
    const size_t length = strlen(names[kind]);
    if (strncmp(name, names[kind], length) == 0 &&
        (name[length] == '\0' || strcmp(name + length, "_persistent") == 0))
      return (Kind)kind;
  }
  return noKind;
}

static int sendsWindows(const Run* run) {
  return run->kind == bothWays || run->pair.rank == 0;
}

static int takesWindows(const Run* run) {
  return run->kind == bothWays || run->pair.rank == 1;
}

static void startAndWait(MPI_Request* request) {
  MPI_Start(request);
  MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void persistentPingPong(const Run* run, long trips) {
  for (long i = 0; i < trips; ++i) {
    startAndWait(run->pair.sends ? run->sends : run->receives);
    startAndWait(run->pair.sends ? run->receives : run->sends);
  }
}

/* The receives are there before the messages, as far as this rank can see to it. */
static void startWindow(const Run* run) {
  const Pair* pair = &run->pair;
  const Layout* layout = &pair->layout;
  const int window = run->window;
  if (run->persistent) {
    if (takesWindows(run))
      MPI_Startall(window, run->receives);
    if (sendsWindows(run))
      MPI_Startall(window, run->sends);
    return;
  }
  if (takesWindows(run))
    for (int w = 0; w < window; ++w)
      MPI_Irecv(pairBuffer(pair, pair->in, w), layout->count, layout->type, pair->peer, dataTag, world,
                &run->receives[w]);
  if (sendsWindows(run))
    for (int w = 0; w < window; ++w)
      MPI_Isend(pairBuffer(pair, pair->out, w), layout->count, layout->type, pair->peer, dataTag, world,
                &run->sends[w]);
}

static void stream(const Run* run, long windows) {
  char answer = 0;
  for (long i = 0; i < windows; ++i) {
    startWindow(run);
    if (sendsWindows(run))
      MPI_Waitall(run->window, run->sends, MPI_STATUSES_IGNORE);
    if (takesWindows(run))
      MPI_Waitall(run->window, run->receives, MPI_STATUSES_IGNORE);
    if (run->pair.rank == 0)
      MPI_Recv(&answer, 1, MPI_CHAR, 1, answerTag, world, MPI_STATUS_IGNORE);
    else
      MPI_Send(&answer, 1, MPI_CHAR, 0, answerTag, world);
  }
}

static void times(const Run* run, long many) {
  if (run->kind != latency)
    stream(run, many);
  else if (run->persistent)
    persistentPingPong(run, many);
  else
    pairPingPong(&run->pair, many);
}

static void initPersistent(Run* run) {
  const Pair* pair = &run->pair;
  const Layout* layout = &pair->layout;
  for (int w = 0; w < run->window; ++w) {
    MPI_Send_init(pairBuffer(pair, pair->out, w), layout->count, layout->type, pair->peer, dataTag, world,
                  &run->sends[w]);
    MPI_Recv_init(pairBuffer(pair, pair->in, w), layout->count, layout->type, pair->peer, dataTag, world,
                  &run->receives[w]);
  }
}

static void freePersistent(Run* run) {
  for (int w = 0; w < run->window; ++w) {
    MPI_Request_free(&run->sends[w]);
    MPI_Request_free(&run->receives[w]);
  }
}

static void measure(Run* run, const BenchOptions* options, size_t size) {
  const int isLatency = run->kind == latency;
  BenchSeries series = benchSeries(options, size);
  pairResize(&run->pair, options, size, run->window);
  series.sent = run->pair.layout.sent;
  if (run->persistent)
    initPersistent(run);
  if (options->check) {
    pairFill(&run->pair);
    times(run, options->checks);
    if (isLatency || takesWindows(run))
      pairVerify(&run->pair, options);
  }
  MPI_Barrier(world);
  times(run, benchWarmup(options, size));
  for (int block = 0; block < series.blocks; ++block) {
    const double start = benchSeconds();
    times(run, series.perBlock);
    const double seconds = benchSeconds() - start;
    const double messages = (double)series.perBlock * (isLatency ? 2 : run->window);
    if (isLatency)
      series.values[block] = seconds * 1e6 / messages;
    else
      series.values[block] = (double)series.sent * messages * (run->kind == bothWays ? 2 : 1) / 1e6 / seconds;
  }
  if (run->pair.rank == 0)
    benchRow(options, size, &series);
  if (run->persistent)
    freePersistent(run);
  pairFree(&run->pair);
  benchSeriesFree(&series);
}

int main(int argc, char** argv) {
  const char* name = benchName("osu_pair", &argc, &argv);
  Run run = {.kind = kindOf(name), .persistent = strstr(name, "_persistent") != NULL};
  const int isLatency = run.kind == latency;
  BenchOptions options = {.letters = isLatency ? "bTdDI" : "WbTdDI",
                          .smallest = 1,
                          .largest = 4 << 20,
                          .window = isLatency ? 1 : 64,
                          .defaultIterations = isLatency ? 10000 : 200,
                          .defaultWarmup = isLatency ? 1000 : 10};
  char title[80];
  run.pair.rank = pairBegin(argc, argv, &options, MPI_THREAD_SINGLE);
  if (run.kind == noKind)
    mpiRefuse(&options, "first argument: latency, bw or bibw, or one of them with _persistent");
  run.pair.peer = 1 - run.pair.rank;
  run.pair.sends = run.pair.rank == 0;
  run.window = options.window;
  run.sends = mpiAllocate((size_t)options.window * sizeof(MPI_Request));
  run.receives = mpiAllocate((size_t)options.window * sizeof(MPI_Request));
  mpiLimit(&options, options.buffers ? 2 * (size_t)options.window : 2, 0);
  snprintf(title, sizeof title, "MPI%s %s", run.persistent ? " persistent" : "",
           isLatency            ? "latency"
           : run.kind == oneWay ? "bandwidth"
                                : "bi-directional bandwidth");
  for (int type = 0; benchUseType(&options, type); ++type) {
    if (run.pair.rank == 0)
      benchHeader(&options, title, isLatency ? "Avg Latency(us)" : "Bandwidth (MB/s)");
    for (size_t size = elementsFirst(&options); size <= options.largest; size = elementsNext(&options, size))
      measure(&run, &options, size);
  }
  free(run.receives);
  free(run.sends);
  mpiEnd();
  return 0;
}
