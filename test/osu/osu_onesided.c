/* One-sided communication of rank 0 with the memory of rank 1, or of both with each other:
 * osu_put_latency, osu_get_latency, osu_acc_latency, osu_get_acc_latency, osu_fop_latency, osu_cas_latency,
 * osu_put_bw, osu_get_bw, osu_put_bibw.
 *
 * -w says how the window is made, -s with what an operation is completed. With flush, flush_local, lock and
 * lock_all the target does nothing. With fence and pscw both take part, and a latency is half of a round
 * trip: first rank 0 is the origin, then rank 1. */
#include "pair.h"
#include "window.h"

#include <string.h>

enum { greatestRoom = 16 << 20 };
typedef enum Kind {
  putLatency,
  getLatency,
  accLatency,
  getAccLatency,
  fopLatency,
  casLatency,
  putBw,
  getBw,
  putBibw,
  kinds
} Kind;
static const char* const names[kinds] = {"put_latency",     "get_latency", "acc_latency",
                                         "get_acc_latency", "fop_latency", "cas_latency",
                                         "put_bw",          "get_bw",      "put_bibw"};
static const char* const titles[kinds] = {"MPI_Put latency",
                                          "MPI_Get latency",
                                          "MPI_Accumulate latency",
                                          "MPI_Get_accumulate latency",
                                          "MPI_Fetch_and_op latency",
                                          "MPI_Compare_and_swap latency",
                                          "MPI_Put bandwidth",
                                          "MPI_Get bandwidth",
                                          "MPI_Put bi-directional bandwidth"};

typedef struct Run {
  Kind kind;
  const BenchOptions* options;
  int rank;
  TestWindow window;
  char* mine;   /* what is put or added */
  char* result; /* what is fetched */
  size_t size;
  size_t room;    /* bytes of each buffer */
  int operations; /* between two synchronisations */
  int slots;      /* of so many sizes each, that the operations use in turns */
} Run;

static int isBandwidth(Kind kind) {
  return kind >= putBw;
}

static int isAtomic(Kind kind) {
  return kind == fopLatency || kind == casLatency;
}

/* One operation on the window's memory at the peer, `slot` sizes behind its begin. */
static void operate(const Run* run, int slot) {
  const MPI_Datatype type = elementType(run->options);
  const int count = (int)(run->size / elementSize(run->options)), peer = 1 - run->rank;
  const MPI_Aint place = run->window.peerBase + (MPI_Aint)((size_t)slot * run->size);
  const MPI_Win win = run->window.win;
  static const long long one = 1, nothing = 0;
  switch (run->kind) {
  case getLatency:
  case getBw:
    MPI_Get(run->result + (size_t)slot * run->size, count, type, peer, place, count, type, win);
    break;
  case accLatency:
    MPI_Accumulate(run->mine, count, type, peer, place, count, type, MPI_SUM, win);
    break;
  case getAccLatency:
    MPI_Get_accumulate(run->mine, count, type, run->result, count, type, peer, place, count, type, MPI_SUM,
                       win);
    break;
  case fopLatency:
    MPI_Fetch_and_op(&one, run->result, MPI_LONG_LONG, peer, place, MPI_SUM, win);
    break;
  case casLatency:
    MPI_Compare_and_swap(&nothing, &one, run->result, MPI_LONG_LONG, peer, place, win);
    break;
  default:
    MPI_Put(run->mine + (size_t)slot * run->size, count, type, peer, place, count, type, win);
  }
}

static void operateAll(const Run* run) {
  for (int i = 0; i < run->operations; ++i)
    operate(run, i % run->slots);
}

/* `times` epochs in which this rank is the origin; only for synchronisations in which the target is passive.
 */
static void passive(const Run* run, long times) {
  const TestWindow* window = &run->window;
  windowOpen(window, run->options->sync);
  for (long i = 0; i < times; ++i) {
    windowBegin(window, run->options->sync);
    operateAll(run);
    windowEnd(window, run->options->sync);
  }
  windowClose(window, run->options->sync);
}

/* Epochs of both ranks: one after the other is the origin, or both in the same epoch. */
static void active(const Run* run, long times) {
  const TestWindow* window = &run->window;
  const BenchSync sync = run->options->sync;
  for (long i = 0; i < times; ++i) {
    if (run->kind == putBibw) {
      windowBeginBoth(window, sync);
      operateAll(run);
      windowEndBoth(window, sync);
      continue;
    }
    /* A bandwidth goes one way only. */
    for (int origin = 0; origin < (isBandwidth(run->kind) ? 1 : 2); ++origin) {
      if (run->rank == origin) {
        windowBegin(window, sync);
        operateAll(run);
        windowEnd(window, sync);
      } else {
        windowExpose(window, sync);
      }
    }
  }
}

static int isPassive(const BenchOptions* options) {
  return options->sync != benchFence && options->sync != benchPscw;
}

static void epochs(const Run* run, long times) {
  if (!isPassive(run->options))
    active(run, times);
  else if (run->rank == 0 || run->kind == putBibw)
    passive(run, times);
}

/* How many elements are not what this rank had there and what the peer has added: both were filled. */
static size_t sumDiffers(const BenchOptions* options, void* memory, size_t count, unsigned mine,
                         unsigned added) {
  char* wanted = benchMemory(2 * count * elementSize(options));
  char* addend = wanted + count * elementSize(options);
  elementsFill(options, wanted, count, mine);
  elementsFill(options, addend, count, added);
  MPI_Reduce_local(addend, wanted, (int)count, elementType(options), MPI_SUM);
  const size_t wrong = memcmp(wanted, memory, count * elementSize(options)) != 0;
  free(wanted);
  return wrong * count;
}

/* One epoch on known values, and what must be there after it, at the origin and in the target's memory. */
static void check(const Run* run) {
  const BenchOptions* options = run->options;
  const size_t count = run->size / elementSize(options) * (size_t)run->slots;
  const unsigned mine = (unsigned)run->rank, peer = 1 - mine;
  long long* words = (long long*)run->window.memory;
  const int writes = run->kind == putLatency || run->kind == putBw || run->kind == putBibw;
  const int isOrigin =
      run->rank == 0 || run->kind == putBibw || (!isPassive(options) && !isBandwidth(run->kind));
  const int isTarget =
      run->rank == 1 || run->kind == putBibw || (!isPassive(options) && !isBandwidth(run->kind));
  MPI_Barrier(world); /* the origin may still be at the size before */
  windowWrite(&run->window, 1);
  memset(run->window.memory, 0, run->size * (size_t)run->slots);
  if (isAtomic(run->kind))
    *words = 1;
  else if (!writes)
    elementsFill(options, run->window.memory, count, mine);
  elementsFill(options, run->mine, count, writes ? mine : 7);
  memset(run->result, 0, run->size * (size_t)run->slots);
  windowWrite(&run->window, 0);
  MPI_Barrier(world);
  epochs(run, 1);
  MPI_Barrier(world);
  windowWrite(&run->window, 1);
  if (isTarget && isAtomic(run->kind))
    mpiCheck(options, run->size, *words != (run->kind == fopLatency ? 2 : 0), 1);
  else if (isTarget && writes)
    mpiCheck(options, run->size, elementsDiffer(options, run->window.memory, 0, count, peer, 1), count);
  else if (isTarget && (run->kind == accLatency || run->kind == getAccLatency))
    mpiCheck(options, run->size, sumDiffers(options, run->window.memory, count, mine, 7), count);
  if (isOrigin && isAtomic(run->kind))
    mpiCheck(options, run->size, *(long long*)run->result != 1, 1);
  else if (isOrigin && !writes && run->kind != accLatency)
    mpiCheck(options, run->size, elementsDiffer(options, run->result, 0, count, peer, 1), count);
  windowWrite(&run->window, 0);
  MPI_Barrier(world);
}

static void measure(Run* run, size_t size) {
  const BenchOptions* options = run->options;
  BenchSeries series = benchSeries(options, size);
  run->size = size;
  run->slots = size * (size_t)run->operations <= run->room ? run->operations : (int)(run->room / size);
  if (options->check)
    check(run);
  MPI_Barrier(world);
  epochs(run, benchWarmup(options, size));
  for (int block = 0; block < series.blocks; ++block) {
    MPI_Barrier(world);
    const double start = benchSeconds();
    epochs(run, series.perBlock);
    if (run->kind == putBibw)
      MPI_Barrier(world);
    const double seconds = benchSeconds() - start;
    const double done = (double)series.perBlock * run->operations;
    if (isBandwidth(run->kind))
      series.values[block] = (double)size * done * (run->kind == putBibw ? 2 : 1) / 1e6 / seconds;
    else
      series.values[block] = seconds * 1e6 / done / (isPassive(options) ? 1 : 2);
  }
  if (run->rank == 0)
    benchRow(options, size, &series);
  benchSeriesFree(&series);
}

static Kind kindOf(const char* name) {
  int kind = 0;
  while (kind < kinds && strcmp(name, names[kind]) != 0)
    ++kind;
  return (Kind)kind;
}

int main(int argc, char** argv) {
  Run run = {.kind = kindOf(benchName("osu_onesided", &argc, &argv))};
  const int bandwidth = isBandwidth(run.kind), atomic = isAtomic(run.kind);
  BenchOptions options = {.letters = bandwidth ? "wsTdWI"
                                     : atomic  ? "wsI"
                                               : "wsTdI",
                          .smallest = 1,
                          .largest = 4 << 20,
                          .window = bandwidth ? 64 : 1,
                          .sync = run.kind == putBibw ? benchPscw : benchFlush,
                          .defaultIterations = bandwidth ? 200 : 10000,
                          .defaultWarmup = bandwidth ? 10 : 1000};
  run.rank = pairBegin(argc, argv, &options, MPI_THREAD_SINGLE);
  if (run.kind == kinds)
    mpiRefuse(&options, "first argument: put_latency, get_latency, acc_latency, get_acc_latency, "
                        "fop_latency, cas_latency, put_bw, get_bw or put_bibw");
  if (atomic)
    options.smallest = options.largest = sizeof(long long);
  mpiLimit(&options, 3, 0);
  run.options = &options;
  run.operations = options.window;
  run.room = options.largest * (size_t)run.operations;
  if (run.room > greatestRoom)
    run.room = options.largest > greatestRoom ? options.largest : greatestRoom;
  run.mine = benchMemory(run.room);
  run.result = benchMemory(run.room);
  run.window = windowMake(&options, run.room);
  char title[160];
  snprintf(title, sizeof title, "%s\n# Window creation: %s\n# Synchronization: %s", titles[run.kind],
           windowKindName(options.kind), windowSyncName(options.sync));
  for (int type = 0; benchUseType(&options, type); ++type) {
    if (run.rank == 0)
      benchHeader(&options, title, bandwidth ? "Bandwidth (MB/s)" : "Latency (us)");
    for (size_t size = elementsFirst(&options); size <= options.largest; size = elementsNext(&options, size))
      measure(&run, size);
  }
  windowFree(&run.window);
  free(run.result);
  free(run.mine);
  mpiEnd();
  return 0;
}
