// Reductions without a root: MPI-5.0, sections 6.9.6, 6.10 and 6.11; non-blocking 6.12, persistent 6.13.
//
// All of them: counts >= 0 and the same at all ranks, datatype committed, op defined for it; MPI_IN_PLACE as
// sendbuf at all ranks. The same contributions give the same bits every time, at every rank. Errors:
// MPI_ERR_COMM, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_OP, MPI_ERR_BUFFER, MPI_ERR_ARG; MPI_ERR_TRUNCATE where
// counts differ, MPI_ERR_PROC_ABORTED where a member died. Any thread at MPI_THREAD_MULTIPLE, one at a time
// for each communicator.
#include "api/CollectiveModes.h"

using namespace mpl;
using namespace mpl::api;

extern "C" {

int PMPI_Allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm) {
  return blocking("MPI_Allreduce", comm,
                  [&] { return allreduceCall(sendbuf, recvbuf, count, datatype, op, comm); });
}
int PMPI_Allreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                     MPI_Comm comm) {
  return blocking("MPI_Allreduce_c", comm,
                  [&] { return allreduceCall(sendbuf, recvbuf, count, datatype, op, comm); });
}
int PMPI_Iallreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                    MPI_Comm comm, MPI_Request* request) {
  return nonBlocking("MPI_Iallreduce", comm, request,
                     [&] { return allreduceCall(sendbuf, recvbuf, count, datatype, op, comm); });
}
int PMPI_Iallreduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                      MPI_Comm comm, MPI_Request* request) {
  return nonBlocking("MPI_Iallreduce_c", comm, request,
                     [&] { return allreduceCall(sendbuf, recvbuf, count, datatype, op, comm); });
}
int PMPI_Allreduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                        MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return persistent("MPI_Allreduce_init", comm, info, request,
                    [&] { return allreduceCall(sendbuf, recvbuf, count, datatype, op, comm); });
}
int PMPI_Allreduce_init_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                          MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return persistent("MPI_Allreduce_init_c", comm, info, request,
                    [&] { return allreduceCall(sendbuf, recvbuf, count, datatype, op, comm); });
}

int PMPI_Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype,
                        MPI_Op op, MPI_Comm comm) {
  return blocking("MPI_Reduce_scatter", comm,
                  [&] { return reduceScatterCall(sendbuf, recvbuf, recvcounts, datatype, op, comm); });
}
int PMPI_Reduce_scatter_c(const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[],
                          MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return blocking("MPI_Reduce_scatter_c", comm,
                  [&] { return reduceScatterCall(sendbuf, recvbuf, recvcounts, datatype, op, comm); });
}
int PMPI_Ireduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype,
                         MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return nonBlocking("MPI_Ireduce_scatter", comm, request,
                     [&] { return reduceScatterCall(sendbuf, recvbuf, recvcounts, datatype, op, comm); });
}
int PMPI_Ireduce_scatter_c(const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[],
                           MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return nonBlocking("MPI_Ireduce_scatter_c", comm, request,
                     [&] { return reduceScatterCall(sendbuf, recvbuf, recvcounts, datatype, op, comm); });
}
int PMPI_Reduce_scatter_init(const void* sendbuf, void* recvbuf, const int recvcounts[],
                             MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                             MPI_Request* request) {
  return persistent("MPI_Reduce_scatter_init", comm, info, request,
                    [&] { return reduceScatterCall(sendbuf, recvbuf, recvcounts, datatype, op, comm); });
}
int PMPI_Reduce_scatter_init_c(const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[],
                               MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                               MPI_Request* request) {
  return persistent("MPI_Reduce_scatter_init_c", comm, info, request,
                    [&] { return reduceScatterCall(sendbuf, recvbuf, recvcounts, datatype, op, comm); });
}

int PMPI_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype,
                              MPI_Op op, MPI_Comm comm) {
  return blocking("MPI_Reduce_scatter_block", comm,
                  [&] { return reduceScatterBlockCall(sendbuf, recvbuf, recvcount, datatype, op, comm); });
}
int PMPI_Reduce_scatter_block_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                                MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return blocking("MPI_Reduce_scatter_block_c", comm,
                  [&] { return reduceScatterBlockCall(sendbuf, recvbuf, recvcount, datatype, op, comm); });
}
int PMPI_Ireduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype,
                               MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return nonBlocking("MPI_Ireduce_scatter_block", comm, request,
                     [&] { return reduceScatterBlockCall(sendbuf, recvbuf, recvcount, datatype, op, comm); });
}
int PMPI_Ireduce_scatter_block_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
  return nonBlocking("MPI_Ireduce_scatter_block_c", comm, request,
                     [&] { return reduceScatterBlockCall(sendbuf, recvbuf, recvcount, datatype, op, comm); });
}
int PMPI_Reduce_scatter_block_init(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype,
                                   MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return persistent("MPI_Reduce_scatter_block_init", comm, info, request,
                    [&] { return reduceScatterBlockCall(sendbuf, recvbuf, recvcount, datatype, op, comm); });
}
int PMPI_Reduce_scatter_block_init_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                                     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,
                                     MPI_Request* request) {
  return persistent("MPI_Reduce_scatter_block_init_c", comm, info, request,
                    [&] { return reduceScatterBlockCall(sendbuf, recvbuf, recvcount, datatype, op, comm); });
}

int PMPI_Scan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
              MPI_Comm comm) {
  return blocking("MPI_Scan", comm, [&] { return scanCall(sendbuf, recvbuf, count, datatype, op, comm); });
}
int PMPI_Scan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                MPI_Comm comm) {
  return blocking("MPI_Scan_c", comm, [&] { return scanCall(sendbuf, recvbuf, count, datatype, op, comm); });
}
int PMPI_Iscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
               MPI_Request* request) {
  return nonBlocking("MPI_Iscan", comm, request,
                     [&] { return scanCall(sendbuf, recvbuf, count, datatype, op, comm); });
}
int PMPI_Iscan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                 MPI_Comm comm, MPI_Request* request) {
  return nonBlocking("MPI_Iscan_c", comm, request,
                     [&] { return scanCall(sendbuf, recvbuf, count, datatype, op, comm); });
}
int PMPI_Scan_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return persistent("MPI_Scan_init", comm, info, request,
                    [&] { return scanCall(sendbuf, recvbuf, count, datatype, op, comm); });
}
int PMPI_Scan_init_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                     MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return persistent("MPI_Scan_init_c", comm, info, request,
                    [&] { return scanCall(sendbuf, recvbuf, count, datatype, op, comm); });
}

int PMPI_Exscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                MPI_Comm comm) {
  return blocking("MPI_Exscan", comm,
                  [&] { return exclusiveScanCall(sendbuf, recvbuf, count, datatype, op, comm); });
}
int PMPI_Exscan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm) {
  return blocking("MPI_Exscan_c", comm,
                  [&] { return exclusiveScanCall(sendbuf, recvbuf, count, datatype, op, comm); });
}
int PMPI_Iexscan(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                 MPI_Comm comm, MPI_Request* request) {
  return nonBlocking("MPI_Iexscan", comm, request,
                     [&] { return exclusiveScanCall(sendbuf, recvbuf, count, datatype, op, comm); });
}
int PMPI_Iexscan_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                   MPI_Comm comm, MPI_Request* request) {
  return nonBlocking("MPI_Iexscan_c", comm, request,
                     [&] { return exclusiveScanCall(sendbuf, recvbuf, count, datatype, op, comm); });
}
int PMPI_Exscan_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                     MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return persistent("MPI_Exscan_init", comm, info, request,
                    [&] { return exclusiveScanCall(sendbuf, recvbuf, count, datatype, op, comm); });
}
int PMPI_Exscan_init_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                       MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return persistent("MPI_Exscan_init_c", comm, info, request,
                    [&] { return exclusiveScanCall(sendbuf, recvbuf, count, datatype, op, comm); });
}

} // extern "C"

#include "api/collectiveReduce.aliases.h"
