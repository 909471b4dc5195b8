/* Distributed sort by sampling: gather samples, broadcast splitters, send every number to the rank of its
 * range with Alltoall and Alltoallv, sort locally. Afterwards the numbers rise from rank to rank and none is
 * lost. */
#include "verdict.h"

enum { perRank = 20000, samples = 32 };

static int byValue(const void* a, const void* b) {
  const unsigned x = *(const unsigned*)a, y = *(const unsigned*)b;
  return (x > y) - (x < y);
}

static void addUp(const unsigned* numbers, int count, unsigned long sums[3]) {
  sums[0] = (unsigned long)count;
  for (int i = 0; i < count; ++i) {
    sums[1] += numbers[i];
    sums[2] ^= (unsigned long)numbers[i] * 0x9e3779b97f4a7c15ul;
  }
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  const int mineCount = perRank + 37 * rank;
  unsigned* mine = makeRoom((size_t)mineCount, sizeof *mine);
  for (int i = 0; i < mineCount; ++i)
    mine[i] = scramble((unsigned)rank, (unsigned)i) >> (i % 3); /* not evenly spread */
  unsigned long before[3] = {0, 0, 0}, after[3] = {0, 0, 0}, all[2][3];
  addUp(mine, mineCount, before);
  qsort(mine, (size_t)mineCount, sizeof *mine, byValue);

  unsigned own[samples];
  for (int i = 0; i < samples; ++i)
    own[i] = mine[(long)mineCount * i / samples];
  unsigned* pool = makeRoom((size_t)ranks * samples, sizeof *pool);
  unsigned* splitters = makeRoom((size_t)ranks, sizeof *splitters);
  MPI_Gather(own, samples, MPI_UNSIGNED, pool, samples, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    qsort(pool, (size_t)ranks * samples, sizeof *pool, byValue);
    for (int r = 1; r < ranks; ++r)
      splitters[r] = pool[(size_t)r * samples];
  }
  MPI_Bcast(splitters, ranks, MPI_UNSIGNED, 0, MPI_COMM_WORLD);

  int* counts = makeRoom((size_t)ranks * 4, sizeof *counts);
  int *starts = counts + ranks, *theirCounts = counts + 2 * ranks, *theirStarts = counts + 3 * ranks;
  for (int i = 0, to = 0; i < mineCount; ++i) {
    while (to + 1 < ranks && mine[i] >= splitters[to + 1])
      ++to;
    ++counts[to];
  }
  MPI_Alltoall(counts, 1, MPI_INT, theirCounts, 1, MPI_INT, MPI_COMM_WORLD);
  for (int r = 1; r < ranks; ++r) {
    starts[r] = starts[r - 1] + counts[r - 1];
    theirStarts[r] = theirStarts[r - 1] + theirCounts[r - 1];
  }
  const int nowCount = theirStarts[ranks - 1] + theirCounts[ranks - 1];
  unsigned* now = makeRoom((size_t)nowCount, sizeof *now);
  MPI_Alltoallv(mine, counts, starts, MPI_UNSIGNED, now, theirCounts, theirStarts, MPI_UNSIGNED,
                MPI_COMM_WORLD);
  qsort(now, (size_t)nowCount, sizeof *now, byValue);

  addUp(now, nowCount, after);
  MPI_Allreduce(before, all[0], 2, MPI_UNSIGNED_LONG, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(after, all[1], 2, MPI_UNSIGNED_LONG, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(before + 2, all[0] + 2, 1, MPI_UNSIGNED_LONG, MPI_BXOR, MPI_COMM_WORLD);
  MPI_Allreduce(after + 2, all[1] + 2, 1, MPI_UNSIGNED_LONG, MPI_BXOR, MPI_COMM_WORLD);
  for (int i = 0; i < 3; ++i)
    CHECK(all[0][i] == all[1][i]);

  /* Each rank tells the next one its largest number; a rank without numbers passes on what it heard. */
  unsigned below = 0;
  MPI_Recv(&below, 1, MPI_UNSIGNED, rank > 0 ? rank - 1 : MPI_PROC_NULL, 0, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  for (int i = 0; i < nowCount; ++i)
    CHECK((i ? now[i - 1] : below) <= now[i]);
  const unsigned last = nowCount ? now[nowCount - 1] : below;
  MPI_Send(&last, 1, MPI_UNSIGNED, rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL, 0, MPI_COMM_WORLD);

  free(now);
  free(counts);
  free(splitters);
  free(pool);
  free(mine);
  return verdict("sample_sort");
}
