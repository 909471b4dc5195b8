/* Ping-pong between the threads of two ranks, under MPI_THREAD_MULTIPLE. Rank 0 has S threads that send and
 * rank 1 has R that answer (-t S:R, 1:2 unless told). A thread of rank 0 sends to whoever listens on its tag,
 * as thread i of rank 1 answers the senders i, i + R, ... in turns, or shares one with others. The value is
 * the mean one-way time that a round trip takes in one of the sending threads. */
#include "pair.h"

#include <pthread.h>

typedef struct Worker {
  pthread_t thread;
  const BenchOptions* options;
  int rank;
  int index;
  int senders;
  int receivers;
  pthread_barrier_t* start;
  double seconds; /* of the measured trips */
  size_t size;
  long warmup;
  long trips;
  char* out;
  char* in;
} Worker;

enum { pingTag = 1000, pongTag = 5000 };

/* How many of all trips thread `index` of `threads` makes: their sum is `all`. */
static long share(long all, int index, int threads) {
  return all / threads + (index < all % threads);
}

/* The tag says which sender is to be answered; the answers of all go back on the sender's own tag. A thread
 * that answers takes pings of anyone, so that it does not matter how the trips are divided. */
static void trips(const Worker* w, long all) {
  const MPI_Datatype type = elementType(w->options);
  const int count = (int)(w->size / elementSize(w->options));
  const long mine = share(all, w->index, w->rank == 0 ? w->senders : w->receivers);
  MPI_Status status;
  for (long i = 0; i < mine; ++i) {
    if (w->rank == 0) {
      MPI_Send(w->out, count, type, 1, pingTag + w->index, MPI_COMM_WORLD);
      MPI_Recv(w->in, count, type, 1, pongTag + w->index, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(w->in, count, type, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      MPI_Send(w->out, count, type, 0, status.MPI_TAG - pingTag + pongTag, MPI_COMM_WORLD);
    }
  }
  if (w->options->check)
    pairCheck(w->in, w->size, (unsigned)(1 - w->rank));
}

static void* work(void* argument) {
  Worker* w = argument;
  if (w->options->check) {
    benchFill(w->out, w->size, (unsigned)w->rank);
    benchFill(w->in, w->size, (unsigned)(1 - w->rank)); /* for a thread without a trip */
  }
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
  for (int i = 0; i < threads; ++i)
    workers[i] = (Worker){
        .out = benchMemory(size), .in = benchMemory(size), .rank = rank, .index = i, .start = &start};
  for (int block = 0; block < series.blocks; ++block) {
    MPI_Barrier(MPI_COMM_WORLD);
    /* Threads of their own for each block: starting them is not measured. */
    for (int i = 0; i < threads; ++i) {
      Worker* w = &workers[i];
      w->options = options;
      w->senders = options->counts[0];
      w->receivers = options->counts[1];
      w->size = size;
      w->warmup = benchWarmup(options, size) / (block == 0 ? 1 : 10) + w->senders;
      w->trips = series.perBlock * w->senders;
      if (pthread_create(&w->thread, NULL, work, w) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int i = 0; i < threads; ++i) {
      pthread_join(workers[i].thread, NULL);
      series.values[block] += workers[i].seconds * 1e6 / (2.0 * (double)series.perBlock * threads);
    }
  }
  if (rank == 0)
    benchRow(options, size, &series);
  for (int i = 0; i < threads; ++i) {
    free(workers[i].out);
    free(workers[i].in);
  }
  pthread_barrier_destroy(&start);
  free(workers);
  benchSeriesFree(&series);
}

int main(int argc, char** argv) {
  BenchOptions options = {.letters = "td",
                          .smallest = 1,
                          .largest = 4 << 20,
                          .counts = {1, 2},
                          .defaultIterations = 1000,
                          .defaultWarmup = 100};
  int provided, rank, ranks;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (provided < MPI_THREAD_MULTIPLE)
    mpiRefuse(argv[0], "this MPI does not have MPI_THREAD_MULTIPLE");
  if (ranks != 2)
    mpiRefuse(argv[0], "needs 2 ranks");
  mpiOptions(argc, argv, rank, &options);
  if (options.counts[0] < 1 || options.counts[1] < 1 || options.counts[0] > 128 || options.counts[1] > 128)
    mpiRefuse(argv[0], "-t takes 1 to 128 threads");
  char title[80];
  snprintf(title, sizeof title, "MPI multi-threaded latency [sender threads: %d] [receiver threads: %d]",
           options.counts[0], options.counts[1]);
  if (rank == 0)
    benchHeader(&options, title, "Latency (us)");
  for (size_t size = elementsFirst(&options); size <= options.largest; size = elementsNext(&options, size))
    measure(&options, rank, size);
  MPI_Finalize();
  return 0;
}
