#include "collective.h"
#include "pair.h"

int hasRoot(Collective which) {
  return which == bcast || which == gather || which == gatherv || which == reduce || which == scatter ||
         which == scatterv;
}

int hasNeighbours(Collective which) {
  return which >= neighborAllgather;
}

int isReduction(Collective which) {
  return which == allreduce || which == exscan || which == reduce || which == reduceScatter ||
         which == reduceScatterBlock || which == scan;
}

int hasInPlace(Collective which) {
  return which != barrier && which != bcast && !hasNeighbours(which);
}

void callResize(Call* call, size_t bytes) {
  const int peers = call->peers;
  const int shared = call->which == reduceScatter || call->which == reduceScatterBlock;
  call->layout = layoutMake(call->options, bytes, 1);
  const int all = call->layout.count;
  const size_t unit = call->options->derived == benchPlain ? call->layout.element : call->layout.span;
  call->type = call->layout.type;
  call->count = call->which == reduceScatterBlock ? all / peers : all;
  for (int peer = 0, place = 0; peer < peers; ++peer) {
    call->types[peer] = call->type;
    call->counts[peer] = call->which == reduceScatter ? all / peers + (peer < all % peers) : call->count;
    call->places[peer] = shared ? place : peer * call->count;
    call->bytePlaces[peer] = (int)((size_t)call->places[peer] * unit);
    call->distances[peer] = call->bytePlaces[peer];
    place += call->counts[peer];
  }
  callRoot(call, call->root);
}

void callRelease(Call* call) {
  layoutFree(&call->layout);
}

void callRoot(Call* call, int root) {
  const int whole = call->options->inPlace && hasInPlace(call->which);
  const int scatters = call->which == scatter || call->which == scatterv;
  const int inPlace = whole && (!hasRoot(call->which) || call->rank == root);
  call->root = root;
  call->send = inPlace && !scatters ? MPI_IN_PLACE : call->out;
  call->receive = inPlace && scatters ? MPI_IN_PLACE : call->in;
}

void callBlocking(const Call* c) {
  switch (c->which) {
  case allgather:
    MPI_Allgather(c->send, c->count, c->type, c->receive, c->count, c->type, c->comm);
    break;
  case allgatherv:
    MPI_Allgatherv(c->send, c->count, c->type, c->receive, c->counts, c->places, c->type, c->comm);
    break;
  case allreduce:
    MPI_Allreduce(c->send, c->receive, c->count, c->type, MPI_SUM, c->comm);
    break;
  case alltoall:
    MPI_Alltoall(c->send, c->count, c->type, c->receive, c->count, c->type, c->comm);
    break;
  case alltoallv:
    MPI_Alltoallv(c->send, c->counts, c->places, c->type, c->receive, c->counts, c->places, c->type, c->comm);
    break;
  case alltoallw:
    MPI_Alltoallw(c->send, c->counts, c->bytePlaces, c->types, c->receive, c->counts, c->bytePlaces, c->types,
                  c->comm);
    break;
  case barrier:
    MPI_Barrier(c->comm);
    break;
  case bcast:
    MPI_Bcast(c->out, c->count, c->type, c->root, c->comm);
    break;
  case exscan:
    MPI_Exscan(c->send, c->receive, c->count, c->type, MPI_SUM, c->comm);
    break;
  case gather:
    MPI_Gather(c->send, c->count, c->type, c->receive, c->count, c->type, c->root, c->comm);
    break;
  case gatherv:
    MPI_Gatherv(c->send, c->count, c->type, c->receive, c->counts, c->places, c->type, c->root, c->comm);
    break;
  case reduce:
    MPI_Reduce(c->send, c->receive, c->count, c->type, MPI_SUM, c->root, c->comm);
    break;
  case reduceScatter:
    MPI_Reduce_scatter(c->send, c->receive, c->counts, c->type, MPI_SUM, c->comm);
    break;
  case reduceScatterBlock:
    MPI_Reduce_scatter_block(c->send, c->receive, c->count, c->type, MPI_SUM, c->comm);
    break;
  case scan:
    MPI_Scan(c->send, c->receive, c->count, c->type, MPI_SUM, c->comm);
    break;
  case scatter:
    MPI_Scatter(c->send, c->count, c->type, c->receive, c->count, c->type, c->root, c->comm);
    break;
  case scatterv:
    MPI_Scatterv(c->send, c->counts, c->places, c->type, c->receive, c->count, c->type, c->root, c->comm);
    break;
  case neighborAllgather:
    MPI_Neighbor_allgather(c->send, c->count, c->type, c->receive, c->count, c->type, c->comm);
    break;
  case neighborAllgatherv:
    MPI_Neighbor_allgatherv(c->send, c->count, c->type, c->receive, c->counts, c->places, c->type, c->comm);
    break;
  case neighborAlltoall:
    MPI_Neighbor_alltoall(c->send, c->count, c->type, c->receive, c->count, c->type, c->comm);
    break;
  case neighborAlltoallv:
    MPI_Neighbor_alltoallv(c->send, c->counts, c->places, c->type, c->receive, c->counts, c->places, c->type,
                           c->comm);
    break;
  default:
    MPI_Neighbor_alltoallw(c->send, c->counts, c->distances, c->types, c->receive, c->counts, c->distances,
                           c->types, c->comm);
  }
}

MPI_Request callStart(const Call* c) {
  MPI_Request request = MPI_REQUEST_NULL;
  switch (c->which) {
  case allgather:
    MPI_Iallgather(c->send, c->count, c->type, c->receive, c->count, c->type, c->comm, &request);
    break;
  case allgatherv:
    MPI_Iallgatherv(c->send, c->count, c->type, c->receive, c->counts, c->places, c->type, c->comm, &request);
    break;
  case allreduce:
    MPI_Iallreduce(c->send, c->receive, c->count, c->type, MPI_SUM, c->comm, &request);
    break;
  case alltoall:
    MPI_Ialltoall(c->send, c->count, c->type, c->receive, c->count, c->type, c->comm, &request);
    break;
  case alltoallv:
    MPI_Ialltoallv(c->send, c->counts, c->places, c->type, c->receive, c->counts, c->places, c->type, c->comm,
                   &request);
    break;
  case alltoallw:
    MPI_Ialltoallw(c->send, c->counts, c->bytePlaces, c->types, c->receive, c->counts, c->bytePlaces,
                   c->types, c->comm, &request);
    break;
  case barrier:
    MPI_Ibarrier(c->comm, &request);
    break;
  case bcast:
    MPI_Ibcast(c->out, c->count, c->type, c->root, c->comm, &request);
    break;
  case exscan:
    MPI_Iexscan(c->send, c->receive, c->count, c->type, MPI_SUM, c->comm, &request);
    break;
  case gather:
    MPI_Igather(c->send, c->count, c->type, c->receive, c->count, c->type, c->root, c->comm, &request);
    break;
  case gatherv:
    MPI_Igatherv(c->send, c->count, c->type, c->receive, c->counts, c->places, c->type, c->root, c->comm,
                 &request);
    break;
  case reduce:
    MPI_Ireduce(c->send, c->receive, c->count, c->type, MPI_SUM, c->root, c->comm, &request);
    break;
  case reduceScatter:
    MPI_Ireduce_scatter(c->send, c->receive, c->counts, c->type, MPI_SUM, c->comm, &request);
    break;
  case reduceScatterBlock:
    MPI_Ireduce_scatter_block(c->send, c->receive, c->count, c->type, MPI_SUM, c->comm, &request);
    break;
  case scan:
    MPI_Iscan(c->send, c->receive, c->count, c->type, MPI_SUM, c->comm, &request);
    break;
  case scatter:
    MPI_Iscatter(c->send, c->count, c->type, c->receive, c->count, c->type, c->root, c->comm, &request);
    break;
  case scatterv:
    MPI_Iscatterv(c->send, c->counts, c->places, c->type, c->receive, c->count, c->type, c->root, c->comm,
                  &request);
    break;
  case neighborAllgather:
    MPI_Ineighbor_allgather(c->send, c->count, c->type, c->receive, c->count, c->type, c->comm, &request);
    break;
  case neighborAllgatherv:
    MPI_Ineighbor_allgatherv(c->send, c->count, c->type, c->receive, c->counts, c->places, c->type, c->comm,
                             &request);
    break;
  case neighborAlltoall:
    MPI_Ineighbor_alltoall(c->send, c->count, c->type, c->receive, c->count, c->type, c->comm, &request);
    break;
  case neighborAlltoallv:
    MPI_Ineighbor_alltoallv(c->send, c->counts, c->places, c->type, c->receive, c->counts, c->places, c->type,
                            c->comm, &request);
    break;
  default:
    MPI_Ineighbor_alltoallw(c->send, c->counts, c->distances, c->types, c->receive, c->counts, c->distances,
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
    MPI_Allgather_init(c->send, c->count, c->type, c->receive, c->count, c->type, c->comm, info, &request);
    break;
  case allgatherv:
    MPI_Allgatherv_init(c->send, c->count, c->type, c->receive, c->counts, c->places, c->type, c->comm, info,
                        &request);
    break;
  case allreduce:
    MPI_Allreduce_init(c->send, c->receive, c->count, c->type, MPI_SUM, c->comm, info, &request);
    break;
  case alltoall:
    MPI_Alltoall_init(c->send, c->count, c->type, c->receive, c->count, c->type, c->comm, info, &request);
    break;
  case alltoallv:
    MPI_Alltoallv_init(c->send, c->counts, c->places, c->type, c->receive, c->counts, c->places, c->type,
                       c->comm, info, &request);
    break;
  case alltoallw:
    MPI_Alltoallw_init(c->send, c->counts, c->bytePlaces, c->types, c->receive, c->counts, c->bytePlaces,
                       c->types, c->comm, info, &request);
    break;
  case barrier:
    MPI_Barrier_init(c->comm, info, &request);
    break;
  case bcast:
    MPI_Bcast_init(c->out, c->count, c->type, c->root, c->comm, info, &request);
    break;
  case exscan:
    MPI_Exscan_init(c->send, c->receive, c->count, c->type, MPI_SUM, c->comm, info, &request);
    break;
  case gather:
    MPI_Gather_init(c->send, c->count, c->type, c->receive, c->count, c->type, c->root, c->comm, info,
                    &request);
    break;
  case gatherv:
    MPI_Gatherv_init(c->send, c->count, c->type, c->receive, c->counts, c->places, c->type, c->root, c->comm,
                     info, &request);
    break;
  case reduce:
    MPI_Reduce_init(c->send, c->receive, c->count, c->type, MPI_SUM, c->root, c->comm, info, &request);
    break;
  case reduceScatter:
    MPI_Reduce_scatter_init(c->send, c->receive, c->counts, c->type, MPI_SUM, c->comm, info, &request);
    break;
  case reduceScatterBlock:
    MPI_Reduce_scatter_block_init(c->send, c->receive, c->count, c->type, MPI_SUM, c->comm, info, &request);
    break;
  case scan:
    MPI_Scan_init(c->send, c->receive, c->count, c->type, MPI_SUM, c->comm, info, &request);
    break;
  case scatter:
    MPI_Scatter_init(c->send, c->count, c->type, c->receive, c->count, c->type, c->root, c->comm, info,
                     &request);
    break;
  case scatterv:
    MPI_Scatterv_init(c->send, c->counts, c->places, c->type, c->receive, c->count, c->type, c->root, c->comm,
                      info, &request);
    break;
  case neighborAllgather:
    MPI_Neighbor_allgather_init(c->send, c->count, c->type, c->receive, c->count, c->type, c->comm, info,
                                &request);
    break;
  case neighborAllgatherv:
    MPI_Neighbor_allgatherv_init(c->send, c->count, c->type, c->receive, c->counts, c->places, c->type,
                                 c->comm, info, &request);
    break;
  case neighborAlltoall:
    MPI_Neighbor_alltoall_init(c->send, c->count, c->type, c->receive, c->count, c->type, c->comm, info,
                               &request);
    break;
  case neighborAlltoallv:
    MPI_Neighbor_alltoallv_init(c->send, c->counts, c->places, c->type, c->receive, c->counts, c->places,
                                c->type, c->comm, info, &request);
    break;
  default:
    MPI_Neighbor_alltoallw_init(c->send, c->counts, c->distances, c->types, c->receive, c->counts,
                                c->distances, c->types, c->comm, info, &request);
  }
  return request;
}
#else
MPI_Request callInit(const Call* c) {
  mpiRefuse(c->options, "this MPI has no persistent collectives");
  return MPI_REQUEST_NULL;
}
#endif
