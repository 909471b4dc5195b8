/* Prints the rank and the number of processes, as the tests of the tools expect it. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  printf("hello from %d of %d\n", rank, size);
  return MPI_Finalize();
}
