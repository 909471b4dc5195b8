#include "collective.h"

#include <string.h>

/* Whether a rank has something different for each peer. */
static int sendsBlocks(const Call* call) {
  switch (call->which) {
  case alltoall:
  case alltoallv:
  case alltoallw:
  case neighborAlltoall:
  case neighborAlltoallv:
  case neighborAlltoallw:
    return 1;
  case scatter:
  case scatterv:
    return call->rank == call->root;
  default:
    return 0;
  }
}

/* Elements of `out` that a call reads. */
static size_t outCount(const Call* call) {
  if (call->which == reduceScatter || call->which == reduceScatterBlock || sendsBlocks(call)) {
    const int last = call->peers - 1;
    return (size_t)call->places[last] + (size_t)call->counts[last];
  }
  return (size_t)call->count;
}

void callFill(const Call* call) {
  const size_t all = (size_t)call->count * (size_t)(call->peers > call->ranks ? call->peers : call->ranks);
  memset(call->in, 0xee, all * elementSize(call->options));
  memset(call->out, 0xee, all * elementSize(call->options));
  if (call->which != bcast || call->rank == call->root)
    elementsFill(call->options, call->out, outCount(call), (unsigned)call->rank);
}

/* Blocks side by side in `in`, block i from rank `from[i]`, who has it at element `first` of all that it
 * sent. */
static size_t blockWrong(const Call* call, int block, int from, size_t first) {
  return elementsDiffer(call->options, call->in + call->bytePlaces[block], first, (size_t)call->counts[block],
                        (unsigned)from, 1);
}

static size_t gathered(const Call* call, int isMine) {
  size_t wrong = 0;
  for (int peer = 0; isMine && peer < call->peers; ++peer)
    wrong += blockWrong(call, peer, peer, 0);
  return wrong;
}

static size_t reduced(const Call* call, size_t first, int count, int ranks, int isMine) {
  return isMine ? elementsDiffer(call->options, call->in, first, (size_t)count, 0, ranks) : 0;
}

/* The ring: block 0 comes from the left, who sends it as his block 1, and the other way round. */
static size_t aroundWrong(const Call* call, int different) {
  const int left = (call->rank + call->ranks - 1) % call->ranks, right = (call->rank + 1) % call->ranks;
  return blockWrong(call, 0, left, different ? (size_t)call->places[1] : 0) + blockWrong(call, 1, right, 0);
}

size_t callWrong(const Call* call) {
  const int isRoot = call->rank == call->root;
  size_t wrong = 0;
  switch (call->which) {
  case barrier:
    return 0;
  case bcast:
    return elementsDiffer(call->options, call->out, 0, (size_t)call->count, (unsigned)call->root, 1);
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
      wrong += blockWrong(call, peer, peer, (size_t)call->places[call->rank]);
    return wrong;
  case scatter:
  case scatterv:
    return elementsDiffer(call->options, call->in, (size_t)call->places[call->rank], (size_t)call->count,
                          (unsigned)call->root, 1);
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
