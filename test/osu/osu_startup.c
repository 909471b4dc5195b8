/* osu_init: how long MPI_Init takes, least, mean and greatest of the ranks. osu_hello: init, a line,
 * finalize. */
#include "pair.h"

#include <string.h>

int main(int argc, char** argv) {
  const char* name = benchName("osu_startup", &argc, &argv);
  const double start = benchSeconds();
  const int rank = mpiBegin(&argc, &argv, 1, 0);
  const double mine = (benchSeconds() - start) * 1e3;
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (strcmp(name, "hello") == 0) {
    if (rank == 0)
      printf("# MPI hello\nThis is a test with %d processes\n", ranks);
  } else if (strcmp(name, "init") == 0) {
    double least, greatest, sum;
    MPI_Reduce(&mine, &least, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
    MPI_Reduce(&mine, &greatest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
      printf("# MPI init\nnprocs: %d, min: %.3f ms, max: %.3f ms, avg: %.3f ms\n", ranks, least, greatest,
             sum / ranks);
  } else {
    mpiRefuse("osu_startup", "first argument: init or hello");
  }
  MPI_Finalize();
  return 0;
}
