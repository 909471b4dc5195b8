/* What the idioms share: counted checks, and one line at the end that says for all ranks how they went. */
#pragma once

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static long checksMade = 0;
static long checksFailed = 0;

#define CHECK(condition) noteCheck((condition) != 0, #condition, __FILE__, __LINE__)

static void noteCheck(int good, const char* text, const char* file, int line) {
  ++checksMade;
  if (good)
    return;
  if (++checksFailed <= 10) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fprintf(stderr, "%s:%d: rank %d: not true: %s\n", file, line, rank, text);
  }
}

/* Memory, or the end of the job. */
static void* makeRoom(size_t count, size_t each) {
  void* room = calloc(count ? count : 1, each);
  if (room == NULL) {
    fprintf(stderr, "no memory for %zu times %zu bytes\n", count, each);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return room;
}

/* Where part number `part` of `whole` things begins when they are dealt to `parts` evenly. */
static inline long partStart(long whole, int parts, int part) {
  return whole * part / parts;
}

/* The same numbers on every rank, machine and library: element `index` of series `series`. */
static inline unsigned scramble(unsigned series, unsigned index) {
  unsigned x = series * 2654435761u + index * 2246822519u + 12345u;
  x ^= x >> 15;
  x *= 2246822519u;
  x ^= x >> 13;
  x *= 3266489917u;
  return x ^ (x >> 16);
}

/* Adds up the checks of all ranks, ends MPI, prints the line on rank 0. Gives the exit status of the process.
 */
static int verdict(const char* name) {
  long mine[2], all[2] = {0, 0};
  int rank, ranks;
  mine[0] = checksMade;
  mine[1] = checksFailed;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  if (rank == 0)
    printf("%s %s: %ld checks, %ld failed, %d ranks\n", all[1] == 0 && all[0] > 0 ? "ok    " : "NOT OK", name,
           all[0], all[1], ranks);
  return all[1] == 0 && all[0] > 0 ? 0 : 1;
}
