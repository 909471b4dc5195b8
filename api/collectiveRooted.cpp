// Collectives with a root: MPI-5.0, sections 6.4 to 6.6 and 6.9.1; non-blocking 6.12, persistent 6.13.
//
// All of them: counts >= 0, datatypes committed, root a rank of comm; buffers, counts and datatypes of the
// side that is not significant at a rank may be anything. MPI_IN_PLACE as sendbuf (recvbuf of the scatters)
// at the root. Errors: MPI_ERR_COMM, MPI_ERR_ROOT, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_OP, MPI_ERR_BUFFER,
// MPI_ERR_ARG; MPI_ERR_TRUNCATE where a message does not fit, MPI_ERR_PROC_ABORTED where a member died. Any
// thread at MPI_THREAD_MULTIPLE, one at a time for each communicator.
#include "api/CollectiveModes.h"

using namespace mpl;
using namespace mpl::api;

extern "C" {

int PMPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  return blocking("MPI_Bcast", comm, [&] { return broadcastCall(buffer, count, datatype, root, comm); });
}
int PMPI_Bcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  return blocking("MPI_Bcast_c", comm, [&] { return broadcastCall(buffer, count, datatype, root, comm); });
}
int PMPI_Ibcast(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm,
                MPI_Request* request) {
  return nonBlocking("MPI_Ibcast", comm, request,
                     [&] { return broadcastCall(buffer, count, datatype, root, comm); });
}
int PMPI_Ibcast_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
                  MPI_Request* request) {
  return nonBlocking("MPI_Ibcast_c", comm, request,
                     [&] { return broadcastCall(buffer, count, datatype, root, comm); });
}
int PMPI_Bcast_init(void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Info info,
                    MPI_Request* request) {
  return persistent("MPI_Bcast_init", comm, info, request,
                    [&] { return broadcastCall(buffer, count, datatype, root, comm); });
}
int PMPI_Bcast_init_c(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm,
                      MPI_Info info, MPI_Request* request) {
  return persistent("MPI_Bcast_init_c", comm, info, request,
                    [&] { return broadcastCall(buffer, count, datatype, root, comm); });
}

int PMPI_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return blocking("MPI_Gather", comm, [&] {
    return gatherCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
  });
}
int PMPI_Gather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                  MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return blocking("MPI_Gather_c", comm, [&] {
    return gatherCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
  });
}
int PMPI_Igather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                 MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  return nonBlocking("MPI_Igather", comm, request, [&] {
    return gatherCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
  });
}
int PMPI_Igather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                   MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                   MPI_Request* request) {
  return nonBlocking("MPI_Igather_c", comm, request, [&] {
    return gatherCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
  });
}
int PMPI_Gather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                     MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return persistent("MPI_Gather_init", comm, info, request, [&] {
    return gatherCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
  });
}
int PMPI_Gather_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                       MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                       MPI_Request* request) {
  return persistent("MPI_Gather_init_c", comm, info, request, [&] {
    return gatherCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
  });
}

int PMPI_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                 const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return blocking("MPI_Gatherv", comm, [&] {
    return gathervCall(sendbuf, sendcount, sendtype, recvbuf, Vector{recvcounts, displs}, recvtype, root,
                       comm);
  });
}
int PMPI_Gatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                   const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root,
                   MPI_Comm comm) {
  return blocking("MPI_Gatherv_c", comm, [&] {
    return gathervCall(sendbuf, sendcount, sendtype, recvbuf, Vector{recvcounts, displs}, recvtype, root,
                       comm);
  });
}
int PMPI_Igatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                  const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm,
                  MPI_Request* request) {
  return nonBlocking("MPI_Igatherv", comm, request, [&] {
    return gathervCall(sendbuf, sendcount, sendtype, recvbuf, Vector{recvcounts, displs}, recvtype, root,
                       comm);
  });
}
int PMPI_Igatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                    const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root,
                    MPI_Comm comm, MPI_Request* request) {
  return nonBlocking("MPI_Igatherv_c", comm, request, [&] {
    return gathervCall(sendbuf, sendcount, sendtype, recvbuf, Vector{recvcounts, displs}, recvtype, root,
                       comm);
  });
}
int PMPI_Gatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                      const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                      MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return persistent("MPI_Gatherv_init", comm, info, request, [&] {
    return gathervCall(sendbuf, sendcount, sendtype, recvbuf, Vector{recvcounts, displs}, recvtype, root,
                       comm);
  });
}
int PMPI_Gatherv_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                        const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                        int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return persistent("MPI_Gatherv_init_c", comm, info, request, [&] {
    return gathervCall(sendbuf, sendcount, sendtype, recvbuf, Vector{recvcounts, displs}, recvtype, root,
                       comm);
  });
}

int PMPI_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                 MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return blocking("MPI_Scatter", comm, [&] {
    return scatterCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
  });
}
int PMPI_Scatter_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                   MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return blocking("MPI_Scatter_c", comm, [&] {
    return scatterCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
  });
}
int PMPI_Iscatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                  MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request* request) {
  return nonBlocking("MPI_Iscatter", comm, request, [&] {
    return scatterCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
  });
}
int PMPI_Iscatter_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                    MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                    MPI_Request* request) {
  return nonBlocking("MPI_Iscatter_c", comm, request, [&] {
    return scatterCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
  });
}
int PMPI_Scatter_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                      MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return persistent("MPI_Scatter_init", comm, info, request, [&] {
    return scatterCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
  });
}
int PMPI_Scatter_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                        MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,
                        MPI_Request* request) {
  return persistent("MPI_Scatter_init_c", comm, info, request, [&] {
    return scatterCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
  });
}

int PMPI_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                  void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return blocking("MPI_Scatterv", comm, [&] {
    return scattervCall(sendbuf, Vector{sendcounts, displs}, sendtype, recvbuf, recvcount, recvtype, root,
                        comm);
  });
}
int PMPI_Scatterv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
                    MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                    int root, MPI_Comm comm) {
  return blocking("MPI_Scatterv_c", comm, [&] {
    return scattervCall(sendbuf, Vector{sendcounts, displs}, sendtype, recvbuf, recvcount, recvtype, root,
                        comm);
  });
}
int PMPI_Iscatterv(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                   void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                   MPI_Request* request) {
  return nonBlocking("MPI_Iscatterv", comm, request, [&] {
    return scattervCall(sendbuf, Vector{sendcounts, displs}, sendtype, recvbuf, recvcount, recvtype, root,
                        comm);
  });
}
int PMPI_Iscatterv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
                     MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                     int root, MPI_Comm comm, MPI_Request* request) {
  return nonBlocking("MPI_Iscatterv_c", comm, request, [&] {
    return scattervCall(sendbuf, Vector{sendcounts, displs}, sendtype, recvbuf, recvcount, recvtype, root,
                        comm);
  });
}
int PMPI_Scatterv_init(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                       void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                       MPI_Info info, MPI_Request* request) {
  return persistent("MPI_Scatterv_init", comm, info, request, [&] {
    return scattervCall(sendbuf, Vector{sendcounts, displs}, sendtype, recvbuf, recvcount, recvtype, root,
                        comm);
  });
}
int PMPI_Scatterv_init_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[],
                         MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                         int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return persistent("MPI_Scatterv_init_c", comm, info, request, [&] {
    return scattervCall(sendbuf, Vector{sendcounts, displs}, sendtype, recvbuf, recvcount, recvtype, root,
                        comm);
  });
}

int PMPI_Reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                MPI_Comm comm) {
  return blocking("MPI_Reduce", comm,
                  [&] { return reduceCall(sendbuf, recvbuf, count, datatype, op, root, comm); });
}
int PMPI_Reduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                  int root, MPI_Comm comm) {
  return blocking("MPI_Reduce_c", comm,
                  [&] { return reduceCall(sendbuf, recvbuf, count, datatype, op, root, comm); });
}
int PMPI_Ireduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
                 MPI_Comm comm, MPI_Request* request) {
  return nonBlocking("MPI_Ireduce", comm, request,
                     [&] { return reduceCall(sendbuf, recvbuf, count, datatype, op, root, comm); });
}
int PMPI_Ireduce_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                   int root, MPI_Comm comm, MPI_Request* request) {
  return nonBlocking("MPI_Ireduce_c", comm, request,
                     [&] { return reduceCall(sendbuf, recvbuf, count, datatype, op, root, comm); });
}
int PMPI_Reduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                     int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return persistent("MPI_Reduce_init", comm, info, request,
                    [&] { return reduceCall(sendbuf, recvbuf, count, datatype, op, root, comm); });
}
int PMPI_Reduce_init_c(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                       int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return persistent("MPI_Reduce_init_c", comm, info, request,
                    [&] { return reduceCall(sendbuf, recvbuf, count, datatype, op, root, comm); });
}

} // extern "C"

#include "api/collectiveRooted.aliases.h"
