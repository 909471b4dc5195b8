#include "neighbours.h"
#include "pair.h"

#include <string.h>

enum { mostDimensions = 8 };

/* Whether no coordinate of two ranks is farther away than the radius, around the grid. */
static int isNear(const BenchOptions* options, const int* sizes, int one, int other) {
  for (int d = options->dimensions - 1; d >= 0; --d) {
    const int a = one % sizes[d], b = other % sizes[d];
    const int apart = a > b ? a - b : b - a;
    if (apart > options->radius && sizes[d] - apart > options->radius)
      return 0;
    one /= sizes[d];
    other /= sizes[d];
  }
  return 1;
}

/* Ranks to which `rank` sends, or from which it receives; gives how many. `list` has room for all. */
static int listOf(const BenchOptions* options, int ranks, int rank, int sends, int* list) {
  int sizes[mostDimensions] = {0}, count = 0;
  switch (options->neighbours) {
  case benchRing:
    list[0] = (rank + ranks - 1) % ranks;
    list[1] = (rank + 1) % ranks;
    return 2;
  case benchGrid:
    MPI_Dims_create(ranks, options->dimensions, sizes);
    for (int other = 0; other < ranks; ++other)
      if (other != rank && isNear(options, sizes, rank, other))
        list[count++] = other;
    return count;
  default:
    for (long i = 0; i < options->edgeCount; ++i) {
      const BenchPair edge = options->edges[i];
      if ((sends ? edge.first : edge.second) == rank)
        list[count++] = (int)(sends ? edge.second : edge.first);
    }
    return count;
  }
}

Neighbours neighboursOf(const BenchOptions* options, int ranks, int rank) {
  const size_t room = (size_t)(options->edgeCount > ranks ? options->edgeCount : ranks) + 2;
  Neighbours result;
  int* list = mpiAllocate(room * sizeof(int));
  result.from = mpiAllocate(room * sizeof(int));
  result.slot = mpiAllocate(room * sizeof(int));
  result.to = mpiAllocate(room * sizeof(int));
  result.sources = listOf(options, ranks, rank, 0, result.from);
  result.destinations = listOf(options, ranks, rank, 1, result.to);
  for (int i = 0; i < result.sources; ++i) {
    /* Of several edges between the same two the first belongs to the first; but around a ring of two what
     * comes from the left is what was sent to the right. */
    const int theirs = listOf(options, ranks, result.from[i], 1, list);
    int before = 0;
    for (int earlier = 0; earlier < i; ++earlier)
      before += result.from[earlier] == result.from[i];
    for (result.slot[i] = 0; result.slot[i] < theirs; ++result.slot[i])
      if (list[result.slot[i]] == rank && before-- == 0)
        break;
    if (options->neighbours == benchRing)
      result.slot[i] = 1 - i;
  }
  free(list);
  return result;
}

void neighboursFree(Neighbours* neighbours) {
  free(neighbours->from);
  free(neighbours->slot);
  free(neighbours->to);
}

MPI_Comm neighboursComm(const BenchOptions* options, const Neighbours* neighbours) {
  MPI_Comm comm;
  if (options->neighbours == benchRing) {
    const int periodic = 1;
    int ranks;
    MPI_Comm_size(world, &ranks);
    MPI_Cart_create(world, 1, &ranks, &periodic, 0, &comm);
  } else {
    MPI_Dist_graph_create_adjacent(world, neighbours->sources, neighbours->from, MPI_UNWEIGHTED,
                                   neighbours->destinations, neighbours->to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &comm);
  }
  return comm;
}

long neighboursGreatest(const BenchOptions* options) {
  long greatest = 0;
  for (long i = 0; i < options->edgeCount; ++i) {
    greatest = options->edges[i].first > greatest ? options->edges[i].first : greatest;
    greatest = options->edges[i].second > greatest ? options->edges[i].second : greatest;
  }
  return greatest;
}
