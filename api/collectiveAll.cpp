// Collectives in which all send to all: MPI-5.0, sections 6.3, 6.7 and 6.8; non-blocking 6.12,
// persistent 6.13.
//
// All of them: counts >= 0, datatypes committed; MPI_IN_PLACE as sendbuf at all ranks. A datatype of the
// all-to-all with datatypes may be anything where its count is 0.
// Errors: MPI_ERR_COMM, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_BUFFER, MPI_ERR_ARG; MPI_ERR_TRUNCATE where a
// message does not fit, MPI_ERR_PROC_ABORTED where a member died. Any thread at MPI_THREAD_MULTIPLE, one at a
// time for each communicator.
#include "api/CollectiveModes.h"

using namespace mpl;
using namespace mpl::api;

extern "C" {

int PMPI_Barrier(MPI_Comm comm) {
  return blocking("MPI_Barrier", comm, [&] { return barrierCall(comm); });
}
int PMPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
  return nonBlocking("MPI_Ibarrier", comm, request, [&] { return barrierCall(comm); });
}
int PMPI_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return persistent("MPI_Barrier_init", comm, info, request, [&] { return barrierCall(comm); });
}

int PMPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                   MPI_Datatype recvtype, MPI_Comm comm) {
  return blocking("MPI_Allgather", comm, [&] {
    return allgatherCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  });
}
int PMPI_Allgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                     MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return blocking("MPI_Allgather_c", comm, [&] {
    return allgatherCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  });
}
int PMPI_Iallgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                    MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return nonBlocking("MPI_Iallgather", comm, request, [&] {
    return allgatherCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  });
}
int PMPI_Iallgather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                      MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return nonBlocking("MPI_Iallgather_c", comm, request, [&] {
    return allgatherCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  });
}
int PMPI_Allgather_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                        int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                        MPI_Request* request) {
  return persistent("MPI_Allgather_init", comm, info, request, [&] {
    return allgatherCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  });
}
int PMPI_Allgather_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                          MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                          MPI_Request* request) {
  return persistent("MPI_Allgather_init_c", comm, info, request, [&] {
    return allgatherCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  });
}

int PMPI_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                    const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm) {
  return blocking("MPI_Allgatherv", comm, [&] {
    return allgathervCall(sendbuf, sendcount, sendtype, recvbuf, Vector{recvcounts, displs}, recvtype, comm);
  });
}
int PMPI_Allgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                      const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                      MPI_Comm comm) {
  return blocking("MPI_Allgatherv_c", comm, [&] {
    return allgathervCall(sendbuf, sendcount, sendtype, recvbuf, Vector{recvcounts, displs}, recvtype, comm);
  });
}
int PMPI_Iallgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                     const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                     MPI_Request* request) {
  return nonBlocking("MPI_Iallgatherv", comm, request, [&] {
    return allgathervCall(sendbuf, sendcount, sendtype, recvbuf, Vector{recvcounts, displs}, recvtype, comm);
  });
}
int PMPI_Iallgatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                       const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                       MPI_Comm comm, MPI_Request* request) {
  return nonBlocking("MPI_Iallgatherv_c", comm, request, [&] {
    return allgathervCall(sendbuf, sendcount, sendtype, recvbuf, Vector{recvcounts, displs}, recvtype, comm);
  });
}
int PMPI_Allgatherv_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                         const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                         MPI_Info info, MPI_Request* request) {
  return persistent("MPI_Allgatherv_init", comm, info, request, [&] {
    return allgathervCall(sendbuf, sendcount, sendtype, recvbuf, Vector{recvcounts, displs}, recvtype, comm);
  });
}
int PMPI_Allgatherv_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                           const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype,
                           MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return persistent("MPI_Allgatherv_init_c", comm, info, request, [&] {
    return allgathervCall(sendbuf, sendcount, sendtype, recvbuf, Vector{recvcounts, displs}, recvtype, comm);
  });
}

int PMPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                  MPI_Datatype recvtype, MPI_Comm comm) {
  return blocking("MPI_Alltoall", comm, [&] {
    return alltoallCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  });
}
int PMPI_Alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                    MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
  return blocking("MPI_Alltoall_c", comm, [&] {
    return alltoallCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  });
}
int PMPI_Ialltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                   MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return nonBlocking("MPI_Ialltoall", comm, request, [&] {
    return alltoallCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  });
}
int PMPI_Ialltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                     MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return nonBlocking("MPI_Ialltoall_c", comm, request, [&] {
    return alltoallCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  });
}
int PMPI_Alltoall_init(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                       int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                       MPI_Request* request) {
  return persistent("MPI_Alltoall_init", comm, info, request, [&] {
    return alltoallCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  });
}
int PMPI_Alltoall_init_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                         MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                         MPI_Request* request) {
  return persistent("MPI_Alltoall_init_c", comm, info, request, [&] {
    return alltoallCall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
  });
}

int PMPI_Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                   void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                   MPI_Comm comm) {
  return blocking("MPI_Alltoallv", comm, [&] {
    return alltoallvCall(sendbuf, Vector{sendcounts, sdispls}, sendtype, recvbuf, Vector{recvcounts, rdispls},
                         recvtype, comm);
  });
}
int PMPI_Alltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                     MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                     const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm) {
  return blocking("MPI_Alltoallv_c", comm, [&] {
    return alltoallvCall(sendbuf, Vector{sendcounts, sdispls}, sendtype, recvbuf, Vector{recvcounts, rdispls},
                         recvtype, comm);
  });
}
int PMPI_Ialltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                    void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                    MPI_Comm comm, MPI_Request* request) {
  return nonBlocking("MPI_Ialltoallv", comm, request, [&] {
    return alltoallvCall(sendbuf, Vector{sendcounts, sdispls}, sendtype, recvbuf, Vector{recvcounts, rdispls},
                         recvtype, comm);
  });
}
int PMPI_Ialltoallv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                      MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                      const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {
  return nonBlocking("MPI_Ialltoallv_c", comm, request, [&] {
    return alltoallvCall(sendbuf, Vector{sendcounts, sdispls}, sendtype, recvbuf, Vector{recvcounts, rdispls},
                         recvtype, comm);
  });
}
int PMPI_Alltoallv_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                        MPI_Datatype sendtype, void* recvbuf, const int recvcounts[], const int rdispls[],
                        MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return persistent("MPI_Alltoallv_init", comm, info, request, [&] {
    return alltoallvCall(sendbuf, Vector{sendcounts, sdispls}, sendtype, recvbuf, Vector{recvcounts, rdispls},
                         recvtype, comm);
  });
}
int PMPI_Alltoallv_init_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                          MPI_Datatype sendtype, void* recvbuf, const MPI_Count recvcounts[],
                          const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,
                          MPI_Request* request) {
  return persistent("MPI_Alltoallv_init_c", comm, info, request, [&] {
    return alltoallvCall(sendbuf, Vector{sendcounts, sdispls}, sendtype, recvbuf, Vector{recvcounts, rdispls},
                         recvtype, comm);
  });
}

int PMPI_Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                   const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
                   const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return blocking("MPI_Alltoallw", comm, [&] {
    return alltoallwCall(sendbuf, Vector{sendcounts, sdispls}, sendtypes, recvbuf,
                         Vector{recvcounts, rdispls}, recvtypes, comm);
  });
}
int PMPI_Alltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                     const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                     const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return blocking("MPI_Alltoallw_c", comm, [&] {
    return alltoallwCall(sendbuf, Vector{sendcounts, sdispls}, sendtypes, recvbuf,
                         Vector{recvcounts, rdispls}, recvtypes, comm);
  });
}
int PMPI_Ialltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                    const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                    const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                    MPI_Request* request) {
  return nonBlocking("MPI_Ialltoallw", comm, request, [&] {
    return alltoallwCall(sendbuf, Vector{sendcounts, sdispls}, sendtypes, recvbuf,
                         Vector{recvcounts, rdispls}, recvtypes, comm);
  });
}
int PMPI_Ialltoallw_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                      const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                      const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                      MPI_Request* request) {
  return nonBlocking("MPI_Ialltoallw_c", comm, request, [&] {
    return alltoallwCall(sendbuf, Vector{sendcounts, sdispls}, sendtypes, recvbuf,
                         Vector{recvcounts, rdispls}, recvtypes, comm);
  });
}
int PMPI_Alltoallw_init(const void* sendbuf, const int sendcounts[], const int sdispls[],
                        const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                        const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Info info,
                        MPI_Request* request) {
  return persistent("MPI_Alltoallw_init", comm, info, request, [&] {
    return alltoallwCall(sendbuf, Vector{sendcounts, sdispls}, sendtypes, recvbuf,
                         Vector{recvcounts, rdispls}, recvtypes, comm);
  });
}
int PMPI_Alltoallw_init_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[],
                          const MPI_Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                          const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,
                          MPI_Info info, MPI_Request* request) {
  return persistent("MPI_Alltoallw_init_c", comm, info, request, [&] {
    return alltoallwCall(sendbuf, Vector{sendcounts, sdispls}, sendtypes, recvbuf,
                         Vector{recvcounts, rdispls}, recvtypes, comm);
  });
}

} // extern "C"

#include "api/collectiveAll.aliases.h"
