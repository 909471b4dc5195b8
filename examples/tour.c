/* A tour in three stops: where each rank sits, how the ranks talk to each other, how fast ranks 0 and 1 do
 * it.
 *
 * mpicc -O2 -o tour tour.c && mpiexec -n 2 ./tour
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { textBytes = 2048, largest = 4 << 20, window = 16 };

/* The cores that this process may run on, as "0-3,8". */
static void describeCores(char* text, size_t size) {
  cpu_set_t allowed;
  size_t used = 0;
  text[0] = '\0';
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
    snprintf(text, size, "unknown");
    return;
  }
  for (int first = 0; first < CPU_SETSIZE && used + 16 < size; ++first) {
    if (!CPU_ISSET(first, &allowed))
      continue;
    int last = first;
    while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, &allowed))
      ++last;
    const char* comma = used ? "," : "";
    used += (size_t)(last == first ? snprintf(text + used, size - used, "%s%d", comma, first)
                                   : snprintf(text + used, size - used, "%s%d-%d", comma, first, last));
    first = last;
  }
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  const int bound = CPU_COUNT(&allowed) < online;
  snprintf(text + used, size - used, " of %ld, %s", online, bound ? "bound" : "not bound");
}

/* What the library says about the transport from this rank to the others: the info key mpl_transport. An MPI
 * library that does not know the key says nothing. */
static void describeTransports(char* text, size_t size) {
  MPI_Info info;
  int found = 0;
  char value[textBytes / 2];
  MPI_Comm_get_info(MPI_COMM_WORLD, &info);
#if MPI_VERSION >= 4
  int length = (int)sizeof value;
  MPI_Info_get_string(info, "mpl_transport", &length, value, &found);
#else
  MPI_Info_get(info, "mpl_transport", (int)sizeof value - 1, value, &found);
#endif
  MPI_Info_free(&info);
  snprintf(text, size, "%s", found ? value : "this MPI library does not tell");
}

/* Rank 0 prints a line of every rank, in order. */
static void printInOrder(int rank, int ranks, const char* mine) {
  char text[textBytes];
  if (rank != 0) {
    MPI_Send(mine, (int)strlen(mine) + 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    return;
  }
  printf("  rank 0: %s\n", mine);
  for (int from = 1; from < ranks; ++from) {
    MPI_Recv(text, textBytes, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("  rank %d: %s\n", from, text);
  }
  fflush(stdout);
}

static int byValue(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* Seconds that a message takes one way: half a round trip, the median of several rounds. */
static double latency(int rank, char* buffer, int bytes) {
  enum { rounds = 11 };
  const int trips = bytes > 65536 ? 10 : bytes > 4096 ? 100 : 1000;
  double seconds[rounds];
  for (int round = -1; round < rounds; ++round) { /* round -1 warms up */
    const double start = MPI_Wtime();
    for (int trip = 0; trip < trips; ++trip) {
      if (rank == 0) {
        MPI_Send(buffer, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        MPI_Recv(buffer, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else {
        MPI_Recv(buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
      }
    }
    if (round >= 0)
      seconds[round] = (MPI_Wtime() - start) / (2.0 * trips);
  }
  qsort(seconds, rounds, sizeof seconds[0], byValue);
  return seconds[rounds / 2];
}

/* Bytes per second with several messages on their way at a time. */
static double bandwidth(int rank, char* buffer, int bytes) {
  enum { rounds = 11 };
  const int windows = bytes > 65536 ? 2 : 20;
  double rate[rounds];
  MPI_Request requests[window];
  for (int round = -1; round < rounds; ++round) {
    const double start = MPI_Wtime();
    for (int w = 0; w < windows; ++w) {
      for (int i = 0; i < window; ++i) {
        if (rank == 0)
          MPI_Isend(buffer, bytes, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &requests[i]);
        else
          MPI_Irecv(buffer + (size_t)i * (size_t)bytes, bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &requests[i]);
      }
      MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
      if (rank == 0)
        MPI_Recv(NULL, 0, MPI_BYTE, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      else
        MPI_Send(NULL, 0, MPI_BYTE, 0, 3, MPI_COMM_WORLD);
    }
    if (round >= 0)
      rate[round] = (double)bytes * window * windows / (MPI_Wtime() - start);
  }
  qsort(rate, rounds, sizeof rate[0], byValue);
  return rate[rounds / 2];
}

int main(int argc, char** argv) {
  int rank, ranks, length;
  char host[MPI_MAX_PROCESSOR_NAME], cores[256], text[textBytes], version[MPI_MAX_LIBRARY_VERSION_STRING];

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  MPI_Get_processor_name(host, &length);
  describeCores(cores, sizeof cores);
  snprintf(text, sizeof text, "host %s, process %ld, cores %s", host, (long)getpid(), cores);
  if (rank == 0) {
    MPI_Get_library_version(version, &length);
    version[strcspn(version, "\n")] = '\0';
    printf("%s\n\nWhere the ranks sit\n", version);
  }
  printInOrder(rank, ranks, text);

  /* The first message makes the connection, so that there is a transport to name. */
  char* buffer = calloc(window, largest);
  if (buffer == NULL)
    MPI_Abort(MPI_COMM_WORLD, 1);
  for (int other = 0; other < ranks; ++other)
    MPI_Sendrecv(buffer, 1, MPI_BYTE, other, 4, buffer + 1, 1, MPI_BYTE, other, 4, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  describeTransports(text, sizeof text);
  if (rank == 0)
    printf("\nHow each rank talks to the others\n");
  printInOrder(rank, ranks, text);

  if (ranks < 2) {
    printf("\nStart two ranks to see how fast they talk: mpiexec -n 2 %s\n", argv[0]);
  } else {
    if (rank == 0)
      printf("\nHow fast ranks 0 and 1 talk (medians)\n%12s %14s %16s\n", "bytes", "one way, us",
             "bandwidth, MB/s");
    for (int bytes = 1; bytes <= largest && rank < 2; bytes *= bytes < 4096 ? 8 : 4) {
      const double seconds = latency(rank, buffer, bytes);
      const double rate = bandwidth(rank, buffer, bytes);
      if (rank == 0) {
        printf("%12d %14.2f %16.1f\n", bytes, seconds * 1e6, rate / 1e6);
        fflush(stdout);
      }
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  free(buffer);
  MPI_Finalize();
  return 0;
}
