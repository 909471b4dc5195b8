/* A job in which the last rank dies while the others do what the first argument says. The second argument
   says how it dies: kill (default), segv, exit0, exit3, _exit0. A survivor that gets through prints "survivor
   R: through". */
#include <mpi.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int rank, size, victim;
static char* big;
enum { bigSize = 8 << 20 };

static void pauseFor(double seconds) {
  struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&time, NULL);
}

static void die(const char* how) {
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  fflush(stdout);
  if (strcmp(how, "segv") == 0) {
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
  } else if (strcmp(how, "exit0") == 0) {
    exit(0);
  } else if (strcmp(how, "exit3") == 0) {
    exit(3);
  } else if (strcmp(how, "_exit0") == 0) {
    _exit(0);
  }
  raise(SIGKILL);
}

/* What a survivor does; the death comes a moment later, or while it waits. */
static void survive(const char* what) {
  int value = 0, flag = 0;
  MPI_Status status;
  MPI_Message message;
  MPI_Request request;
  if (strcmp(what, "recv") == 0) {
    MPI_Recv(&value, 1, MPI_INT, victim, 1, MPI_COMM_WORLD, &status);
  } else if (strcmp(what, "any-source") == 0) {
    if (rank == 0)
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
  } else if (strcmp(what, "barrier") == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (strcmp(what, "allreduce") == 0) {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  } else if (strcmp(what, "send-big") == 0) {
    MPI_Send(big, bigSize, MPI_BYTE, victim, 1, MPI_COMM_WORLD);
  } else if (strcmp(what, "ssend") == 0) {
    MPI_Ssend(&value, 1, MPI_INT, victim, 1, MPI_COMM_WORLD);
  } else if (strcmp(what, "wait") == 0) {
    MPI_Isend(big, bigSize, MPI_BYTE, victim, 1, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
  } else if (strcmp(what, "test") == 0) {
    MPI_Irecv(&value, 1, MPI_INT, victim, 1, MPI_COMM_WORLD, &request);
    while (!flag)
      MPI_Test(&request, &flag, &status);
  } else if (strcmp(what, "probe") == 0) {
    MPI_Probe(victim, 1, MPI_COMM_WORLD, &status);
  } else if (strcmp(what, "mprobe") == 0) {
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
  } else if (strcmp(what, "improbe") == 0) {
    while (!flag)
      MPI_Improbe(victim, 1, MPI_COMM_WORLD, &flag, &message, &status);
  } else if (strcmp(what, "flood") == 0) {
    for (;;)
      MPI_Send(big, 2000, MPI_BYTE, victim, 1, MPI_COMM_WORLD);
  } else if (strncmp(what, "late-", 5) == 0) {
    /* Nobody here can have noticed the death so far. */
    pauseFor(1);
    if (strcmp(what, "late-send") == 0)
      MPI_Send(&value, 1, MPI_INT, victim, 1, MPI_COMM_WORLD);
    else if (strcmp(what, "late-ssend") == 0)
      MPI_Ssend(&value, 1, MPI_INT, victim, 1, MPI_COMM_WORLD);
    else
      MPI_Send(big, bigSize, MPI_BYTE, victim, 1, MPI_COMM_WORLD);
  } else if (strcmp(what, "idle") == 0) {
    pauseFor(3);
  } else if (strcmp(what, "finalize") != 0) {
    fprintf(stderr, "victim: there is no case '%s'\n", what);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
}

/* The victim dies while rank 0 copies a large message out of its memory: it does nothing else all the time.
 */
static void dieInTheMiddle(void) {
  const struct itimerval soon = {{0, 0}, {0, 50000}};
  enum { hugeSize = 40 << 20 };
  char* huge = malloc(hugeSize);
  memset(huge, 1, hugeSize);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == victim) {
    signal(SIGALRM, SIG_DFL);
    setitimer(ITIMER_REAL, &soon, NULL);
  }
  for (;;) {
    if (rank == victim)
      MPI_Send(huge, hugeSize, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    else
      MPI_Recv(huge, rank == 0 ? hugeSize : 1, MPI_BYTE, rank == 0 ? victim : 0, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  }
}

int main(int count, char** arguments) {
  const char* what = count > 1 ? arguments[1] : "recv";
  const char* how = count > 2 ? arguments[2] : "kill";
  const int meet =
      !(count > 3 && strcmp(arguments[3], "unmet") == 0); /* unmet: nobody has talked to the victim */
  const char* name = getenv("PMIX_RANK");
  if (strcmp(what, "before-init") == 0) {
    const char* all = getenv("OMPI_COMM_WORLD_SIZE");
    if (name != NULL && all != NULL && atoi(name) == atoi(all) - 1)
      die(how);
    what = "recv";
  }
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  victim = size - 1;
  big = calloc(1, bigSize);
  if (meet)
    MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(what, "recv-big") == 0)
    dieInTheMiddle();
  if (rank == victim) {
    pauseFor(0.5);
    die(how);
  }
  survive(what);
  printf("survivor %d: through\n", rank);
  fflush(stdout);
  MPI_Finalize();
  printf("survivor %d: finalized\n", rank);
  free(big);
  return 0;
}
