/* Pipelined reduction: a long vector goes down the chain of ranks in segments; each rank adds its part to a
 * segment and passes it on while the next one is coming in (two buffers). The last rank has the sum, which
 * MPI_Reduce and arithmetic must agree with. */
#include "verdict.h"

enum { length = 300001, segment = 4096 };

static long part(int rank, int i) {
  return (long)(scramble((unsigned)rank, (unsigned)i) & 0xfffff);
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int before = rank > 0 ? rank - 1 : MPI_PROC_NULL, after = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
  const int segments = (length + segment - 1) / segment;

  long* mine = makeRoom(length, sizeof *mine);
  long* sum = makeRoom(length, sizeof *sum);
  long* coming = makeRoom(2 * segment, sizeof *coming);
  for (int i = 0; i < length; ++i)
    mine[i] = part(rank, i);

  MPI_Request receives[2], send = MPI_REQUEST_NULL;
  MPI_Irecv(coming, segment, MPI_LONG, before, 0, MPI_COMM_WORLD, &receives[0]);
  for (int s = 0; s < segments; ++s) {
    const int here = s % 2, start = s * segment;
    const int count = start + segment <= length ? segment : length - start;
    if (s + 1 < segments)
      MPI_Irecv(coming + (1 - here) * segment, segment, MPI_LONG, before, s + 1, MPI_COMM_WORLD,
                &receives[1 - here]);
    MPI_Status status;
    int got;
    MPI_Wait(&receives[here], &status);
    MPI_Get_count(&status, MPI_LONG, &got);
    CHECK(got == (before == MPI_PROC_NULL ? 0 : count));
    for (int i = 0; i < count; ++i)
      sum[start + i] = mine[start + i] + (got ? coming[here * segment + i] : 0);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
    MPI_Isend(sum + start, count, MPI_LONG, after, s, MPI_COMM_WORLD, &send);
  }
  MPI_Wait(&send, MPI_STATUS_IGNORE);

  long* reduced = makeRoom(length, sizeof *reduced);
  MPI_Reduce(mine, reduced, length, MPI_LONG, MPI_SUM, ranks - 1, MPI_COMM_WORLD);
  if (rank == ranks - 1)
    for (int i = 0; i < length; ++i) {
      long wanted = 0;
      for (int r = 0; r < ranks; ++r)
        wanted += part(r, i);
      CHECK(sum[i] == wanted);
      CHECK(reduced[i] == wanted);
    }
  free(reduced);
  free(coming);
  free(sum);
  free(mine);
  return verdict("pipelined_reduction");
}
