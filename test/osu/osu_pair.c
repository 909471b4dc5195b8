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

/* What one size is measured with. Rank 0 sends from `out`, and so does rank 1 where it sends. */
typedef struct Pair {
  Kind kind;
  int persistent;
  int rank;
  int peer;
  int window;
  MPI_Datatype type;
  int count;
  char* out;
  char* in;
  MPI_Request* sends;
  MPI_Request* receives;
} Pair;

static Kind kindOf(const char* name) {
  static const char* const names[] = {"latency", "bw", "bibw"};
  for (int kind = 0; kind < noKind; ++kind)
    if (strncmp(name, names[kind], strlen(names[kind])) == 0)
      return (Kind)kind;
  return noKind;
}

static int sendsWindows(const Pair* pair) {
  return pair->kind == bothWays || pair->rank == 0;
}

static int takesWindows(const Pair* pair) {
  return pair->kind == bothWays || pair->rank == 1;
}

static void startAndWait(MPI_Request* request) {
  MPI_Start(request);
  MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void persistentPingPong(const Pair* pair, long trips) {
  for (long i = 0; i < trips; ++i) {
    startAndWait(pair->rank == 0 ? pair->sends : pair->receives);
    startAndWait(pair->rank == 0 ? pair->receives : pair->sends);
  }
}

/* The receives are there before the messages, as far as this rank can see to it. */
static void startWindow(const Pair* pair) {
  const int window = pair->window;
  if (pair->persistent) {
    if (takesWindows(pair))
      MPI_Startall(window, pair->receives);
    if (sendsWindows(pair))
      MPI_Startall(window, pair->sends);
    return;
  }
  if (takesWindows(pair))
    for (int w = 0; w < window; ++w)
      MPI_Irecv(pair->in, pair->count, pair->type, pair->peer, dataTag, MPI_COMM_WORLD, &pair->receives[w]);
  if (sendsWindows(pair))
    for (int w = 0; w < window; ++w)
      MPI_Isend(pair->out, pair->count, pair->type, pair->peer, dataTag, MPI_COMM_WORLD, &pair->sends[w]);
}

static void stream(const Pair* pair, long windows) {
  char answer = 0;
  for (long i = 0; i < windows; ++i) {
    startWindow(pair);
    if (sendsWindows(pair))
      MPI_Waitall(pair->window, pair->sends, MPI_STATUSES_IGNORE);
    if (takesWindows(pair))
      MPI_Waitall(pair->window, pair->receives, MPI_STATUSES_IGNORE);
    if (pair->rank == 0)
      MPI_Recv(&answer, 1, MPI_CHAR, 1, answerTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
      MPI_Send(&answer, 1, MPI_CHAR, 0, answerTag, MPI_COMM_WORLD);
  }
}

static void run(const Pair* pair, long times) {
  if (pair->kind != latency)
    stream(pair, times);
  else if (pair->persistent)
    persistentPingPong(pair, times);
  else
    pairPingPong(pair->rank == 0, pair->peer, pair->out, pair->in, pair->count, pair->type, times);
}

static void initPersistent(Pair* pair) {
  for (int w = 0; w < pair->window; ++w) {
    MPI_Send_init(pair->out, pair->count, pair->type, pair->peer, dataTag, MPI_COMM_WORLD, &pair->sends[w]);
    MPI_Recv_init(pair->in, pair->count, pair->type, pair->peer, dataTag, MPI_COMM_WORLD, &pair->receives[w]);
  }
}

static void freePersistent(Pair* pair) {
  for (int w = 0; w < pair->window; ++w) {
    MPI_Request_free(&pair->sends[w]);
    MPI_Request_free(&pair->receives[w]);
  }
}

static void measure(Pair* pair, const BenchOptions* options, size_t size) {
  BenchSeries series = benchSeries(options, size);
  pair->count = (int)(size / elementSize(options));
  if (pair->persistent)
    initPersistent(pair);
  if (options->check) {
    benchFill(pair->out, size, (unsigned)pair->rank);
    benchFill(pair->in, size, 99);
    run(pair, 1);
    if (pair->kind == latency || takesWindows(pair))
      pairCheck(pair->in, size, (unsigned)pair->peer);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  run(pair, benchWarmup(options, size));
  for (int block = 0; block < series.blocks; ++block) {
    const double start = benchSeconds();
    run(pair, series.perBlock);
    const double seconds = benchSeconds() - start;
    const double messages = (double)series.perBlock * (pair->kind == latency ? 2 : pair->window);
    if (pair->kind == latency)
      series.values[block] = seconds * 1e6 / messages;
    else
      series.values[block] = (double)size * messages * (pair->kind == bothWays ? 2 : 1) / 1e6 / seconds;
  }
  if (pair->rank == 0)
    benchRow(options, size, &series);
  if (pair->persistent)
    freePersistent(pair);
  benchSeriesFree(&series);
}

int main(int argc, char** argv) {
  const char* name = benchName("osu_pair", &argc, &argv);
  Pair pair = {.kind = kindOf(name), .persistent = strstr(name, "_persistent") != NULL};
  const int isLatency = pair.kind == latency;
  BenchOptions options = {.letters = isLatency ? "d" : "Wd",
                          .smallest = 1,
                          .largest = 4 << 20,
                          .window = isLatency ? 1 : 64,
                          .defaultIterations = isLatency ? 10000 : 200,
                          .defaultWarmup = isLatency ? 1000 : 10};
  char title[80];
  if (pair.kind == noKind) {
    mpiBegin(&argc, &argv, 1, 0);
    mpiRefuse("osu_pair", "first argument: latency, bw or bibw, or one of them with _persistent");
  }
  pair.rank = pairBegin(argc, argv, &options);
  pair.peer = 1 - pair.rank;
  pair.window = options.window;
  pair.type = elementType(&options);
  pair.out = benchMemory(options.largest);
  pair.in = benchMemory(options.largest);
  pair.sends = mpiAllocate((size_t)options.window * sizeof(MPI_Request));
  pair.receives = mpiAllocate((size_t)options.window * sizeof(MPI_Request));
  snprintf(title, sizeof title, "MPI%s %s", pair.persistent ? " persistent" : "",
           isLatency             ? "latency"
           : pair.kind == oneWay ? "bandwidth"
                                 : "bi-directional bandwidth");
  if (pair.rank == 0)
    benchHeader(&options, title, isLatency ? "Latency (us)" : "Bandwidth (MB/s)");
  for (size_t size = elementsFirst(&options); size <= options.largest; size = elementsNext(&options, size))
    measure(&pair, &options, size);
  free(pair.receives);
  free(pair.sends);
  free(pair.in);
  free(pair.out);
  MPI_Finalize();
  return 0;
}
