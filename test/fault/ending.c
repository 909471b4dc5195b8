/* Ways in which a job ends that are not a death. The first argument names the way. */
#include <mpi.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int rank, size;

static void waitFor(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    printf("NOT OK: the child ended with status %d\n", status);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static void exchange(int bytes) {
  char* out = malloc((size_t)bytes + 1);
  char* in = malloc((size_t)bytes + 1);
  memset(out, rank + 1, (size_t)bytes);
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  MPI_Sendrecv(out, bytes, MPI_BYTE, next, 5, in, bytes, MPI_BYTE, previous, 5, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 0; i < bytes; i++)
    if (in[i] != (char)(previous + 1)) {
      printf("NOT OK: byte %d of %d is %d\n", i, bytes, in[i]);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  free(out);
  free(in);
}

static void exchangeAll(void) {
  for (int round = 0; round < 3; round++)
    for (int bytes = 0; bytes <= 4 << 20; bytes = bytes == 0 ? 1 : bytes * 4)
      exchange(bytes);
}

/* Makes the memory of this process unreadable for other processes of the same user. */
static void closeMemory(void) {
  prctl(PR_SET_DUMPABLE, 0);
}

/* A long message of a session that is under way while the World Model ends. */
static void outliveTheWorld(MPI_Session session, MPI_Comm comm) {
  enum { bytes = 50000 };
  static char data[bytes];
  MPI_Request request = MPI_REQUEST_NULL;
  const int sends = rank == 0;
  if (sends) {
    memset(data, 7, bytes);
    MPI_Isend(data, bytes, MPI_BYTE, 1, 3, comm, &request);
  }
  MPI_Finalize();
  if (rank == 1) {
    MPI_Recv(data, bytes, MPI_BYTE, 0, 3, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < bytes; i++)
      if (data[i] != 7) {
        printf("NOT OK: byte %d is %d\n", i, data[i]);
        exit(1);
      }
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
}

/* Children that end in every way that would run clean-up code of the library. */
static void forks(void) {
  exchange(100000);
  for (int way = 0; way < 3; way++) {
    const pid_t child = fork();
    if (child == 0) {
      if (way == 0)
        exit(0);
      if (way == 1)
        _exit(0);
      execlp("true", "true", (char*)NULL);
      _exit(1);
    }
    waitFor(child);
    exchange(100000);
  }
}

static void* abortInThread(void* code) {
  MPI_Abort(MPI_COMM_WORLD, *(int*)code);
  return NULL;
}

int main(int count, char** arguments) {
  const char* way = count > 1 ? arguments[1] : "";
  int code = count > 2 ? atoi(arguments[2]) : 0;
  int provided;
  if (strcmp(way, "before-init") == 0) {
    printf("here\n");
    MPI_Send(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    printf("NOT OK: a send before MPI_Init returned success\n");
    return 0;
  }
  if (strcmp(way, "closed-before") == 0)
    closeMemory();
  MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(way, "abort") == 0) {
    if (rank == size - 1) {
      printf("said before the abort"); /* without an end of line: must not be lost */
      MPI_Abort(MPI_COMM_WORLD, code);
    }
    MPI_Recv(NULL, 0, MPI_BYTE, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (strcmp(way, "abort-all") == 0) {
    MPI_Abort(MPI_COMM_WORLD, code);
  } else if (strcmp(way, "abort-threads") == 0) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
      pthread_create(&threads[i], NULL, abortInThread, &code);
    for (int i = 0; i < 4; i++)
      pthread_join(threads[i], NULL);
  } else if (strcmp(way, "fatal") == 0) {
    if (rank == 0)
      MPI_Send(NULL, 0, MPI_BYTE, size + 7, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (strcmp(way, "exit") == 0) {
    exit(code);
  } else if (strcmp(way, "forks") == 0) {
    forks();
  } else if (strcmp(way, "exchange") == 0 || strcmp(way, "closed-before") == 0) {
    exchangeAll();
  } else if (strcmp(way, "closed-later") == 0) {
    exchange(1);
    if (rank == 0)
      closeMemory();
    exchangeAll();
  } else if (strcmp(way, "session") == 0) {
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "ending", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    outliveTheWorld(session, comm);
    printf("ok: %s\n", way);
    return 0;
  } else if (strcmp(way, "fork-and-leave") == 0) {
    exchange(100000);
    MPI_Finalize();
    const pid_t child = fork();
    if (child == 0)
      exit(0);
    int status;
    waitpid(child, &status, 0);
    printf("ok: %s\n", way);
    return 0;
  } else {
    printf("NOT OK: there is no way '%s'\n", way);
    return 2;
  }
  MPI_Finalize();
  printf("ok: %s\n", way);
  return 0;
}
