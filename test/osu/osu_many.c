/* Pairs of ranks at once: osu_multi_lat and osu_mbw_mr. The first half of the ranks sends, each to its
 * partner in the second half.
 *
 * multi_lat  half of a round trip, the mean of all pairs
 * mbw_mr     windows of messages one way: bandwidth and message rate of all pairs together */
#include "pair.h"

#include <string.h>

enum { greatestWindow = 128 };

typedef struct Many {
  Pair pair;
  int pairs;
  MPI_Comm inPairs; /* the ranks that are in pairs; MPI_COMM_NULL for the others */
  MPI_Request* requests;
} Many;

static void stream(const Many* many, int window, long windows) {
  const Pair* pair = &many->pair;
  const Layout* layout = &pair->layout;
  char answer = 0;
  for (long i = 0; i < windows; ++i) {
    for (int w = 0; w < window; ++w)
      if (pair->sends)
        MPI_Isend(pairBuffer(pair, pair->out, w), layout->count, layout->type, pair->peer, dataTag, world,
                  &many->requests[w]);
      else
        MPI_Irecv(pairBuffer(pair, pair->in, w), layout->count, layout->type, pair->peer, dataTag, world,
                  &many->requests[w]);
    MPI_Waitall(window, many->requests, MPI_STATUSES_IGNORE);
    if (pair->sends)
      MPI_Recv(&answer, 1, MPI_CHAR, pair->peer, answerTag, world, MPI_STATUS_IGNORE);
    else
      MPI_Send(&answer, 1, MPI_CHAR, pair->peer, answerTag, world);
  }
}

/* Round trips where `window` is 0, else windows. */
static void run(const Many* many, int window, long times) {
  if (window == 0)
    pairPingPong(&many->pair, times);
  else
    stream(many, window, times);
}

/* One size and window; rank 0 prints. `window` is 0 for the latency. */
static void measure(Many* many, const BenchOptions* options, size_t size, int window) {
  BenchSeries series = benchSeries(options, size);
  pairResize(&many->pair, options, size, window);
  series.sent = many->pair.layout.sent;
  double rate = 0; /* messages per second, the mean of the blocks */
  if (options->check) {
    pairFill(&many->pair);
    run(many, window, options->checks);
    if (window == 0 || !many->pair.sends)
      pairVerify(&many->pair, options);
  }
  for (int block = -1; block < series.blocks; ++block) {
    const long times = block < 0 ? benchWarmup(options, size) : series.perBlock;
    MPI_Barrier(many->inPairs);
    const double start = benchSeconds();
    run(many, window, times);
    const double seconds = benchSeconds() - start;
    /* A latency: the mean of the pairs. A bandwidth: all that was sent, in the time of the slowest. */
    double result;
    MPI_Reduce(&seconds, &result, 1, MPI_DOUBLE, window == 0 ? MPI_SUM : MPI_MAX, 0, many->inPairs);
    if (block < 0)
      continue;
    const double messages = (double)times * many->pairs * (window == 0 ? 4 : window);
    series.values[block] =
        window == 0 ? result * 1e6 / messages : (double)series.sent * messages / 1e6 / result;
    rate += messages / result / series.blocks;
  }
  if (many->pair.rank == 0)
    benchRowMore(options, size, &series, window != 0 && options->rate, &rate);
  pairFree(&many->pair);
  benchSeriesFree(&series);
}

/* Table of one window size, or of the latency. */
static void table(Many* many, BenchOptions* options, int window) {
  char title[80], label[64];
  if (window == 0)
    snprintf(title, sizeof title, "MPI multi-pair latency [pairs: %d]", many->pairs);
  else
    snprintf(title, sizeof title, "MPI multiple bandwidth and message rate [pairs: %d] [window size: %d]",
             many->pairs, window);
  snprintf(label, sizeof label, "%s%s", window == 0 ? "Avg Latency(us)" : "MB/s",
           window != 0 && options->rate ? "        Messages/s" : "");
  for (int type = 0; benchUseType(options, type); ++type) {
    if (many->pair.rank == 0)
      benchHeader(options, title, label);
    for (size_t size = elementsFirst(options); size <= options->largest; size = elementsNext(options, size))
      measure(many, options, size, window);
  }
}

int main(int argc, char** argv) {
  const char* name = benchName("osu_many", &argc, &argv);
  const int isLatency = strcmp(name, "multi_lat") == 0;
  BenchOptions options = {.letters = isLatency ? "bpTdDI" : "WbpTdDRVI",
                          .smallest = 1,
                          .largest = 4 << 20,
                          .window = 64,
                          .defaultIterations = isLatency ? 1000 : 100,
                          .defaultWarmup = isLatency ? 100 : 10,
                          .rate = 1};
  Many many;
  Pair* pair = &many.pair;
  pair->rank = mpiBegin(argc, argv, &options, MPI_THREAD_SINGLE);
  const int ranks = mpiRanks(&options, 2);
  if (ranks % 2 != 0)
    mpiRefuse(&options, "needs an even number of ranks");
  if (!isLatency && strcmp(name, "mbw_mr") != 0)
    mpiRefuse(&options, "first argument: multi_lat or mbw_mr");
  many.pairs = options.pairs ? options.pairs : ranks / 2;
  if (many.pairs > ranks / 2) {
    char why[80];
    snprintf(why, sizeof why, "-p: there are not %d pairs among %d ranks", many.pairs, ranks);
    mpiRefuse(&options, why);
  }
  pair->sends = pair->rank < many.pairs;
  pair->peer = pair->sends                   ? pair->rank + many.pairs
               : pair->rank < 2 * many.pairs ? pair->rank - many.pairs
                                             : MPI_PROC_NULL;
  MPI_Comm_split(world, pair->peer == MPI_PROC_NULL ? MPI_UNDEFINED : 0, pair->rank, &many.inPairs);
  const int window = options.window > greatestWindow ? options.window : greatestWindow;
  mpiLimit(&options, options.buffers ? 2 * (size_t)(options.varyWindow ? window : options.window) : 2, 0);
  many.requests = mpiAllocate((size_t)window * sizeof(MPI_Request));
  if (many.inPairs != MPI_COMM_NULL) {
    if (isLatency)
      table(&many, &options, 0);
    else if (!options.varyWindow)
      table(&many, &options, options.window);
    else
      for (int some = 1; some <= greatestWindow; some *= 2)
        table(&many, &options, some);
    MPI_Comm_free(&many.inPairs);
  }
  free(many.requests);
  mpiEnd();
  return 0;
}
