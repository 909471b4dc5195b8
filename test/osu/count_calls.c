/* What instruction-count looks at: N times one 8-byte MPI_Isend, MPI_Irecv or MPI_Put on rank 0, in a steady
 * rhythm with rank 1. All other messages go by MPI_Send and MPI_Recv, so that the call in question appears
 * nowhere else.
 *
 * count_calls send|expected|waiting|matched|put|puts N
 *   send      MPI_Isend, the receive being posted or not as it comes
 *   expected  MPI_Irecv before the message is sent
 *   waiting   MPI_Irecv when the message is already there
 *   matched   MPI_Mprobe and MPI_Mrecv when the message is already there
 *   put       MPI_Put with an MPI_Win_flush for each
 *   puts      MPI_Put with an MPI_Win_flush for each sixteenth */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { dataTag = 1, turnTag = 2 };

static void turnTo(int peer) {
  MPI_Send(NULL, 0, MPI_BYTE, peer, turnTag, MPI_COMM_WORLD);
}

static void turnFrom(int peer) {
  MPI_Recv(NULL, 0, MPI_BYTE, peer, turnTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void counted(const char* what, long times) {
  double data = 1;
  MPI_Request request;
  for (long i = 0; i < times; ++i) {
    if (strcmp(what, "send") == 0) {
      MPI_Isend(&data, 1, MPI_DOUBLE, 1, dataTag, MPI_COMM_WORLD, &request);
    } else if (strcmp(what, "expected") == 0) {
      MPI_Irecv(&data, 1, MPI_DOUBLE, 1, dataTag, MPI_COMM_WORLD, &request);
      turnTo(1);
    } else if (strcmp(what, "matched") == 0) {
      MPI_Message message;
      MPI_Status status;
      turnTo(1);
      turnFrom(1);
      MPI_Mprobe(1, dataTag, MPI_COMM_WORLD, &message, &status);
      MPI_Mrecv(&data, 1, MPI_DOUBLE, &message, &status);
      turnFrom(1);
      continue;
    } else {
      turnTo(1);
      turnFrom(1);
      MPI_Irecv(&data, 1, MPI_DOUBLE, 1, dataTag, MPI_COMM_WORLD, &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    turnFrom(1);
  }
}

static void partner(const char* what, long times) {
  double data = 1;
  for (long i = 0; i < times; ++i) {
    if (strcmp(what, "send") == 0) {
      MPI_Recv(&data, 1, MPI_DOUBLE, 0, dataTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      turnFrom(0);
      MPI_Send(&data, 1, MPI_DOUBLE, 0, dataTag, MPI_COMM_WORLD);
      if (strcmp(what, "waiting") == 0 || strcmp(what, "matched") == 0)
        turnTo(0);
    }
    turnTo(0);
  }
}

static void countedPuts(long perFlush, long times) {
  double* memory;
  double data = 1;
  MPI_Win win;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(sizeof data, sizeof data, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  if (rank == 0) {
    MPI_Accumulate(&data, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, MPI_REPLACE, win);
    MPI_Win_flush(1, win);
    for (long i = 0; i < times; ++i) {
      MPI_Put(&data, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, win);
      if ((i + 1) % perFlush == 0)
        MPI_Win_flush(1, win);
    }
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const long times = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
  if (ranks != 2 || times <= 0) {
    fprintf(stderr, "usage, with two ranks: count_calls send|expected|waiting|matched|put|puts N\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  // Connect first: what that costs differs from run to run.
  if (strncmp(argv[1], "put", 3) == 0) {
    countedPuts(strcmp(argv[1], "puts") == 0 ? 16 : 1, times);
  } else if (rank == 0) {
    turnTo(1);
    turnFrom(1);
    counted(argv[1], times);
  } else {
    turnFrom(0);
    turnTo(0);
    partner(argv[1], times);
  }
  MPI_Finalize();
  return 0;
}
