/* Ping-pong with persistent requests: set up once, started again and again, between neighbours 0-1, 2-3 and
 * so on. A rank without a partner plays with itself, both requests started together. Each mode of sending has
 * its turn. */
#include "verdict.h"

enum { largest = 200000, trips = 30 };

typedef int Maker(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

static void play(Maker* makeSend, int bytes, int rank, int partner, int tag, unsigned char* out,
                 unsigned char* in) {
  MPI_Request requests[2];
  MPI_Status status;
  int count;
  makeSend(out, bytes, MPI_BYTE, partner, tag, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(in, largest, MPI_BYTE, partner, tag, MPI_COMM_WORLD, &requests[1]);
  for (int trip = 0; trip < trips; ++trip) {
    for (int i = 0; i < bytes; i += 1 + bytes / 64)
      out[i] = (unsigned char)(rank + trip + i);
    if (partner == rank) {
      MPI_Startall(2, requests);
      MPI_Wait(&requests[1], &status);
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    } else {
      for (int turn = 0; turn < 2; ++turn) {
        if (turn == (rank < partner ? 0 : 1)) {
          MPI_Start(&requests[0]);
          MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        } else {
          MPI_Start(&requests[1]);
          int done = 0;
          while (!done)
            MPI_Test(&requests[1], &done, &status);
        }
      }
    }
    MPI_Get_count(&status, MPI_BYTE, &count);
    CHECK(count == bytes && status.MPI_SOURCE == partner && status.MPI_TAG == tag);
    CHECK(requests[0] != MPI_REQUEST_NULL && requests[1] != MPI_REQUEST_NULL);
    int good = 1;
    for (int i = 0; i < bytes; i += 1 + bytes / 64)
      good = good && in[i] == (unsigned char)(partner + trip + i);
    CHECK(good);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int partner = (rank ^ 1) < ranks ? (rank ^ 1) : rank;
  unsigned char* out = makeRoom(largest, 1);
  unsigned char* in = makeRoom(largest, 1);
  const int room = 2 * (largest + MPI_BSEND_OVERHEAD);
  void* buffered = makeRoom((size_t)room, 1);
  MPI_Buffer_attach(buffered, room);
  for (int bytes = 0; bytes <= largest; bytes = bytes * 20 + 10) {
    play(MPI_Send_init, bytes, rank, partner, 1, out, in);
    play(MPI_Ssend_init, bytes, rank, partner, 2, out, in);
    play(MPI_Bsend_init, bytes, rank, partner, 3, out, in);
  }
  int size = 0;
  MPI_Buffer_detach(&buffered, &size);
  CHECK(size == room);
  free(buffered);
  free(in);
  free(out);
  return verdict("persistent_pingpong");
}
