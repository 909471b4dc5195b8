/* Master and workers: tasks and answers of unknown size, found with MPI_Probe on any source and any tag. A
 * worker answers without waiting (Isend, completed before the next answer). Alone, the master is its own
 * worker. */
#include "verdict.h"

enum { tasks = 200, hungry = 1, answer = 2, task = 3, enough = 4 };

static int taskSize(int number) {
  return (int)(scramble(7, (unsigned)number) % 6000);
}

/* The answer to a task is every third of its numbers, doubled. */
static int solve(const int* given, int size, int* out) {
  int count = 0;
  for (int i = 0; i < size; i += 3)
    out[count++] = 2 * given[i];
  return count;
}

static int answerSize(int number) {
  return 1 + (taskSize(number) + 2) / 3;
}

static void makeTask(int number, int* out) {
  for (int i = 0; i < taskSize(number); ++i)
    out[i] = (int)(scramble((unsigned)number, (unsigned)i) & 0xffff);
}

/* An answer is the number of its task, then the numbers. */
static void checkAnswer(const int* got, int count, int* seen) {
  CHECK(count >= 1);
  const int number = got[0];
  CHECK(number >= 0 && number < tasks);
  CHECK(count == answerSize(number));
  ++seen[number];
  for (int i = 1; i < count; ++i)
    CHECK(got[i] == 2 * (int)(scramble((unsigned)number, (unsigned)(3 * (i - 1))) & 0xffff));
}

static void work(void) {
  int* sent = NULL;
  MPI_Request sending = MPI_REQUEST_NULL;
  for (;;) {
    MPI_Status status;
    int size;
    MPI_Send(NULL, 0, MPI_INT, 0, hungry, MPI_COMM_WORLD);
    MPI_Probe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &size);
    int* given = makeRoom((size_t)size, sizeof *given);
    MPI_Recv(given, size, MPI_INT, 0, status.MPI_TAG, MPI_COMM_WORLD, &status);
    MPI_Wait(&sending, MPI_STATUS_IGNORE);
    free(sent);
    sent = NULL;
    if (status.MPI_TAG == enough) {
      free(given);
      return;
    }
    sent = makeRoom((size_t)size + 1, sizeof *sent);
    sent[0] = given[0];
    const int count = 1 + solve(given + 1, size - 1, sent + 1);
    free(given);
    MPI_Isend(sent, count, MPI_INT, 0, answer, MPI_COMM_WORLD, &sending);
  }
}

static void lead(int ranks) {
  int next = 0, workers = ranks - 1;
  int* seen = makeRoom(tasks, sizeof *seen);
  int* room = makeRoom(6001, sizeof *room);
  while (workers > 0) {
    MPI_Status found, status;
    int size, again;
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found);
    MPI_Get_count(&found, MPI_INT, &size);
    int* got = makeRoom((size_t)size, sizeof *got);
    MPI_Recv(got, size, MPI_INT, found.MPI_SOURCE, found.MPI_TAG, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &again);
    CHECK(again == size && status.MPI_SOURCE == found.MPI_SOURCE && status.MPI_TAG == found.MPI_TAG);
    if (status.MPI_TAG == answer) {
      checkAnswer(got, size, seen);
    } else if (next < tasks) {
      room[0] = next;
      makeTask(next, room + 1);
      MPI_Ssend(room, taskSize(next) + 1, MPI_INT, status.MPI_SOURCE, task, MPI_COMM_WORLD);
      ++next;
    } else {
      MPI_Send(NULL, 0, MPI_INT, status.MPI_SOURCE, enough, MPI_COMM_WORLD);
      --workers;
    }
    free(got);
  }
  for (; next < tasks; ++next) { /* nobody else there */
    int* out = makeRoom((size_t)answerSize(next), sizeof *out);
    makeTask(next, room);
    out[0] = next;
    checkAnswer(out, 1 + solve(room, taskSize(next), out + 1), seen);
    free(out);
  }
  /* The last answers may still be on their way: a hungry message does not overtake the answer before it. */
  for (int i = 0; i < tasks; ++i)
    CHECK(seen[i] == 1);
  free(room);
  free(seen);
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank == 0)
    lead(ranks);
  else
    work();
  return verdict("master_worker");
}
