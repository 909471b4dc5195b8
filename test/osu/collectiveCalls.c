#include "collective.h"

#include <stdio.h>
#include <stdlib.h>

void callResize(Call* call, size_t bytes) {
  const size_t element = elementSize(call->options);
  const int all = (int)(bytes / element), peers = call->peers;
  const int shared = call->which == reduceScatter || call->which == reduceScatterBlock;
  call->count = call->which == reduceScatterBlock ? all / peers : all;
  for (int peer = 0, place = 0; peer < peers; ++peer) {
    call->counts[peer] = call->which == reduceScatter ? all / peers + (peer < all % peers) : call->count;
    call->places[peer] = shared ? place : peer * call->count;
    call->bytePlaces[peer] = (int)((size_t)call->places[peer] * element);
    call->distances[peer] = call->bytePlaces[peer];
    place += call->counts[peer];
  }
}

void callBlocking(const Call* c) {
  switch (c->which) {
  case allgather:
    MPI_Allgather(c->out, c->count, c->type, c->in, c->count, c->type, c->comm);
    break;
  case allgatherv:
    MPI_Allgatherv(c->out, c->count, c->type, c->in, c->counts, c->places, c->type, c->comm);
    break;
  case allreduce:
    MPI_Allreduce(c->out, c->in, c->count, c->type, MPI_SUM, c->comm);
    break;
  case alltoall:
    MPI_Alltoall(c->out, c->count, c->type, c->in, c->count, c->type, c->comm);
    break;
  case alltoallv:
    MPI_Alltoallv(c->out, c->counts, c->places, c->type, c->in, c->counts, c->places, c->type, c->comm);
    break;
  case alltoallw:
    MPI_Alltoallw(c->out, c->counts, c->bytePlaces, c->types, c->in, c->counts, c->bytePlaces, c->types,
                  c->comm);
    break;
  case barrier:
    MPI_Barrier(c->comm);
    break;
  case bcast:
    MPI_Bcast(c->out, c->count, c->type, c->root, c->comm);
    break;
  case exscan:
    MPI_Exscan(c->out, c->in, c->count, c->type, MPI_SUM, c->comm);
    break;
  case gather:
    MPI_Gather(c->out, c->count, c->type, c->in, c->count, c->type, c->root, c->comm);
    break;
  case gatherv:
    MPI_Gatherv(c->out, c->count, c->type, c->in, c->counts, c->places, c->type, c->root, c->comm);
    break;
  case reduce:
    MPI_Reduce(c->out, c->in, c->count, c->type, MPI_SUM, c->root, c->comm);
    break;
  case reduceScatter:
    MPI_Reduce_scatter(c->out, c->in, c->counts, c->type, MPI_SUM, c->comm);
    break;
  case reduceScatterBlock:
    MPI_Reduce_scatter_block(c->out, c->in, c->count, c->type, MPI_SUM, c->comm);
    break;
  case scan:
    MPI_Scan(c->out, c->in, c->count, c->type, MPI_SUM, c->comm);
    break;
  case scatter:
    MPI_Scatter(c->out, c->count, c->type, c->in, c->count, c->type, c->root, c->comm);
    break;
  case scatterv:
    MPI_Scatterv(c->out, c->counts, c->places, c->type, c->in, c->count, c->type, c->root, c->comm);
    break;
  case neighborAllgather:
    MPI_Neighbor_allgather(c->out, c->count, c->type, c->in, c->count, c->type, c->comm);
    break;
  case neighborAllgatherv:
    MPI_Neighbor_allgatherv(c->out, c->count, c->type, c->in, c->counts, c->places, c->type, c->comm);
    break;
  case neighborAlltoall:
    MPI_Neighbor_alltoall(c->out, c->count, c->type, c->in, c->count, c->type, c->comm);
    break;
  case neighborAlltoallv:
    MPI_Neighbor_alltoallv(c->out, c->counts, c->places, c->type, c->in, c->counts, c->places, c->type,
                           c->comm);
    break;
  default:
    MPI_Neighbor_alltoallw(c->out, c->counts, c->distances, c->types, c->in, c->counts, c->distances,
                           c->types, c->comm);
  }
}

MPI_Request callStart(const Call* c) {
  MPI_Request request = MPI_REQUEST_NULL;
  switch (c->which) {
  case allgather:
    MPI_Iallgather(c->out, c->count, c->type, c->in, c->count, c->type, c->comm, &request);
    break;
  case allgatherv:
    MPI_Iallgatherv(c->out, c->count, c->type, c->in, c->counts, c->places, c->type, c->comm, &request);
    break;
  case allreduce:
    MPI_Iallreduce(c->out, c->in, c->count, c->type, MPI_SUM, c->comm, &request);
    break;
  case alltoall:
    MPI_Ialltoall(c->out, c->count, c->type, c->in, c->count, c->type, c->comm, &request);
    break;
  case alltoallv:
    MPI_Ialltoallv(c->out, c->counts, c->places, c->type, c->in, c->counts, c->places, c->type, c->comm,
                   &request);
    break;
  case alltoallw:
    MPI_Ialltoallw(c->out, c->counts, c->bytePlaces, c->types, c->in, c->counts, c->bytePlaces, c->types,
                   c->comm, &request);
    break;
  case barrier:
    MPI_Ibarrier(c->comm, &request);
    break;
  case bcast:
    MPI_Ibcast(c->out, c->count, c->type, c->root, c->comm, &request);
    break;
  case exscan:
    MPI_Iexscan(c->out, c->in, c->count, c->type, MPI_SUM, c->comm, &request);
    break;
  case gather:
    MPI_Igather(c->out, c->count, c->type, c->in, c->count, c->type, c->root, c->comm, &request);
    break;
  case gatherv:
    MPI_Igatherv(c->out, c->count, c->type, c->in, c->counts, c->places, c->type, c->root, c->comm, &request);
    break;
  case reduce:
    MPI_Ireduce(c->out, c->in, c->count, c->type, MPI_SUM, c->root, c->comm, &request);
    break;
  case reduceScatter:
    MPI_Ireduce_scatter(c->out, c->in, c->counts, c->type, MPI_SUM, c->comm, &request);
    break;
  case reduceScatterBlock:
    MPI_Ireduce_scatter_block(c->out, c->in, c->count, c->type, MPI_SUM, c->comm, &request);
    break;
  case scan:
    MPI_Iscan(c->out, c->in, c->count, c->type, MPI_SUM, c->comm, &request);
    break;
  case scatter:
    MPI_Iscatter(c->out, c->count, c->type, c->in, c->count, c->type, c->root, c->comm, &request);
    break;
  case scatterv:
    MPI_Iscatterv(c->out, c->counts, c->places, c->type, c->in, c->count, c->type, c->root, c->comm,
                  &request);
    break;
  case neighborAllgather:
    MPI_Ineighbor_allgather(c->out, c->count, c->type, c->in, c->count, c->type, c->comm, &request);
    break;
  case neighborAllgatherv:
    MPI_Ineighbor_allgatherv(c->out, c->count, c->type, c->in, c->counts, c->places, c->type, c->comm,
                             &request);
    break;
  case neighborAlltoall:
    MPI_Ineighbor_alltoall(c->out, c->count, c->type, c->in, c->count, c->type, c->comm, &request);
    break;
  case neighborAlltoallv:
    MPI_Ineighbor_alltoallv(c->out, c->counts, c->places, c->type, c->in, c->counts, c->places, c->type,
                            c->comm, &request);
    break;
  default:
    MPI_Ineighbor_alltoallw(c->out, c->counts, c->distances, c->types, c->in, c->counts, c->distances,
                            c->types, c->comm, &request);
  }
  return request;
}

#if MPI_VERSION >= 4
MPI_Request callInit(const Call* c) {
  MPI_Request request = MPI_REQUEST_NULL;
  const MPI_Info info = MPI_INFO_NULL;
  switch (c->which) {
  case allgather:
    MPI_Allgather_init(c->out, c->count, c->type, c->in, c->count, c->type, c->comm, info, &request);
    break;
  case allgatherv:
    MPI_Allgatherv_init(c->out, c->count, c->type, c->in, c->counts, c->places, c->type, c->comm, info,
                        &request);
    break;
  case allreduce:
    MPI_Allreduce_init(c->out, c->in, c->count, c->type, MPI_SUM, c->comm, info, &request);
    break;
  case alltoall:
    MPI_Alltoall_init(c->out, c->count, c->type, c->in, c->count, c->type, c->comm, info, &request);
    break;
  case alltoallv:
    MPI_Alltoallv_init(c->out, c->counts, c->places, c->type, c->in, c->counts, c->places, c->type, c->comm,
                       info, &request);
    break;
  case alltoallw:
    MPI_Alltoallw_init(c->out, c->counts, c->bytePlaces, c->types, c->in, c->counts, c->bytePlaces, c->types,
                       c->comm, info, &request);
    break;
  case barrier:
    MPI_Barrier_init(c->comm, info, &request);
    break;
  case bcast:
    MPI_Bcast_init(c->out, c->count, c->type, c->root, c->comm, info, &request);
    break;
  case exscan:
    MPI_Exscan_init(c->out, c->in, c->count, c->type, MPI_SUM, c->comm, info, &request);
    break;
  case gather:
    MPI_Gather_init(c->out, c->count, c->type, c->in, c->count, c->type, c->root, c->comm, info, &request);
    break;
  case gatherv:
    MPI_Gatherv_init(c->out, c->count, c->type, c->in, c->counts, c->places, c->type, c->root, c->comm, info,
                     &request);
    break;
  case reduce:
    MPI_Reduce_init(c->out, c->in, c->count, c->type, MPI_SUM, c->root, c->comm, info, &request);
    break;
  case reduceScatter:
    MPI_Reduce_scatter_init(c->out, c->in, c->counts, c->type, MPI_SUM, c->comm, info, &request);
    break;
  case reduceScatterBlock:
    MPI_Reduce_scatter_block_init(c->out, c->in, c->count, c->type, MPI_SUM, c->comm, info, &request);
    break;
  case scan:
    MPI_Scan_init(c->out, c->in, c->count, c->type, MPI_SUM, c->comm, info, &request);
    break;
  case scatter:
    MPI_Scatter_init(c->out, c->count, c->type, c->in, c->count, c->type, c->root, c->comm, info, &request);
    break;
  case scatterv:
    MPI_Scatterv_init(c->out, c->counts, c->places, c->type, c->in, c->count, c->type, c->root, c->comm, info,
                      &request);
    break;
  case neighborAllgather:
    MPI_Neighbor_allgather_init(c->out, c->count, c->type, c->in, c->count, c->type, c->comm, info, &request);
    break;
  case neighborAllgatherv:
    MPI_Neighbor_allgatherv_init(c->out, c->count, c->type, c->in, c->counts, c->places, c->type, c->comm,
                                 info, &request);
    break;
  case neighborAlltoall:
    MPI_Neighbor_alltoall_init(c->out, c->count, c->type, c->in, c->count, c->type, c->comm, info, &request);
    break;
  case neighborAlltoallv:
    MPI_Neighbor_alltoallv_init(c->out, c->counts, c->places, c->type, c->in, c->counts, c->places, c->type,
                                c->comm, info, &request);
    break;
  default:
    MPI_Neighbor_alltoallw_init(c->out, c->counts, c->distances, c->types, c->in, c->counts, c->distances,
                                c->types, c->comm, info, &request);
  }
  return request;
}
#else
MPI_Request callInit(const Call* c) {
  if (c->rank == 0)
    fprintf(stderr, "this MPI has no persistent collectives\n");
  MPI_Finalize();
  exit(2);
}
#endif
