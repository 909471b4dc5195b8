/* Many to one and one to many: osu_bw_fan_in and osu_bw_fan_out. Each rank of the parent node, which is that
 * of rank 0, and the ranks with its number on the other nodes send each other windows of messages: to the
 * parent, or from it. On a single node every rank counts as a node of its own. The bandwidth is that of all
 * together. */
#include "pair.h"

#include <string.h>

enum { greatestWindow = 128 };

typedef struct Fan {
  int rank;
  int fans;    /* how many parents there are */
  int width;   /* children of each */
  Pair* pairs; /* this rank with each of its children, or with its parent */
  int partners;
  MPI_Request* requests;
} Fan;

/* Whom this rank talks to. Collective over all ranks. */
static void findPartners(Fan* fan, const BenchOptions* options, int outwards) {
  MPI_Comm node, column;
  MPI_Group nodeGroup, worldGroup, columnGroup;
  int ranks, onNode, place, first = 0, there, extremes[2];
  MPI_Comm_size(world, &ranks);
  MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, fan->rank, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &onNode);
  MPI_Comm_rank(node, &place);
  extremes[0] = onNode;
  extremes[1] = -onNode;
  MPI_Allreduce(MPI_IN_PLACE, extremes, 2, MPI_INT, MPI_MAX, world);
  if (extremes[0] != -extremes[1])
    mpiRefuse(options, "needs as many ranks on each node");
  MPI_Comm_group(node, &nodeGroup);
  MPI_Comm_group(world, &worldGroup);
  MPI_Group_translate_ranks(worldGroup, 1, &first, nodeGroup, &there);
  if (onNode == ranks)
    place = 0;
  MPI_Comm_split(world, place, onNode != ranks && there != MPI_UNDEFINED ? -1 : fan->rank, &column);
  MPI_Comm_group(column, &columnGroup);
  MPI_Comm_size(column, &fan->width);
  MPI_Comm_rank(column, &place);
  --fan->width;
  fan->fans = ranks / (fan->width + 1);
  fan->partners = place == 0 ? fan->width : 1;
  fan->pairs = mpiAllocate((size_t)fan->partners * sizeof(Pair));
  for (int i = 0; i < fan->partners; ++i) {
    const int partner = place == 0 ? i + 1 : 0;
    fan->pairs[i] = (Pair){.rank = fan->rank, .sends = (place == 0) == outwards};
    MPI_Group_translate_ranks(columnGroup, 1, &partner, worldGroup, &fan->pairs[i].peer);
  }
  MPI_Group_free(&nodeGroup);
  MPI_Group_free(&worldGroup);
  MPI_Group_free(&columnGroup);
  MPI_Comm_free(&column);
  MPI_Comm_free(&node);
}

static void stream(const Fan* fan, int window, long windows) {
  char answer = 0;
  for (long i = 0; i < windows; ++i) {
    int started = 0;
    for (int w = 0; w < window; ++w)
      for (int p = 0; p < fan->partners; ++p) {
        const Pair* pair = &fan->pairs[p];
        const Layout* layout = &pair->layout;
        if (pair->sends)
          MPI_Isend(pairBuffer(pair, pair->out, w), layout->count, layout->type, pair->peer, dataTag, world,
                    &fan->requests[started++]);
        else
          MPI_Irecv(pairBuffer(pair, pair->in, w), layout->count, layout->type, pair->peer, dataTag, world,
                    &fan->requests[started++]);
      }
    MPI_Waitall(started, fan->requests, MPI_STATUSES_IGNORE);
    for (int p = 0; p < fan->partners; ++p)
      if (fan->pairs[p].sends)
        MPI_Recv(&answer, 1, MPI_CHAR, fan->pairs[p].peer, answerTag, world, MPI_STATUS_IGNORE);
      else
        MPI_Send(&answer, 1, MPI_CHAR, fan->pairs[p].peer, answerTag, world);
  }
}

static void check(const Fan* fan, const BenchOptions* options, int window) {
  for (int p = 0; p < fan->partners; ++p)
    pairFill(&fan->pairs[p]);
  stream(fan, window, options->checks);
  for (int p = 0; p < fan->partners; ++p)
    if (!fan->pairs[p].sends)
      pairVerify(&fan->pairs[p], options);
}

static void measure(Fan* fan, const BenchOptions* options, size_t size, int window) {
  BenchSeries series = benchSeries(options, size);
  for (int p = 0; p < fan->partners; ++p)
    pairResize(&fan->pairs[p], options, size, window);
  series.sent = fan->pairs[0].layout.sent;
  if (options->check)
    check(fan, options, window);
  for (int block = -1; block < series.blocks; ++block) {
    const long times = block < 0 ? benchWarmup(options, size) : series.perBlock;
    MPI_Barrier(world);
    const double start = benchSeconds();
    stream(fan, window, times);
    const double seconds = benchSeconds() - start;
    double slowest;
    MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, world);
    if (block >= 0)
      series.values[block] =
          (double)series.sent * (double)times * window * fan->fans * fan->width / 1e6 / slowest;
  }
  if (fan->rank == 0)
    benchRow(options, size, &series);
  for (int p = 0; p < fan->partners; ++p)
    pairFree(&fan->pairs[p]);
  benchSeriesFree(&series);
}

static void table(Fan* fan, BenchOptions* options, const char* name, int window) {
  char title[80];
  snprintf(title, sizeof title, "MPI %s [parents: %d] [children of each: %d] [window size: %d]", name,
           fan->fans, fan->width, window);
  for (int type = 0; benchUseType(options, type); ++type) {
    if (fan->rank == 0)
      benchHeader(options, title, "Bandwidth (MB/s)");
    for (size_t size = elementsFirst(options); size <= options->largest; size = elementsNext(options, size))
      measure(fan, options, size, window);
  }
}

int main(int argc, char** argv) {
  const char* name = benchName("osu_fan", &argc, &argv);
  const int outwards = strcmp(name, "bw_fan_out") == 0;
  BenchOptions options = {.letters = "WbTdDVI",
                          .smallest = 1,
                          .largest = 4 << 20,
                          .window = 64,
                          .defaultIterations = 100,
                          .defaultWarmup = 10};
  Fan fan;
  fan.rank = mpiBegin(argc, argv, &options, MPI_THREAD_SINGLE);
  if (!outwards && strcmp(name, "bw_fan_in") != 0)
    mpiRefuse(&options, "first argument: bw_fan_in or bw_fan_out");
  mpiRanks(&options, 2);
  findPartners(&fan, &options, outwards);
  const int window = options.window > greatestWindow ? options.window : greatestWindow;
  const int buffers = options.buffers ? (options.varyWindow ? window : options.window) : 1;
  mpiLimit(&options, 2 * (size_t)buffers * (size_t)fan.width, 0);
  fan.requests = mpiAllocate((size_t)window * (size_t)fan.partners * sizeof(MPI_Request));
  if (!options.varyWindow)
    table(&fan, &options, name, options.window);
  else
    for (int some = 1; some <= greatestWindow; some *= 2)
      table(&fan, &options, name, some);
  free(fan.requests);
  free(fan.pairs);
  mpiEnd();
  return 0;
}
