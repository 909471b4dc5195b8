/* What a receive costs while many unexpected messages wait: rank 1 sends them with tags of their own, then
 * sixteen more, and rank 0 takes these sixteen. -m gives the least and the greatest number of waiting
 * messages. Three ways to ask: source and tag given; any source, tag given; and, for the oldest sixteen,
 * neither given. */
#include "pair.h"

enum { taken = 16, wantedTag = 1000, markTag = 5, goTag = 6, payload = 8, ways = 3 };

static const char* const wayNames[ways] = {"Given (us)", "Any source (us)", "Any, any (us)"};

static void sendAll(long depth, char* buffer) {
  MPI_Recv(NULL, 0, MPI_BYTE, 0, goTag, world, MPI_STATUS_IGNORE);
  for (long i = 0; i < depth; ++i)
    MPI_Send(buffer, payload, MPI_BYTE, 0, (int)(wantedTag + taken + i), world);
  for (int i = 0; i < taken; ++i)
    MPI_Send(buffer, payload, MPI_BYTE, 0, wantedTag + i, world);
  MPI_Send(NULL, 0, MPI_BYTE, 0, markTag, world);
}

/* Gives the seconds for one of the sixteen receives. */
static double takeAll(long depth, int way, char* buffer) {
  MPI_Status status;
  MPI_Send(NULL, 0, MPI_BYTE, 1, goTag, world);
  MPI_Recv(NULL, 0, MPI_BYTE, 1, markTag, world, MPI_STATUS_IGNORE);
  const double start = benchSeconds();
  for (int i = 0; i < taken; ++i)
    MPI_Recv(buffer, payload, MPI_BYTE, way == 0 ? 1 : MPI_ANY_SOURCE, way == 2 ? MPI_ANY_TAG : wantedTag + i,
             world, MPI_STATUS_IGNORE);
  const double seconds = (benchSeconds() - start) / taken;
  for (long i = 0; i < depth; ++i) /* the rest, in the order in which they came */
    MPI_Recv(buffer, payload, MPI_BYTE, 1, MPI_ANY_TAG, world, &status);
  return seconds;
}

int main(int argc, char** argv) {
  BenchOptions options = {.letters = "I",
                          .smallest = 16,
                          .largest = 4096,
                          .window = 1,
                          .defaultIterations = 60,
                          .defaultWarmup = 5};
  const int rank = pairBegin(argc, argv, &options, MPI_THREAD_SINGLE);
  char buffer[payload] = "";
  if (rank == 0) {
    printf("# Time of a receive while messages wait\n%-10s", "# Waiting");
    for (int way = 0; way < ways; ++way)
      printf("%18s", wayNames[way]);
    printf("\n");
  }
  for (size_t depth = options.smallest; depth <= options.largest; depth = depth == 0 ? 1 : depth * 4) {
    const long rounds = benchIterations(&options, 0);
    if (rank == 0)
      printf("%-10zu", depth);
    for (int way = 0; way < ways; ++way) {
      double* seconds = mpiAllocate((size_t)rounds * sizeof *seconds);
      for (long i = -benchWarmup(&options, 0); i < rounds; ++i) {
        if (rank == 1) {
          sendAll((long)depth, buffer);
        } else {
          const double one = takeAll((long)depth, way, buffer);
          if (i >= 0)
            seconds[i] = one;
        }
      }
      if (rank == 0)
        printf("%18.3f", benchMedian(seconds, rounds) * 1e6);
      free(seconds);
    }
    if (rank == 0) {
      printf("\n");
      fflush(stdout);
    }
  }
  mpiEnd();
  return 0;
}
