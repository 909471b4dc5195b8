#include "collective.h"

#include <string.h>

/* How many different blocks a rank sends. */
static int outBlocks(const Call* call) {
  switch (call->which) {
  case alltoall:
  case alltoallv:
  case alltoallw:
    return call->peers;
  case neighborAlltoall:
  case neighborAlltoallv:
  case neighborAlltoallw:
    return call->neighbours.destinations;
  case scatter:
  case scatterv:
    return call->rank == call->root ? call->peers : 0;
  default:
    return 1;
  }
}

/* Elements of `out` that a call reads, or spans where there are gaps. */
static size_t outElements(const Call* call) {
  const int last = call->peers - 1;
  if (call->which == reduceScatter || call->which == reduceScatterBlock)
    return (size_t)call->places[last] + (size_t)call->counts[last];
  return (size_t)outBlocks(call) * call->layout.elements;
}

/* The buffer of data that are to come where MPI_IN_PLACE is used: they lie where the result goes. */
static void fillInPlace(const Call* call) {
  const size_t span = call->layout.span;
  const unsigned rank = (unsigned)call->rank;
  switch (call->which) {
  case allgather:
  case allgatherv:
  case gather:
  case gatherv:
    elementsFill(call->options, call->in + rank * span, call->layout.elements, rank);
    layoutClearGaps(&call->layout, call->in + rank * span);
    break;
  default:
    elementsFill(call->options, call->in, outElements(call), rank);
    for (int block = 0; block < outBlocks(call); ++block)
      layoutClearGaps(&call->layout, call->in + (size_t)block * span);
  }
}

void callFill(const Call* call) {
  const size_t all = call->layout.span * (size_t)(call->peers > call->ranks ? call->peers : call->ranks);
  memset(call->in, untouched, all);
  memset(call->out, untouched, all);
  if (call->send == MPI_IN_PLACE) {
    fillInPlace(call);
  } else if (call->which != bcast || call->rank == call->root) {
    elementsFill(call->options, call->out, outElements(call), (unsigned)call->rank);
    layoutClearGaps(&call->layout, call->out); /* the root of a bcast has it checked as well */
  }
}

/* Block number `block` of a buffer, from rank `from` who has it as block number `theirs` of all that it sent.
 */
static size_t blockWrong(const Call* call, const char* buffer, int block, int from, int theirs) {
  const Layout* layout = &call->layout;
  const char* data = buffer + (size_t)block * layout->span;
  const size_t begin = (size_t)theirs * layout->elements;
  size_t wrong = layoutGapsTouched(layout, data), first, length;
  for (size_t i = 0; layoutBlock(layout, i, &first, &length); ++i)
    wrong += elementsDiffer(call->options, data + first * layout->element, begin + first, length,
                            (unsigned)from, 1);
  return wrong;
}

static size_t gathered(const Call* call, int isMine) {
  size_t wrong = 0;
  for (int peer = 0; isMine && peer < call->peers; ++peer)
    wrong += blockWrong(call, call->in, peer, peer, 0);
  return wrong;
}

static size_t reduced(const Call* call, size_t first, int count, int ranks, int isMine) {
  return isMine ? elementsDiffer(call->options, call->in, first, (size_t)count, 0, ranks) : 0;
}

static size_t aroundWrong(const Call* call, int different) {
  const Neighbours* neighbours = &call->neighbours;
  size_t wrong = 0;
  for (int i = 0; i < neighbours->sources; ++i)
    wrong += blockWrong(call, call->in, i, neighbours->from[i], different ? neighbours->slot[i] : 0);
  return wrong;
}

size_t callWrong(const Call* call) {
  const int isRoot = call->rank == call->root;
  size_t wrong = 0;
  switch (call->which) {
  case barrier:
    return 0;
  case bcast:
    return blockWrong(call, call->out, 0, call->root, 0);
  case allgather:
  case allgatherv:
    return gathered(call, 1);
  case gather:
  case gatherv:
    return gathered(call, isRoot);
  case alltoall:
  case alltoallv:
  case alltoallw:
    for (int peer = 0; peer < call->peers; ++peer)
      wrong += blockWrong(call, call->in, peer, peer, call->rank);
    return wrong;
  case scatter:
  case scatterv:
    return call->receive == MPI_IN_PLACE ? 0 : blockWrong(call, call->in, 0, call->root, call->rank);
  case allreduce:
    return reduced(call, 0, call->count, call->ranks, 1);
  case reduce:
    return reduced(call, 0, call->count, call->ranks, isRoot);
  case scan:
    return reduced(call, 0, call->count, call->rank + 1, 1);
  case exscan:
    return reduced(call, 0, call->count, call->rank, call->rank > 0);
  case reduceScatter:
  case reduceScatterBlock:
    return reduced(call, (size_t)call->places[call->rank], call->counts[call->rank], call->ranks, 1);
  case neighborAllgather:
  case neighborAllgatherv:
    return aroundWrong(call, 0);
  default:
    return aroundWrong(call, 1);
  }
}
