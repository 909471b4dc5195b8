/* Wildcards: rank 0 takes numbered messages from anyone with any tag; from each sender they must come in
 * order, also when receives for one source, for one tag and for anything are posted side by side. */
#include "verdict.h"

enum { perRank = 300, tags = 3, posted = 16 };

static void sendAll(int rank, int to) {
  for (int i = 0; i < perRank; ++i) {
    const int text[3] = {rank, i, (int)scramble((unsigned)rank, (unsigned)i)};
    MPI_Send(text, 3, MPI_INT, to, i % tags, MPI_COMM_WORLD);
  }
}

static void checkOne(const int* text, const MPI_Status* status, int* next, int ranks) {
  int count;
  MPI_Get_count(status, MPI_INT, &count);
  CHECK(count == 3 && text[0] == status->MPI_SOURCE && text[1] % tags == status->MPI_TAG);
  CHECK(text[0] >= 0 && text[0] < ranks);
  CHECK(text[1] == next[text[0]]);
  CHECK(text[2] == (int)scramble((unsigned)text[0], (unsigned)text[1]));
  next[text[0]] = text[1] + 1;
}

/* One receive at a time, for anything. */
static void takeAnything(int ranks) {
  int* next = makeRoom((size_t)ranks, sizeof *next);
  for (int i = 0; i < perRank * (ranks - 1); ++i) {
    int text[3];
    MPI_Status status;
    MPI_Recv(text, 3, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    checkOne(text, &status, next, ranks);
  }
  free(next);
}

/* Many receives posted ahead for anything: they match in the order in which they were posted. */
static void takePosted(int ranks) {
  const int total = perRank * (ranks - 1);
  int* next = makeRoom((size_t)ranks, sizeof *next);
  int text[posted][3];
  MPI_Request requests[posted];
  for (int i = 0; i < total + posted; ++i) {
    const int slot = i % posted;
    if (i >= posted) {
      MPI_Status status;
      MPI_Wait(&requests[slot], &status);
      if (i - posted < total)
        checkOne(text[slot], &status, next, ranks);
    }
    if (i < total)
      MPI_Irecv(text[slot], 3, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[slot]);
    else
      requests[slot] = MPI_REQUEST_NULL;
  }
  free(next);
}

/* By source with any tag, then by tag from any source: within what a receive asks for, the order holds. */
static void takeBySourceAndTag(int ranks) {
  int* next = makeRoom((size_t)ranks * tags, sizeof *next);
  for (int tag = tags - 1; tag >= 1; --tag)
    for (int i = 0; i < perRank / tags * (ranks - 1); ++i) {
      int text[3];
      MPI_Status status;
      MPI_Recv(text, 3, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
      int* expected = &next[status.MPI_SOURCE * tags + tag];
      CHECK(status.MPI_TAG == tag && text[0] == status.MPI_SOURCE && text[1] == *expected * tags + tag);
      ++*expected;
    }
  for (int source = ranks - 1; source >= 1; --source)
    for (int i = 0; i < perRank / tags; ++i) {
      int text[3];
      MPI_Status status;
      MPI_Recv(text, 3, MPI_INT, source, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      CHECK(status.MPI_TAG == 0 && status.MPI_SOURCE == source && text[0] == source && text[1] == i * tags);
    }
  free(next);
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int way = 0; way < 3; ++way) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank > 0)
      sendAll(rank, 0);
    else if (way == 0)
      takeAnything(ranks);
    else if (way == 1)
      takePosted(ranks);
    else
      takeBySourceAndTag(ranks);
  }

  /* To oneself, with both wildcards. */
  int text = rank, got = -1;
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &request);
  MPI_Send(&text, 1, MPI_INT, 0, 77, MPI_COMM_SELF);
  MPI_Wait(&request, &status);
  CHECK(got == rank && status.MPI_SOURCE == 0 && status.MPI_TAG == 77);
  return verdict("wildcards");
}
