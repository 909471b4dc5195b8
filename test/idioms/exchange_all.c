/* All to all by hand: every rank posts a receive from and a send to every rank, itself too, each pair with a
 * size of its own, and completes them by Waitall, Waitany, Waitsome and Testall. */
#include "verdict.h"

enum { largest = 150000, ways = 4 };

static int sizeOf(int from, int to, int way) {
  const unsigned x = scramble((unsigned)(from * 64 + to), (unsigned)way);
  return (int)(x % 4 == 0 ? x % largest : x % 4 == 1 ? 0 : x % 3000);
}

static unsigned char byteOf(int from, int to, int way, int i) {
  return (unsigned char)(from * 31 + to * 17 + way * 5 + i * 3 + i / 251);
}

static void completeAll(int way, int count, MPI_Request* requests, MPI_Status* statuses) {
  int left = count;
  if (way == 0) {
    MPI_Waitall(count, requests, statuses);
  } else if (way == 1) {
    while (left-- > 0) {
      int index;
      MPI_Status status;
      MPI_Waitany(count, requests, &index, &status);
      CHECK(index >= 0 && index < count);
      statuses[index] = status;
    }
  } else if (way == 2) {
    int* indices = makeRoom((size_t)count, sizeof *indices);
    MPI_Status* some = makeRoom((size_t)count, sizeof *some);
    while (left > 0) {
      int done;
      MPI_Waitsome(count, requests, &done, indices, some);
      CHECK(done > 0 && done <= left);
      for (int i = 0; i < done; ++i)
        statuses[indices[i]] = some[i];
      left -= done;
    }
    free(some);
    free(indices);
  } else {
    int done = 0;
    while (!done)
      MPI_Testall(count, requests, &done, statuses);
  }
  for (int i = 0; i < count; ++i)
    CHECK(requests[i] == MPI_REQUEST_NULL);
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Request* requests = makeRoom((size_t)ranks * 2, sizeof *requests);
  MPI_Status* statuses = makeRoom((size_t)ranks * 2, sizeof *statuses);
  unsigned char* in = makeRoom((size_t)ranks, largest);
  unsigned char* out = makeRoom((size_t)ranks, largest);

  for (int round = 0; round < 3 * ways; ++round) {
    const int way = round % ways;
    for (int peer = 0; peer < ranks; ++peer)
      for (int i = 0; i < sizeOf(rank, peer, way); ++i)
        out[(size_t)peer * largest + (size_t)i] = byteOf(rank, peer, way, i);
    /* In some rounds the sends come first, so that messages arrive before their receive. */
    for (int half = 0; half < 2; ++half)
      for (int k = 0; k < ranks; ++k) {
        const int peer = (rank + k) % ranks;
        if ((half == 0) == (round % 2 == 0))
          MPI_Irecv(in + (size_t)peer * largest, largest, MPI_BYTE, peer, round, MPI_COMM_WORLD,
                    &requests[peer]);
        else
          MPI_Isend(out + (size_t)peer * largest, sizeOf(rank, peer, way), MPI_BYTE, peer, round,
                    MPI_COMM_WORLD, &requests[ranks + peer]);
      }
    completeAll(way, 2 * ranks, requests, statuses);
    for (int peer = 0; peer < ranks; ++peer) {
      int count, good = 1;
      MPI_Get_count(&statuses[peer], MPI_BYTE, &count);
      CHECK(statuses[peer].MPI_SOURCE == peer && statuses[peer].MPI_TAG == round);
      CHECK(count == sizeOf(peer, rank, way));
      for (int i = 0; i < count; ++i)
        good = good && in[(size_t)peer * largest + (size_t)i] == byteOf(peer, rank, way, i);
      CHECK(good);
    }
  }
  free(out);
  free(in);
  free(statuses);
  free(requests);
  return verdict("exchange_all");
}
