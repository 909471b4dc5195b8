/* Every collective: osu_allreduce and its like; osu_iallreduce, not blocking, with what it overlaps; and
 * osu_allreduce_persistent. osu_neighbor_* run on a periodic ring, with two neighbours each.
 *
 * A blocking call is timed by every rank, with a barrier that is not timed before the next one. The table has
 * the mean of the ranks; -f the least and the greatest value of a rank. The forms that do not block give the
 * time of start and completion with nothing between (Pure), then once more with computing of that length
 * between, in which -t says how often MPI_Test is called: the whole (Overall), the computing alone, and how
 * much of Pure was hidden. */
#include "collective.h"
#include "pair.h"

#include <string.h>

static const char* const names[collectives] = {"allgather",
                                               "allgatherv",
                                               "allreduce",
                                               "alltoall",
                                               "alltoallv",
                                               "alltoallw",
                                               "barrier",
                                               "bcast",
                                               "exscan",
                                               "gather",
                                               "gatherv",
                                               "reduce",
                                               "reduce_scatter",
                                               "reduce_scatter_block",
                                               "scan",
                                               "scatter",
                                               "scatterv",
                                               "neighbor_allgather",
                                               "neighbor_allgatherv",
                                               "neighbor_alltoall",
                                               "neighbor_alltoallv",
                                               "neighbor_alltoallw"};

typedef enum Form { blocking, nonBlocking, persistent } Form;

typedef struct Bench {
  Call call;
  Form form;
  MPI_Request request; /* of the persistent form */
} Bench;

/* Name and form out of "iallreduce", "allreduce_persistent" and the like. */
static Collective whichOf(const char* name, Form* form) {
  static const char suffix[] = "_persistent";
  const size_t length = strlen(name), tail = sizeof suffix - 1;
  const int lasts = length > tail && strcmp(name + length - tail, suffix) == 0;
  int which = 0;
  *form = lasts ? persistent : name[0] == 'i' ? nonBlocking : blocking;
  const char* bare = *form == nonBlocking ? name + 1 : name;
  const size_t bareLength = strlen(bare) - (lasts ? tail : 0);
  while (which < collectives &&
         (strlen(names[which]) != bareLength || strncmp(bare, names[which], bareLength) != 0))
    ++which;
  return (Collective)which;
}

static double meanOf(double mine, MPI_Comm comm, int ranks) {
  double sum;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
  return sum / ranks;
}

/* Arithmetic for so many seconds, cut into parts with a call of MPI_Test between. Gives the seconds of it. */
static double compute(double seconds, int tests, MPI_Request* request) {
  volatile double sink = 1;
  double computed = 0;
  for (int part = 0; part <= tests; ++part) {
    const double start = benchSeconds();
    const double end = seconds / (tests + 1);
    double passed;
    do {
      for (int i = 0; i < 32; ++i)
        sink = sink * 1.0000001 + 1e-9;
      passed = benchSeconds() - start;
    } while (passed < end);
    computed += passed;
    int done;
    if (part < tests)
      MPI_Test(request, &done, MPI_STATUS_IGNORE);
  }
  return computed;
}

static void start(Bench* bench, MPI_Request* request) {
  if (bench->form == persistent) {
    *request = bench->request;
    MPI_Start(request);
  } else {
    *request = callStart(&bench->call);
  }
}

/* One call; `computing` seconds of arithmetic in it. Adds to what it took and to what the arithmetic took. */
static void once(Bench* bench, double computing, double* whole, double* computed) {
  const double begin = benchSeconds();
  if (bench->form == blocking) {
    callBlocking(&bench->call);
  } else {
    MPI_Request request;
    start(bench, &request);
    if (computing > 0)
      *computed += compute(computing, bench->call.options->counts[0], &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  *whole += benchSeconds() - begin;
}

/* Mean seconds of a call by this rank; the calls are kept apart by barriers. */
static double many(Bench* bench, long calls, double computing, double* computed) {
  double whole = 0;
  *computed = 0;
  for (long i = 0; i < calls; ++i) {
    once(bench, computing, &whole, computed);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  *computed /= (double)(calls ? calls : 1);
  return whole / (double)(calls ? calls : 1);
}

static void check(Bench* bench) {
  double unused = 0;
  callFill(&bench->call);
  once(bench, 0, &unused, &unused);
  const size_t wrong = callWrong(&bench->call);
  if (wrong != 0) {
    fprintf(stderr, "rank %d: %zu elements are wrong\n", bench->call.rank, wrong);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
}

/* The extremes and the row: of the ranks' values. */
static void report(const Bench* bench, size_t size, BenchSeries* series, double* least, double* greatest,
                   int more, const double* further) {
  const BenchOptions* options = bench->call.options;
  const int ranks = bench->call.ranks, n = series->blocks;
  double* sums = mpiAllocate((size_t)n * sizeof(double));
  double extremes[2] = {*least, *greatest};
  MPI_Reduce(&extremes[0], least, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
  MPI_Reduce(&extremes[1], greatest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(series->values, sums, n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  for (int block = 0; block < n; ++block)
    series->values[block] = sums[block] / ranks;
  if (bench->call.rank == 0)
    benchRowExtremes(options, size, series, more, further, *least, *greatest);
  free(sums);
}

static void measure(Bench* bench, size_t size) {
  const BenchOptions* options = bench->call.options;
  BenchSeries series = benchSeries(options, size);
  double least = 1e300, greatest = 0, unused = 0, pure = 0, further[3] = {0, 0, 0};
  callResize(&bench->call, size);
  if (bench->form == persistent)
    bench->request = callInit(&bench->call);
  if (options->check)
    check(bench);
  MPI_Barrier(MPI_COMM_WORLD);
  many(bench, benchWarmup(options, size), 0, &unused);
  if (bench->form != blocking)
    pure =
        meanOf(many(bench, series.perBlock * series.blocks, 0, &unused), MPI_COMM_WORLD, bench->call.ranks);
  for (int block = 0; block < series.blocks; ++block) {
    double computed;
    const double value = many(bench, series.perBlock, pure, &computed) * 1e6;
    series.values[block] = value;
    least = value < least ? value : least;
    greatest = value > greatest ? value : greatest;
    further[0] += computed * 1e6 / series.blocks;
  }
  if (bench->form != blocking) {
    double overall = 0;
    for (int block = 0; block < series.blocks; ++block)
      overall += series.values[block] / series.blocks;
    const double visible = (meanOf(overall - further[0], MPI_COMM_WORLD, bench->call.ranks)) / (pure * 1e6);
    further[0] = meanOf(further[0], MPI_COMM_WORLD, bench->call.ranks);
    further[1] = pure * 1e6;
    further[2] = visible < 0 ? 100 : visible > 1 ? 0 : 100 * (1 - visible);
  }
  report(bench, size, &series, &least, &greatest, bench->form == blocking ? 0 : 3, further);
  if (bench->form == persistent)
    MPI_Request_free(&bench->request);
  benchSeriesFree(&series);
}

/* Room for every block, and the arrays; a ring for the neighbourhood forms. */
static void allocate(Call* call) {
  const int around = call->which >= neighborAllgather;
  if (around) {
    const int periodic = 1;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &call->ranks, &periodic, 0, &call->comm);
  } else {
    MPI_Comm_dup(MPI_COMM_WORLD, &call->comm);
  }
  call->peers = around ? 2 : call->ranks;
  const size_t peers = (size_t)call->peers;
  const size_t blocks = (size_t)(call->ranks > call->peers ? call->ranks : call->peers);
  call->type = elementType(call->options);
  call->counts = mpiAllocate(peers * sizeof(int));
  call->places = mpiAllocate(peers * sizeof(int));
  call->bytePlaces = mpiAllocate(peers * sizeof(int));
  call->distances = mpiAllocate(peers * sizeof(MPI_Aint));
  call->types = mpiAllocate(peers * sizeof(MPI_Datatype));
  for (size_t peer = 0; peer < peers; ++peer)
    call->types[peer] = call->type;
  call->out = benchMemory(call->options->largest * blocks);
  call->in = benchMemory(call->options->largest * blocks);
}

static void release(Call* call) {
  free(call->in);
  free(call->out);
  free(call->types);
  free(call->distances);
  free(call->bytePlaces);
  free(call->places);
  free(call->counts);
  MPI_Comm_free(&call->comm);
}

/* The whole table of one collective. */
static void table(Bench* bench, const char* name) {
  const BenchOptions* options = bench->call.options;
  const size_t element = elementSize(options);
  char title[80];
  allocate(&bench->call);
  snprintf(title, sizeof title, "MPI %s", name);
  if (bench->call.rank == 0)
    benchHeader(options, title,
                bench->form == blocking
                    ? "Avg Latency (us)"
                    : "Overall (us)      Compute (us)        Pure (us)       Overlap (%)");
  for (size_t size = elementsFirst(options); size <= options->largest; size = elementsNext(options, size)) {
    if (bench->call.which == reduceScatterBlock && size / element < (size_t)bench->call.ranks)
      continue; /* not an element for each */
    measure(bench, bench->call.which == barrier ? 0 : size);
    if (bench->call.which == barrier)
      break;
  }
  release(&bench->call);
}

/* All collectives of all forms, one after the other. */
static void tables(Bench* bench) {
  static const char* const prefixes[] = {"", "i", ""};
  static const char* const suffixes[] = {"", "", "_persistent"};
  for (int form = blocking; form <= persistent; ++form)
    for (int which = 0; which < collectives; ++which) {
      char name[64];
      snprintf(name, sizeof name, "%s%s%s", prefixes[form], names[which], suffixes[form]);
      bench->form = (Form)form;
      bench->call.which = (Collective)which;
      table(bench, name);
    }
}

int main(int argc, char** argv) {
  Bench bench = {.request = MPI_REQUEST_NULL};
  const char* name = benchName("osu_collective", &argc, &argv);
  const int all = strcmp(name, "all") == 0;
  bench.call.which = whichOf(name, &bench.form);
  BenchOptions options = {.letters = bench.form == blocking && !all ? "d" : "dt",
                          .smallest = 1,
                          .largest = 1 << 20,
                          .type = benchChar,
                          .defaultIterations = 1000,
                          .defaultWarmup = 100};
  bench.call.rank = mpiBegin(&argc, &argv, 1, 0);
  if (bench.call.which == collectives && !all)
    mpiRefuse("osu_collective",
              "first argument: allreduce, iallreduce, allreduce_persistent or another collective, or all");
  mpiOptions(argc, argv, bench.call.rank, &options);
  bench.call.options = &options;
  MPI_Comm_size(MPI_COMM_WORLD, &bench.call.ranks);
  if (all)
    tables(&bench);
  else
    table(&bench, name);
  MPI_Finalize();
  return 0;
}
