/* A job that never ends by itself: orphan HOW FOLDER. Each rank leaves its process id in FOLDER/RANK, then
 * rank 1 computes and the others wait for it as HOW says: in recv, barrier, probe or lock (of a window), or
 * compute as well. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, *memory;
  MPI_Win window;
  char name[512];
  if (argc != 3)
    return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(sizeof *memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  if (rank == 1)
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
  MPI_Barrier(MPI_COMM_WORLD);
  snprintf(name, sizeof name, "%s/%d", argv[2], rank);
  FILE* file = fopen(name, "w");
  if (file == NULL || fprintf(file, "%d\n", (int)getpid()) < 0 || fclose(file) != 0)
    MPI_Abort(MPI_COMM_WORLD, 1);
  if (rank != 1 && strcmp(argv[1], "recv") == 0)
    MPI_Recv(memory, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank != 1 && strcmp(argv[1], "barrier") == 0)
    MPI_Barrier(MPI_COMM_WORLD);
  if (rank != 1 && strcmp(argv[1], "probe") == 0)
    MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank != 1 && strcmp(argv[1], "lock") == 0)
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
  for (;;)
    sleep(1);
}
