/* Ring: every rank passes a message to its right neighbour until it has gone round. Blocking Sendrecv,
 * non-blocking Isend/Irecv, and Sendrecv_replace, from an empty message to 1 MiB. */
#include "verdict.h"

#include <string.h>

enum { largest = 1 << 20 };

static void fill(unsigned char* data, int bytes, int owner) {
  for (int i = 0; i < bytes; ++i)
    data[i] = (unsigned char)scramble((unsigned)owner, (unsigned)i);
}

static int holds(const unsigned char* data, int bytes, int owner) {
  for (int i = 0; i < bytes; ++i)
    if (data[i] != (unsigned char)scramble((unsigned)owner, (unsigned)i))
      return 0;
  return 1;
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  unsigned char* out = makeRoom(largest, 1);
  unsigned char* in = makeRoom(largest, 1);

  for (int bytes = 0; bytes <= largest; bytes = bytes ? bytes * 8 : 1) {
    fill(out, bytes, rank);
    for (int hop = 1; hop <= ranks; ++hop) {
      MPI_Status status;
      int count;
      MPI_Sendrecv(out, bytes, MPI_BYTE, right, 1, in, largest, MPI_BYTE, left, 1, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, MPI_BYTE, &count);
      CHECK(count == bytes && status.MPI_SOURCE == left && status.MPI_TAG == 1);
      CHECK(holds(in, bytes, (rank + ranks * 2 - hop) % ranks));
      memcpy(out, in, (size_t)bytes);
    }

    fill(out, bytes, rank);
    for (int hop = 1; hop <= ranks; ++hop) {
      MPI_Request requests[2];
      MPI_Irecv(in, largest, MPI_BYTE, left, 2, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(out, bytes, MPI_BYTE, right, 2, MPI_COMM_WORLD, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
      CHECK(holds(in, bytes, (rank + ranks * 2 - hop) % ranks));
      memcpy(out, in, (size_t)bytes);
    }

    fill(out, bytes, rank);
    for (int hop = 1; hop <= ranks; ++hop) {
      MPI_Sendrecv_replace(out, bytes, MPI_BYTE, right, 3, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(holds(out, bytes, (rank + ranks * 2 - hop) % ranks));
    }
  }
  free(in);
  free(out);
  return verdict("ring");
}
