/* A token goes round with synchronous sends: who gets it appends its rank, so the order of turns can be read
 * off at the end. Then every rank sees that a synchronous send does not end before its receive has begun. */
#include "verdict.h"

enum { turns = 25, tokenTag = 1, askTag = 2, sizes = 3 };

int main(int argc, char** argv) {
  static const int padding[sizes] = {0, 3000, 60000};
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;

  for (int s = 0; s < sizes && ranks > 1; ++s) {
    const int length = turns * ranks + 1 + padding[s];
    int* token = makeRoom((size_t)length, sizeof *token);
    for (int turn = 0; turn < turns; ++turn) {
      if (turn > 0 || rank > 0)
        MPI_Recv(token, length, MPI_INT, left, tokenTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(token[0] == turn * ranks + rank);
      token[1 + token[0]] = rank;
      ++token[0];
      MPI_Ssend(token, length, MPI_INT, right, tokenTag, MPI_COMM_WORLD);
    }
    if (rank == 0) {
      MPI_Recv(token, length, MPI_INT, left, tokenTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(token[0] == turns * ranks);
      for (int i = 0; i < turns * ranks; ++i)
        CHECK(token[1 + i] == i % ranks);
    }
    free(token);
  }

  /* An Issend without a receive does not complete, however often it is tested; with the receive it does. */
  for (int s = 0; s < sizes; ++s) {
    const int length = padding[s];
    int* out = makeRoom((size_t)length, sizeof *out);
    int* in = makeRoom((size_t)length, sizeof *in);
    MPI_Request request, receive;
    int done = 0, early = 0;
    for (int i = 0; i < length; ++i)
      out[i] = rank + i;
    MPI_Issend(out, length, MPI_INT, right, askTag, MPI_COMM_WORLD, &request);
    for (int i = 0; i < 500; ++i) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      early += done;
      if (done)
        break;
    }
    CHECK(early == 0);
    /* Nobody receives before everybody has looked. */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Irecv(in, length, MPI_INT, left, askTag, MPI_COMM_WORLD, &receive);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < length; i += 1 + length / 64)
      CHECK(in[i] == left + i);
    free(in);
    free(out);
  }
  return verdict("token");
}
