#pragma once

#include "coll/Calls.h"

/// Turns the arguments of the functions of MPI-5.0, chapter 6, into checked calls. Errors: MPI_ERR_COMM,
/// MPI_ERR_ROOT, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_OP, MPI_ERR_BUFFER (null, MPI_IN_PLACE where it is not
/// allowed, or the same buffer on both sides), MPI_ERR_ARG (null arrays). Arguments that are not significant
/// at this rank are not looked at.
namespace mpl::api {

/// Counts and displacements of the vector forms: int and int, or MPI_Count and MPI_Aint.
template <class Count> struct Vector {
  using Displacement = std::conditional_t<std::is_same_v<Count, int>, int, MPI_Aint>;
  const Count* counts;
  const Displacement* displacements;
};
Vector(const int*, const int*)->Vector<int>;
Vector(const MPI_Count*, const MPI_Aint*)->Vector<MPI_Count>;

BarrierCall barrierCall(MPI_Comm comm);
BroadcastCall broadcastCall(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm);

GatherCall gatherCall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                      MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
template <class Count>
GatherCall gathervCall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                       Vector<Count> receive, MPI_Datatype recvtype, int root, MPI_Comm comm);

ScatterCall scatterCall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                        MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
template <class Count>
ScatterCall scattervCall(const void* sendbuf, Vector<Count> send, MPI_Datatype sendtype, void* recvbuf,
                         MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);

AllgatherCall allgatherCall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                            MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm);
template <class Count>
AllgatherCall allgathervCall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                             Vector<Count> receive, MPI_Datatype recvtype, MPI_Comm comm);

AlltoallCall alltoallCall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                          MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm);
template <class Count>
AlltoallCall alltoallvCall(const void* sendbuf, Vector<Count> send, MPI_Datatype sendtype, void* recvbuf,
                           Vector<Count> receive, MPI_Datatype recvtype, MPI_Comm comm);
template <class Count>
AlltoallCall alltoallwCall(const void* sendbuf, Vector<Count> send, const MPI_Datatype* sendtypes,
                           void* recvbuf, Vector<Count> receive, const MPI_Datatype* recvtypes,
                           MPI_Comm comm);

/// The neighbourhood collectives; comm has a topology (errors also: MPI_ERR_TOPOLOGY). MPI_IN_PLACE is not
/// allowed.
NeighborAllgatherCall neighborAllgatherCall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                            void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                            MPI_Comm comm);
template <class Count>
NeighborAllgatherCall neighborAllgathervCall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                             void* recvbuf, Vector<Count> receive, MPI_Datatype recvtype,
                                             MPI_Comm comm);
NeighborAlltoallCall neighborAlltoallCall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                          void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                          MPI_Comm comm);
template <class Count>
NeighborAlltoallCall neighborAlltoallvCall(const void* sendbuf, Vector<Count> send, MPI_Datatype sendtype,
                                           void* recvbuf, Vector<Count> receive, MPI_Datatype recvtype,
                                           MPI_Comm comm);
/// Displacements are addresses here in both forms.
template <class Count> struct TypedVector {
  const Count* counts;
  const MPI_Aint* displacements;
  const MPI_Datatype* types;
};
template <class Count>
NeighborAlltoallCall neighborAlltoallwCall(const void* sendbuf, TypedVector<Count> send, void* recvbuf,
                                           TypedVector<Count> receive, MPI_Comm comm);

ReduceCall reduceCall(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                      int root, MPI_Comm comm);
AllreduceCall allreduceCall(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                            MPI_Op op, MPI_Comm comm);
ReduceScatterCall reduceScatterBlockCall(const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                                         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
template <class Count>
ReduceScatterCall reduceScatterCall(const void* sendbuf, void* recvbuf, const Count* recvcounts,
                                    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);
ScanCall scanCall(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm);
ExclusiveScanCall exclusiveScanCall(const void* sendbuf, void* recvbuf, MPI_Count count,
                                    MPI_Datatype datatype, MPI_Op op, MPI_Comm comm);

} // namespace mpl::api
