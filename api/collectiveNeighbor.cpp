// Neighbourhood collectives: MPI-5.0, section 8.6; non-blocking 8.7, persistent 8.8.
//
// comm: an intra-communicator with a topology. Blocks are in the order of MPI_Dist_graph_neighbors,
// MPI_Graph_neighbors, or of the dimensions of a grid, towards smaller coordinates first; beyond the border
// of a grid nothing is sent or written. counts >= 0, datatypes committed; a datatype of the form with
// datatypes may be anything where its count is 0. MPI_IN_PLACE is not allowed. Errors: MPI_ERR_COMM,
// MPI_ERR_TOPOLOGY, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_BUFFER, MPI_ERR_ARG; MPI_ERR_TRUNCATE where a
// message does not fit, MPI_ERR_PROC_ABORTED where a member died. Any thread at MPI_THREAD_MULTIPLE, one at a
// time for each communicator.
#include "api/CollectiveModes.h"

using namespace mpl;
using namespace mpl::api;

extern "C" {

int PMPI_Neighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                            int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return blocking("MPI_Neighbor_allgather", comm, [&] {
    return neighborAllgatherCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  });
}
int PMPI_Neighbor_allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                              MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return blocking("MPI_Neighbor_allgather_c", comm, [&] {
    return neighborAllgatherCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  });
}
int PMPI_Ineighbor_allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                             int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return nonBlocking("MPI_Ineighbor_allgather", comm, request, [&] {
    return neighborAllgatherCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  });
}
int PMPI_Ineighbor_allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                               MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                               MPI_Request* request) {
  return nonBlocking("MPI_Ineighbor_allgather_c", comm, request, [&] {
    return neighborAllgatherCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  });
}
int PMPI_Neighbor_allgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                 MPI_Request* request) {
  return persistent("MPI_Neighbor_allgather_init", comm, info, request, [&] {
    return neighborAllgatherCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  });
}
int PMPI_Neighbor_allgather_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                   void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                   MPI_Info info, MPI_Request* request) {
  return persistent("MPI_Neighbor_allgather_init_c", comm, info, request, [&] {
    return neighborAllgatherCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  });
}

int PMPI_Neighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                             const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                             MPI_Comm comm) {
  return blocking("MPI_Neighbor_allgatherv", comm, [&] {
    return neighborAllgathervCall(sendbuf, sendcount, sendtype, recvbuf, Vector{recvcounts, displs}, recvtype,
                                  comm);
  });
}
int PMPI_Neighbor_allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                               const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                               MPI_Comm comm) {
  return blocking("MPI_Neighbor_allgatherv_c", comm, [&] {
    return neighborAllgathervCall(sendbuf, sendcount, sendtype, recvbuf, Vector{recvcounts, displs}, recvtype,
                                  comm);
  });
}
int PMPI_Ineighbor_allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                              const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                              MPI_Comm comm, MPI_Request* request) {
  return nonBlocking("MPI_Ineighbor_allgatherv", comm, request, [&] {
    return neighborAllgathervCall(sendbuf, sendcount, sendtype, recvbuf, Vector{recvcounts, displs}, recvtype,
                                  comm);
  });
}
int PMPI_Ineighbor_allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                                MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return nonBlocking("MPI_Ineighbor_allgatherv_c", comm, request, [&] {
    return neighborAllgathervCall(sendbuf, sendcount, sendtype, recvbuf, Vector{recvcounts, displs}, recvtype,
                                  comm);
  });
}
int PMPI_Neighbor_allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                  const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                                  MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return persistent("MPI_Neighbor_allgatherv_init", comm, info, request, [&] {
    return neighborAllgathervCall(sendbuf, sendcount, sendtype, recvbuf, Vector{recvcounts, displs}, recvtype,
                                  comm);
  });
}
int PMPI_Neighbor_allgatherv_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                    void* recvbuf, const MPI_Count recvcounts[], const MPI_Aint displs[],
                                    MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                    MPI_Request* request) {
  return persistent("MPI_Neighbor_allgatherv_init_c", comm, info, request, [&] {
    return neighborAllgathervCall(sendbuf, sendcount, sendtype, recvbuf, Vector{recvcounts, displs}, recvtype,
                                  comm);
  });
}

int PMPI_Neighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                           int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return blocking("MPI_Neighbor_alltoall", comm, [&] {
    return neighborAlltoallCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  });
}
int PMPI_Neighbor_alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                             MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return blocking("MPI_Neighbor_alltoall_c", comm, [&] {
    return neighborAlltoallCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  });
}
int PMPI_Ineighbor_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                            int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return nonBlocking("MPI_Ineighbor_alltoall", comm, request, [&] {
    return neighborAlltoallCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  });
}
int PMPI_Ineighbor_alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                              MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                              MPI_Request* request) {
  return nonBlocking("MPI_Ineighbor_alltoall_c", comm, request, [&] {
    return neighborAlltoallCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  });
}
int PMPI_Neighbor_alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                MPI_Request* request) {
  return persistent("MPI_Neighbor_alltoall_init", comm, info, request, [&] {
    return neighborAlltoallCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  });
}
int PMPI_Neighbor_alltoall_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                  void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                  MPI_Info info, MPI_Request* request) {
  return persistent("MPI_Neighbor_alltoall_init_c", comm, info, request, [&] {
    return neighborAlltoallCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  });
}

int PMPI_Neighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                            MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                            MPI_Datatype recvtype, MPI_Comm comm) {
  return blocking("MPI_Neighbor_alltoallv", comm, [&] {
    return neighborAlltoallvCall(sendbuf, Vector{sendcounts, sdispls}, sendtype, recvbuf,
                                 Vector{recvcounts, rdispls}, recvtype, comm);
  });
}
int PMPI_Neighbor_alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                              MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                              const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return blocking("MPI_Neighbor_alltoallv_c", comm, [&] {
    return neighborAlltoallvCall(sendbuf, Vector{sendcounts, sdispls}, sendtype, recvbuf,
                                 Vector{recvcounts, rdispls}, recvtype, comm);
  });
}
int PMPI_Ineighbor_alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                             MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                             const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                             MPI_Request* request) {
  return nonBlocking("MPI_Ineighbor_alltoallv", comm, request, [&] {
    return neighborAlltoallvCall(sendbuf, Vector{sendcounts, sdispls}, sendtype, recvbuf,
                                 Vector{recvcounts, rdispls}, recvtype, comm);
  });
}
int PMPI_Ineighbor_alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                               MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                               const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                               MPI_Request* request) {
  return nonBlocking("MPI_Ineighbor_alltoallv_c", comm, request, [&] {
    return neighborAlltoallvCall(sendbuf, Vector{sendcounts, sdispls}, sendtype, recvbuf,
                                 Vector{recvcounts, rdispls}, recvtype, comm);
  });
}
int PMPI_Neighbor_alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                                 MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                                 const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                 MPI_Request* request) {
  return persistent("MPI_Neighbor_alltoallv_init", comm, info, request, [&] {
    return neighborAlltoallvCall(sendbuf, Vector{sendcounts, sdispls}, sendtype, recvbuf,
                                 Vector{recvcounts, rdispls}, recvtype, comm);
  });
}
int PMPI_Neighbor_alltoallv_init_c(const void* sendbuf, const MPI_Count sendcounts[],
                                   const MPI_Aint sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                   const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                                   MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                                   MPI_Request* request) {
  return persistent("MPI_Neighbor_alltoallv_init_c", comm, info, request, [&] {
    return neighborAlltoallvCall(sendbuf, Vector{sendcounts, sdispls}, sendtype, recvbuf,
                                 Vector{recvcounts, rdispls}, recvtype, comm);
  });
}

int PMPI_Neighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                            const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                            const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return blocking("MPI_Neighbor_alltoallw", comm, [&] {
    return neighborAlltoallwCall(sendbuf, TypedVector<int>{sendcounts, sdispls, sendtypes}, recvbuf,
                                 TypedVector<int>{recvcounts, rdispls, recvtypes}, comm);
  });
}
int PMPI_Neighbor_alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                              const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                              const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return blocking("MPI_Neighbor_alltoallw_c", comm, [&] {
    return neighborAlltoallwCall(sendbuf, TypedVector<MPI_Count>{sendcounts, sdispls, sendtypes}, recvbuf,
                                 TypedVector<MPI_Count>{recvcounts, rdispls, recvtypes}, comm);
  });
}
int PMPI_Ineighbor_alltoallw(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                             const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                             const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                             MPI_Request* request) {
  return nonBlocking("MPI_Ineighbor_alltoallw", comm, request, [&] {
    return neighborAlltoallwCall(sendbuf, TypedVector<int>{sendcounts, sdispls, sendtypes}, recvbuf,
                                 TypedVector<int>{recvcounts, rdispls, recvtypes}, comm);
  });
}
int PMPI_Ineighbor_alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                               const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                               const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                               MPI_Request* request) {
  return nonBlocking("MPI_Ineighbor_alltoallw_c", comm, request, [&] {
    return neighborAlltoallwCall(sendbuf, TypedVector<MPI_Count>{sendcounts, sdispls, sendtypes}, recvbuf,
                                 TypedVector<MPI_Count>{recvcounts, rdispls, recvtypes}, comm);
  });
}
int PMPI_Neighbor_alltoallw_init(const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
                                 const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                                 const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                                 MPI_Info info, MPI_Request* request) {
  return persistent("MPI_Neighbor_alltoallw_init", comm, info, request, [&] {
    return neighborAlltoallwCall(sendbuf, TypedVector<int>{sendcounts, sdispls, sendtypes}, recvbuf,
                                 TypedVector<int>{recvcounts, rdispls, recvtypes}, comm);
  });
}
int PMPI_Neighbor_alltoallw_init_c(const void* sendbuf, const MPI_Count sendcounts[],
                                   const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void* recvbuf,
                                   const MPI_Count recvcounts[], const MPI_Aint rdispls[],
                                   const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                                   MPI_Request* request) {
  return persistent("MPI_Neighbor_alltoallw_init_c", comm, info, request, [&] {
    return neighborAlltoallwCall(sendbuf, TypedVector<MPI_Count>{sendcounts, sdispls, sendtypes}, recvbuf,
                                 TypedVector<MPI_Count>{recvcounts, rdispls, recvtypes}, comm);
  });
}

} // extern "C"

#include "api/collectiveNeighbor.aliases.h"
