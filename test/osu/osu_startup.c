/* osu_init: how long MPI_Init takes, or MPI_Session_init and a communicator of all with -I: least, mean and
 * greatest of the ranks. osu_hello: init, a line, finalize. */
#include "pair.h"

#include <string.h>

int main(int argc, char** argv) {
  const char* name = benchName("osu_startup", &argc, &argv);
  BenchOptions options = {.letters = "I"};
  const int rank = mpiBegin(argc, argv, &options, MPI_THREAD_SINGLE);
  const double mine = initSeconds * 1e3;
  const int ranks = mpiRanks(&options, 1);
  if (strcmp(name, "hello") == 0) {
    if (rank == 0)
      printf("# MPI hello\nThis is a test with %d processes\n", ranks);
  } else if (strcmp(name, "init") == 0) {
    double least, greatest, sum;
    MPI_Reduce(&mine, &least, 1, MPI_DOUBLE, MPI_MIN, 0, world);
    MPI_Reduce(&mine, &greatest, 1, MPI_DOUBLE, MPI_MAX, 0, world);
    MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, world);
    if (rank == 0)
      printf("# MPI init\nnprocs: %d, min: %.3f ms, max: %.3f ms, avg: %.3f ms\n", ranks, least, greatest,
             sum / ranks);
  } else {
    mpiRefuse(&options, "first argument: init or hello");
  }
  mpiEnd();
  return 0;
}
