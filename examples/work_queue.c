/* A work queue: rank 0 hands out ranges of numbers, and whoever is free looks for the primes in one. Nobody
 * knows how many primes a range holds, so nobody knows how long an answer will be: the master finds a message
 * from anyone with MPI_Improbe, asks for its size, makes room, and receives exactly this message with
 * MPI_Mrecv. The matched message is taken out of the queue when it is found, so several threads could do the
 * same without taking each other's messages.
 *
 * mpicc -O2 -o work_queue work_queue.c && mpiexec -n 2 ./work_queue
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { readyTag = 1, primesTag, workTag, endTag };
enum { numbers = 200000, primesBelow = 17984, tasks = 50 };

/* Writes the primes from first up to, not including, end; gives their number. */
static int findPrimes(int first, int end, int* primes) {
  int count = 0;
  for (int candidate = first < 2 ? 2 : first; candidate < end; ++candidate) {
    int divisor = 2;
    while (divisor * divisor <= candidate && candidate % divisor != 0)
      ++divisor;
    if (divisor * divisor > candidate)
      primes[count++] = candidate;
  }
  return count;
}

/* Where a task begins. The ranges grow, so that the answers differ in size. */
static int taskStart(int task) {
  return (int)((long long)numbers * task * task / ((long long)tasks * tasks));
}

static void work(void) {
  int range[2];
  MPI_Status status;
  int* primes = malloc(numbers * sizeof *primes);
  if (primes == NULL)
    MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Send(NULL, 0, MPI_INT, 0, readyTag, MPI_COMM_WORLD);
  for (;;) {
    MPI_Recv(range, 2, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (status.MPI_TAG == endTag)
      break;
    MPI_Send(primes, findPrimes(range[0], range[1], primes), MPI_INT, 0, primesTag, MPI_COMM_WORLD);
  }
  free(primes);
}

/* Gives the number of wrong answers. */
static int master(int ranks) {
  int nextTask = 0, atWork = ranks - 1, found = 0, wrong = 0, largest = 0, smallest = numbers;
  long idle = 0;
  int* answers = calloc((size_t)ranks, sizeof *answers);
  if (answers == NULL)
    MPI_Abort(MPI_COMM_WORLD, 1);
  while (atWork > 0) {
    int flag, count;
    MPI_Message message;
    MPI_Status status;
    MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status);
    if (!flag) {
      ++idle; /* nothing there: time for work of one's own */
      continue;
    }
    MPI_Get_count(&status, MPI_INT, &count);
    int* primes = malloc(((size_t)count + 1) * sizeof *primes);
    if (primes == NULL)
      MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Mrecv(primes, count, MPI_INT, &message, &status);
    if (status.MPI_TAG == primesTag) {
      for (int i = 1; i < count; ++i)
        wrong += primes[i] <= primes[i - 1];
      found += count;
      ++answers[status.MPI_SOURCE];
      largest = count > largest ? count : largest;
      smallest = count < smallest ? count : smallest;
    }
    free(primes);
    if (nextTask < tasks) {
      const int range[2] = {taskStart(nextTask), taskStart(nextTask + 1)};
      MPI_Send(range, 2, MPI_INT, status.MPI_SOURCE, workTag, MPI_COMM_WORLD);
      ++nextTask;
    } else {
      MPI_Send(NULL, 0, MPI_INT, status.MPI_SOURCE, endTag, MPI_COMM_WORLD);
      --atWork;
    }
  }
  printf("%d primes below %d in %d answers of %d to %d numbers\n", found, numbers, tasks, smallest, largest);
  for (int rank = 1; rank < ranks; ++rank)
    printf("  rank %d gave %d answers\n", rank, answers[rank]);
  printf("  the master looked in vain %ld times\n", idle);
  if (found != primesBelow) {
    printf("WRONG: there are %d\n", primesBelow);
    ++wrong;
  }
  free(answers);
  return wrong;
}

int main(int argc, char** argv) {
  int rank, ranks, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks < 2) {
    fprintf(stderr, "A master alone has nobody to work for it: mpiexec -n 2 %s\n", argv[0]);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (rank == 0)
    wrong = master(ranks);
  else
    work();
  MPI_Finalize();
  return wrong ? 1 : 0;
}
