// Prints the rank and the number of processes, as the tests of the tools expect it.
#include <iostream>
#include <mpi.h>

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::cout << "hello from " << rank << " of " << size << std::endl;
  return MPI_Finalize();
}
