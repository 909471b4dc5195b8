/* Pairs of ranks at once: osu_multi_lat and osu_mbw_mr. The first half of the ranks sends, each to its
 * partner in the second half.
 *
 * multi_lat  half of a round trip, the mean of all pairs
 * mbw_mr     windows of messages one way: bandwidth and message rate of all pairs together */
#include "pair.h"

#include <string.h>

enum { greatestWindow = 128 };

typedef struct Many {
  int rank;
  int pairs;
  int partner; /* MPI_PROC_NULL for a rank that is in no pair */
  int sends;
  MPI_Comm inPairs; /* the ranks that are in pairs; MPI_COMM_NULL for the others */
  MPI_Request* requests;
  char* out;
  char* in;
} Many;

static void stream(const Many* many, int count, MPI_Datatype type, int window, long windows) {
  char answer = 0;
  for (long i = 0; i < windows; ++i) {
    for (int w = 0; w < window; ++w)
      if (many->sends)
        MPI_Isend(many->out, count, type, many->partner, dataTag, MPI_COMM_WORLD, &many->requests[w]);
      else
        MPI_Irecv(many->in, count, type, many->partner, dataTag, MPI_COMM_WORLD, &many->requests[w]);
    MPI_Waitall(window, many->requests, MPI_STATUSES_IGNORE);
    if (many->sends)
      MPI_Recv(&answer, 1, MPI_CHAR, many->partner, answerTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
      MPI_Send(&answer, 1, MPI_CHAR, many->partner, answerTag, MPI_COMM_WORLD);
  }
}

/* Round trips where `window` is 0, else windows. */
static void run(const Many* many, int count, MPI_Datatype type, int window, long times) {
  if (window == 0)
    pairPingPong(many->sends, many->partner, many->out, many->in, count, type, times);
  else
    stream(many, count, type, window, times);
}

/* One size and window; rank 0 prints. `window` is 0 for the latency. */
static void measure(const Many* many, const BenchOptions* options, size_t size, int window) {
  const MPI_Datatype type = elementType(options);
  const int count = (int)(size / elementSize(options));
  BenchSeries series = benchSeries(options, size);
  double rate = 0; /* messages per second, the mean of the blocks */
  if (options->check) {
    benchFill(many->out, size, (unsigned)many->rank);
    benchFill(many->in, size, 99);
    run(many, count, type, window, 1);
    if (window == 0 || !many->sends)
      pairCheck(many->in, size, (unsigned)many->partner);
  }
  for (int block = -1; block < series.blocks; ++block) {
    const long times = block < 0 ? benchWarmup(options, size) : series.perBlock;
    MPI_Barrier(many->inPairs);
    const double start = benchSeconds();
    run(many, count, type, window, times);
    const double seconds = benchSeconds() - start;
    /* A latency: the mean of the pairs. A bandwidth: all that was sent, in the time of the slowest. */
    double result;
    MPI_Reduce(&seconds, &result, 1, MPI_DOUBLE, window == 0 ? MPI_SUM : MPI_MAX, 0, many->inPairs);
    if (block < 0)
      continue;
    const double messages = (double)times * many->pairs * (window == 0 ? 4 : window);
    series.values[block] = window == 0 ? result * 1e6 / messages : (double)size * messages / 1e6 / result;
    rate += messages / result / series.blocks;
  }
  if (many->rank == 0)
    benchRowMore(options, size, &series, window != 0 && options->rate, &rate);
  benchSeriesFree(&series);
}

/* Table of one window size, or of the latency. */
static void table(const Many* many, const BenchOptions* options, int window) {
  char title[80], label[64];
  if (window == 0)
    snprintf(title, sizeof title, "MPI multi-pair latency [pairs: %d]", many->pairs);
  else
    snprintf(title, sizeof title, "MPI multiple bandwidth and message rate [pairs: %d] [window size: %d]",
             many->pairs, window);
  snprintf(label, sizeof label, "%s%s", window == 0 ? "Latency (us)" : "MB/s",
           window != 0 && options->rate ? "        Messages/s" : "");
  if (many->rank == 0)
    benchHeader(options, title, label);
  for (size_t size = elementsFirst(options); size <= options->largest; size = elementsNext(options, size))
    measure(many, options, size, window);
}

int main(int argc, char** argv) {
  const char* name = benchName("osu_many", &argc, &argv);
  const int isLatency = strcmp(name, "multi_lat") == 0;
  BenchOptions options = {.letters = isLatency ? "pd" : "WpdRV",
                          .smallest = 1,
                          .largest = 4 << 20,
                          .window = 64,
                          .defaultIterations = isLatency ? 1000 : 100,
                          .defaultWarmup = isLatency ? 100 : 10,
                          .rate = 1};
  Many many;
  int ranks;
  many.rank = mpiBegin(&argc, &argv, 2, 1);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (!isLatency && strcmp(name, "mbw_mr") != 0)
    mpiRefuse("osu_many", "first argument: multi_lat or mbw_mr");
  mpiOptions(argc, argv, many.rank, &options);
  many.pairs = options.pairs ? options.pairs : ranks / 2;
  if (many.pairs > ranks / 2)
    mpiRefuse(argv[0], "more pairs than half of the ranks");
  many.sends = many.rank < many.pairs;
  many.partner = many.sends                   ? many.rank + many.pairs
                 : many.rank < 2 * many.pairs ? many.rank - many.pairs
                                              : MPI_PROC_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, many.partner == MPI_PROC_NULL ? MPI_UNDEFINED : 0, many.rank, &many.inPairs);
  many.out = benchMemory(options.largest);
  many.in = benchMemory(options.largest);
  many.requests = mpiAllocate((size_t)(options.window > greatestWindow ? options.window : greatestWindow) *
                              sizeof(MPI_Request));
  if (many.inPairs != MPI_COMM_NULL) {
    if (isLatency)
      table(&many, &options, 0);
    else if (!options.varyWindow)
      table(&many, &options, options.window);
    else
      for (int window = 1; window <= greatestWindow; window *= 2)
        table(&many, &options, window);
    MPI_Comm_free(&many.inPairs);
  }
  free(many.requests);
  free(many.in);
  free(many.out);
  MPI_Finalize();
  return 0;
}
