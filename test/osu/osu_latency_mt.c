/* Ping-pong between the threads of two ranks, under MPI_THREAD_MULTIPLE. Rank 0 has S threads that send and
 * rank 1 has R that answer (-t S:R, 1:2 unless told). A thread of rank 0 sends to whoever listens on its tag,
 * as thread i of rank 1 answers the senders i, i + R, ... in turns, or shares one with others. The value is
 * the mean one-way time that a round trip takes in one of the sending threads. */
#include "pair.h"

#include <pthread.h>

typedef struct Worker {
  pthread_t thread;
  const BenchOptions* options;
  int index;
  int senders;
  int receivers;
  pthread_barrier_t* start;
  double seconds; /* of the measured trips */
  long warmup;
  long trips;
  Pair pair;
} Worker;

enum { pingTag = 1000, pongTag = 5000 };

/* How many of all trips thread `index` of `threads` makes: their sum is `all`. */
static long share(long all, int index, int threads) {
  return all / threads + (index < all % threads);
}

/* The tag says which sender is to be answered; the answers of all go back on the sender's own tag. A thread
 * that answers takes pings of anyone, so that it does not matter how the trips are divided. */
static void trips(const Worker* w, long all) {
  const Pair* pair = &w->pair;
  const Layout* layout = &pair->layout;
  const long mine = share(all, w->index, pair->sends ? w->senders : w->receivers);
  MPI_Status status;
  for (long i = 0; i < mine; ++i) {
    if (pair->sends) {
      MPI_Send(pair->out, layout->count, layout->type, 1, pingTag + w->index, world);
      MPI_Recv(pair->in, layout->count, layout->type, 1, pongTag + w->index, world, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(pair->in, layout->count, layout->type, 0, MPI_ANY_TAG, world, &status);
      MPI_Send(pair->out, layout->count, layout->type, 0, status.MPI_TAG - pingTag + pongTag, world);
    }
  }
  if (w->options->check && mine > 0)
    pairVerify(pair, w->options);
}

static void* work(void* argument) {
  Worker* w = argument;
  if (w->options->check)
    pairFill(&w->pair);
  trips(w, w->warmup);
  pthread_barrier_wait(w->start);
  const double start = benchSeconds();
  trips(w, w->trips);
  w->seconds = benchSeconds() - start;
  return NULL;
}

static void measure(const BenchOptions* options, int rank, size_t size) {
  const int threads = options->counts[rank];
  BenchSeries series = benchSeries(options, size);
  Worker* workers = mpiAllocate((size_t)threads * sizeof *workers);
  pthread_barrier_t start;
  pthread_barrier_init(&start, NULL, (unsigned)threads);
  for (int i = 0; i < threads; ++i) {
    workers[i] =
        (Worker){.pair = {.rank = rank, .peer = 1 - rank, .sends = rank == 0}, .index = i, .start = &start};
    pairResize(&workers[i].pair, options, size, 1);
  }
  series.sent = workers[0].pair.layout.sent;
  for (int block = 0; block < series.blocks; ++block) {
    MPI_Barrier(world);
    /* Threads of their own for each block: starting them is not measured. */
    for (int i = 0; i < threads; ++i) {
      Worker* w = &workers[i];
      w->options = options;
      w->senders = options->counts[0];
      w->receivers = options->counts[1];
      w->warmup = benchWarmup(options, size) / (block == 0 ? 1 : 10) + w->senders;
      w->trips = series.perBlock * w->senders;
      if (pthread_create(&w->thread, NULL, work, w) != 0)
        MPI_Abort(world, 1);
    }
    for (int i = 0; i < threads; ++i) {
      pthread_join(workers[i].thread, NULL);
      series.values[block] += workers[i].seconds * 1e6 / (2.0 * (double)series.perBlock * threads);
    }
  }
  if (rank == 0)
    benchRow(options, size, &series);
  for (int i = 0; i < threads; ++i)
    pairFree(&workers[i].pair);
  pthread_barrier_destroy(&start);
  free(workers);
  benchSeriesFree(&series);
}

int main(int argc, char** argv) {
  BenchOptions options = {.letters = "tTdDI",
                          .smallest = 1,
                          .largest = 4 << 20,
                          .counts = {1, 2},
                          .defaultIterations = 1000,
                          .defaultWarmup = 100};
  const int rank = pairBegin(argc, argv, &options, MPI_THREAD_MULTIPLE);
  if (options.counts[0] < 1 || options.counts[1] < 1 || options.counts[0] > 128 || options.counts[1] > 128)
    mpiRefuse(&options, "-t takes 1 to 128 threads");
  mpiLimit(&options, 2 * (size_t)options.counts[rank], 0);
  char title[80];
  snprintf(title, sizeof title, "MPI multi-threaded latency [sender threads: %d] [receiver threads: %d]",
           options.counts[0], options.counts[1]);
  for (int type = 0; benchUseType(&options, type); ++type) {
    if (rank == 0)
      benchHeader(&options, title, "Avg Latency(us)");
    for (size_t size = elementsFirst(&options); size <= options.largest; size = elementsNext(&options, size))
      measure(&options, rank, size);
  }
  mpiEnd();
  return 0;
}
