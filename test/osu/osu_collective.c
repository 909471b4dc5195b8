/* Every collective: osu_allreduce and its like; osu_iallreduce, not blocking, with what it overlaps; and
 * osu_allreduce_persistent. osu_neighbor_* run on a periodic ring, with two neighbours each, or as -N says.
 *
 * A blocking call is timed by every rank, with a barrier that is not timed before the next one. The table has
 * the mean of the ranks; -f the least and the greatest value of a rank. A persistent one is started and
 * waited for in that time. The forms that do not block give the time of start and completion with nothing
 * between (Pure), then once more with computing of that length between, in which -t says how often MPI_Test
 * is called: the whole (Overall), the computing alone, and how much of Pure was hidden; -f what of the whole
 * went into the start, the calls of MPI_Test and the wait, and the least and the greatest Pure of a rank. */
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

/* Whether another rank is the root of each call; a persistent one has the root that it was made with. */
static int rotates(const Bench* bench) {
  return bench->call.options->rotate && hasRoot(bench->call.which) && bench->form != persistent;
}

/* Seconds of calls: the whole, and parts of it. */
typedef struct Spent {
  double whole;
  double starting;
  double computing;
  double testing;
  double waiting;
} Spent;

static double meanOf(double mine, MPI_Comm comm, int ranks) {
  double sum;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
  return sum / ranks;
}

/* Arithmetic for so many seconds, cut into parts with a call of MPI_Test between. */
static void compute(double seconds, int tests, MPI_Request* request, Spent* spent) {
  volatile double sink = 1;
  for (int part = 0; part <= tests; ++part) {
    const double start = benchSeconds();
    const double end = seconds / (tests + 1);
    double passed;
    do {
      for (int i = 0; i < 32; ++i)
        sink = sink * 1.0000001 + 1e-9;
      passed = benchSeconds() - start;
    } while (passed < end);
    spent->computing += passed;
    int done;
    if (part < tests) {
      const double begin = benchSeconds();
      MPI_Test(request, &done, MPI_STATUS_IGNORE);
      spent->testing += benchSeconds() - begin;
    }
  }
}

static void start(Bench* bench, MPI_Request* request) {
  if (bench->form == persistent) {
    *request = bench->request;
    MPI_Start(request);
  } else {
    *request = callStart(&bench->call);
  }
}

/* One call; `computing` seconds of arithmetic in it. Adds to what was spent. */
static void once(Bench* bench, double computing, Spent* spent) {
  const double begin = benchSeconds();
  if (bench->form == blocking) {
    callBlocking(&bench->call);
  } else if (computing > 0) {
    MPI_Request request;
    start(bench, &request);
    spent->starting += benchSeconds() - begin;
    compute(computing, bench->call.options->counts[1], &request, spent);
    const double done = benchSeconds();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    spent->waiting += benchSeconds() - done;
  } else {
    MPI_Request request;
    start(bench, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  spent->whole += benchSeconds() - begin;
}

/* So many calls, kept apart by barriers. Adds to what this rank has spent, and gives the seconds of these
 * calls. */
static double many(Bench* bench, long calls, double computing, Spent* spent) {
  const double before = spent->whole;
  for (long i = 0; i < calls; ++i) {
    once(bench, computing, spent);
    MPI_Barrier(world);
    if (rotates(bench))
      callRoot(&bench->call, (bench->call.root + 1) % bench->call.ranks);
  }
  return spent->whole - before;
}

/* A persistent one is looked at after its second start too, for what the first one left must not be taken for
 * it. */
static void check(Bench* bench, size_t size) {
  Call* call = &bench->call;
  const BenchOptions* options = call->options;
  const int roots = rotates(bench) ? call->ranks : 1;
  const long least = bench->form == persistent ? 2 : 1;
  const long rounds = (options->checks > least ? options->checks : least) * roots;
  Spent unused = {0, 0, 0, 0, 0};
  for (long round = 0; round < rounds; ++round) {
    callFill(call);
    once(bench, 0, &unused);
    mpiCheck(options, size, callWrong(call), call->layout.elements * (size_t)call->peers);
    if (roots > 1)
      callRoot(call, (call->root + 1) % roots);
  }
}

/* The extremes and the row: of the ranks' values. */
static void report(const Bench* bench, size_t size, BenchSeries* series, double* least, double* greatest,
                   int more, const double* further) {
  const BenchOptions* options = bench->call.options;
  const int ranks = bench->call.ranks, n = series->blocks;
  double* sums = mpiAllocate((size_t)n * sizeof(double));
  double extremes[2] = {*least, *greatest};
  MPI_Reduce(&extremes[0], least, 1, MPI_DOUBLE, MPI_MIN, 0, world);
  MPI_Reduce(&extremes[1], greatest, 1, MPI_DOUBLE, MPI_MAX, 0, world);
  MPI_Reduce(series->values, sums, n, MPI_DOUBLE, MPI_SUM, 0, world);
  for (int block = 0; block < n; ++block)
    series->values[block] = sums[block] / ranks;
  if (bench->call.rank == 0)
    benchRowExtremes(options, size, series, more, further, *least, *greatest);
  free(sums);
}

/* Of a form that does not block: the columns behind the whole, in microseconds, out of what this rank has
 * spent in so many calls with computing and in `pure`, the time of one without. Gives how many columns there
 * are. */
static int columns(const Bench* bench, const Spent* spent, double calls, double pure, double* column) {
  const int ranks = bench->call.ranks;
  const double inRank[] = {spent->whole, spent->computing, spent->starting, spent->testing, spent->waiting};
  double mean[5];
  for (int i = 0; i < 5; ++i)
    mean[i] = meanOf(inRank[i] * 1e6 / calls, world, ranks);
  double extremes[2] = {pure * 1e6, -pure * 1e6};
  MPI_Allreduce(MPI_IN_PLACE, extremes, 2, MPI_DOUBLE, MPI_MAX, world);
  const double communication = meanOf(pure * 1e6, world, ranks);
  const double visible = (mean[0] - mean[1]) / communication;
  const double overlap = visible < 0 ? 100 : visible > 1 ? 0 : 100 * (1 - visible);
  const double all[] = {mean[1],       mean[2],      mean[3],     mean[4],
                        communication, -extremes[1], extremes[0], overlap};
  const double some[] = {mean[1], communication, overlap};
  const int n = bench->call.options->full ? 8 : 3;
  memcpy(column, n == 8 ? all : some, (size_t)n * sizeof *column);
  return n;
}

static void measure(Bench* bench, size_t size) {
  const BenchOptions* options = bench->call.options;
  BenchSeries series = benchSeries(options, size);
  const double calls = (double)(series.perBlock * series.blocks);
  double least = 1e300, greatest = 0, pure = 0, further[8];
  Spent spent = {0, 0, 0, 0, 0}, unused = {0, 0, 0, 0, 0};
  int more = 0;
  callResize(&bench->call, size);
  series.sent = bench->call.layout.sent;
  if (bench->form == persistent)
    bench->request = callInit(&bench->call);
  if (options->check)
    check(bench, size);
  MPI_Barrier(world);
  many(bench, benchWarmup(options, size), 0, &unused);
  if (bench->form == nonBlocking)
    pure = many(bench, series.perBlock * series.blocks, 0, &unused) / calls;
  const double computing = pure > 0 ? meanOf(pure, world, bench->call.ranks) : 0;
  for (int block = 0; block < series.blocks; ++block) {
    const double value = many(bench, series.perBlock, computing, &spent) * 1e6 / (double)series.perBlock;
    series.values[block] = value;
    least = value < least ? value : least;
    greatest = value > greatest ? value : greatest;
  }
  if (bench->form == nonBlocking)
    more = columns(bench, &spent, calls, pure, further);
  report(bench, size, &series, &least, &greatest, more, further);
  if (bench->form == persistent)
    MPI_Request_free(&bench->request);
  callRelease(&bench->call);
  benchSeriesFree(&series);
}

/* Room for every block, and the arrays; a communicator of neighbours for the neighbourhood forms. */
static void allocate(Call* call) {
  call->neighbours = neighboursOf(call->options, call->ranks, call->rank);
  if (hasNeighbours(call->which)) {
    const int sources = call->neighbours.sources, destinations = call->neighbours.destinations;
    call->comm = neighboursComm(call->options, &call->neighbours);
    call->peers = sources > destinations ? sources : destinations;
  } else {
    MPI_Comm_dup(world, &call->comm);
    call->peers = call->ranks;
  }
  const size_t peers = (size_t)call->peers;
  const size_t blocks = (size_t)(call->ranks > call->peers ? call->ranks : call->peers);
  call->counts = mpiAllocate(peers * sizeof(int));
  call->places = mpiAllocate(peers * sizeof(int));
  call->bytePlaces = mpiAllocate(peers * sizeof(int));
  call->distances = mpiAllocate(peers * sizeof(MPI_Aint));
  call->types = mpiAllocate(peers * sizeof(MPI_Datatype));
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
  neighboursFree(&call->neighbours);
}

static const char someColumns[] = "       Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)";
static const char allColumns[] =
    "       Overall(us)       Compute(us)    Coll. Init(us)      MPI_Test(us)      MPI_Wait(us)"
    "    Pure Comm.(us)     Min Comm.(us)     Max Comm.(us)        Overlap(%)";

/* The whole table of one collective. */
static void table(Bench* bench, const char* name, BenchOptions* options) {
  const size_t element = elementSize(options);
  char title[80];
  allocate(&bench->call);
  snprintf(title, sizeof title, "MPI %s", name);
  options->ownExtremes = bench->form == nonBlocking;
  options->noSize = bench->call.which == barrier;
  if (bench->call.rank == 0)
    benchHeader(options, title,
                bench->form != nonBlocking ? "Avg Latency(us)"
                : options->full            ? allColumns
                                           : someColumns);
  for (size_t size = elementsFirst(options); size <= options->largest; size = elementsNext(options, size)) {
    if (bench->call.which == reduceScatterBlock && size / element < (size_t)bench->call.ranks)
      continue; /* not an element for each */
    measure(bench, bench->call.which == barrier ? 0 : size);
    if (bench->call.which == barrier)
      break;
  }
  release(&bench->call);
}

/* Its tables, one for each type of elements. */
static void typeTables(Bench* bench, const char* name, BenchOptions* options) {
  for (int type = 0; benchUseType(options, type); ++type)
    if (type == 0 || bench->call.which != barrier)
      table(bench, name, options);
}

/* All collectives of all forms, one after the other. */
static void allTables(Bench* bench, BenchOptions* options) {
  static const char* const prefixes[] = {"", "i", ""};
  static const char* const suffixes[] = {"", "", "_persistent"};
  for (int form = blocking; form <= persistent; ++form)
    for (int which = 0; which < collectives; ++which) {
      char name[64];
      snprintf(name, sizeof name, "%s%s%s", prefixes[form], names[which], suffixes[form]);
      bench->form = (Form)form;
      bench->call.which = (Collective)which;
      if (options->derived == benchPlain || !isReduction(bench->call.which))
        typeTables(bench, name, options);
    }
}

/* The options that a collective has. */
static void lettersOf(const Bench* bench, int all, char* letters) {
  const Collective which = bench->call.which;
  strcpy(letters, "I");
  strcat(letters, all || which != barrier ? "Td" : "");
  strcat(letters, all || (which != barrier && !isReduction(which)) ? "D" : "");
  strcat(letters, all || bench->form == nonBlocking ? "t" : "");
  strcat(letters, all || hasRoot(which) ? "k" : "");
  strcat(letters, all || hasInPlace(which) ? "l" : "");
  strcat(letters, all || hasNeighbours(which) ? "N" : "");
}

int main(int argc, char** argv) {
  enum { usualMemory = 512 << 20 };
  Bench bench = {.request = MPI_REQUEST_NULL};
  const char* name = benchName("osu_collective", &argc, &argv);
  const int all = strcmp(name, "all") == 0;
  char letters[16] = "";
  bench.call.which = whichOf(name, &bench.form);
  lettersOf(&bench, all, letters);
  BenchOptions options = {.letters = letters,
                          .smallest = 1,
                          .largest = 1 << 20,
                          .type = benchChar,
                          .defaultIterations = 1000,
                          .defaultWarmup = 100};
  bench.call.rank = mpiBegin(argc, argv, &options, MPI_THREAD_SINGLE);
  bench.call.options = &options;
  bench.call.ranks = mpiRanks(&options, 1);
  bench.call.root = options.root;
  if (bench.call.which == collectives && !all)
    mpiRefuse(&options,
              "first argument: allreduce, iallreduce, allreduce_persistent or another collective, or all");
  if (options.root >= bench.call.ranks) {
    char why[80];
    snprintf(why, sizeof why, "-k: there is no rank %d among %d", options.root, bench.call.ranks);
    mpiRefuse(&options, why);
  }
  if (neighboursGreatest(&options) >= bench.call.ranks)
    mpiRefuse(&options, "-N: an edge names a rank that there is not");
  mpiLimit(&options, 2 * (size_t)bench.call.ranks, usualMemory);
  if (all)
    allTables(&bench, &options);
  else
    typeTables(&bench, name, &options);
  mpiEnd();
  return 0;
}
