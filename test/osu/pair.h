/* What the benchmarks that are MPI programs share: how they begin and end, checks, memory. */
#pragma once

#include "elements.h"
#include "layout.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* All ranks: MPI_COMM_WORLD, or with -I a communicator that a session has made. */
extern MPI_Comm world;
/* What MPI_Init or MPI_Session_init took. */
extern double initSeconds;

/* Reads the options and starts MPI, for `level` of threads; ends the job where there is nothing to measure.
 * Gives the rank. */
int mpiBegin(int argc, char** argv, BenchOptions* options, int level);
/* The same, and ends the job unless there are exactly two ranks. */
int pairBegin(int argc, char** argv, BenchOptions* options, int level);
/* How many ranks there are; ends the job when they are fewer than that. */
int mpiRanks(const BenchOptions* options, int least);
void mpiEnd(void);

/* Ends the job with a message and status 2; every rank calls it. */
void mpiRefuse(const BenchOptions* options, const char* why);

/* With -c: ends the job when data are wrong. */
void mpiCheck(const BenchOptions* options, size_t bytes, size_t wrong, size_t of);
void pairCheck(const BenchOptions* options, const void* buffer, size_t bytes, unsigned seed);

/* Takes sizes away for which `copies` times as many bytes are more than -M allows, or `usual` when that is
 * not given; 0 is no limit. Rank 0 says so. */
void mpiLimit(BenchOptions* options, size_t copies, size_t usual);

enum { dataTag = 100, answerTag = 101 };

/* What travels between two ranks. Rank 0 sends from `out`, and so does rank 1 where it sends; with -b
 * multiple each of several messages at once has memory of its own there. */
typedef struct Pair {
  int rank;
  int peer;
  int sends; /* whether this is the rank that sends first */
  Layout layout;
  int buffers;
  char* out;
  char* in;
} Pair;

/* Makes datatype and buffers for one size, in which `window` messages are under way at once. */
void pairResize(Pair* pair, const BenchOptions* options, size_t bytes, int window);
void pairFree(Pair* pair);
/* The buffer of message number w. */
static inline char* pairBuffer(const Pair* pair, char* first, int w) {
  return pair->buffers > 1 ? first + (size_t)w * pair->layout.span : first;
}
/* Fills what is sent and spoils what is received; then, after the messages, looks at what was received. */
void pairFill(const Pair* pair);
void pairVerify(const Pair* pair, const BenchOptions* options);

/* One side of round trips between two ranks. */
static inline void pairPingPong(const Pair* pair, long trips) {
  const int count = pair->layout.count, peer = pair->peer, sends = pair->sends;
  const MPI_Datatype type = pair->layout.type;
  for (long i = 0; i < trips; ++i) {
    if (sends)
      MPI_Send(pair->out, count, type, peer, dataTag, world);
    MPI_Recv(pair->in, count, type, peer, dataTag, world, MPI_STATUS_IGNORE);
    if (!sends)
      MPI_Send(pair->out, count, type, peer, dataTag, world);
  }
}

void* mpiAllocate(size_t bytes);
