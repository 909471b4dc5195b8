#include "api/CollectiveBlocks.h"
#include "comm/ProcessTopology.h"

namespace mpl::api {

namespace {

struct Neighbors {
  Communicator& comm;
  const Neighborhood& list;
  explicit Neighbors(MPI_Comm handle) : comm(communicatorOf(handle)), list(topologyOf(comm).neighborhood()) {}
};

} // namespace

NeighborAllgatherCall neighborAllgatherCall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                            void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                            MPI_Comm handle) {
  const Neighbors neighbors(handle);
  return {&neighbors.comm, &neighbors.list, sendBlock(sendbuf, sendcount, sendtype),
          regularParts("recvbuf", recvbuf, "recvcount", recvcount, recvtype)};
}

template <class Count>
NeighborAllgatherCall neighborAllgathervCall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                             void* recvbuf, Vector<Count> receive, MPI_Datatype recvtype,
                                             MPI_Comm handle) {
  const Neighbors neighbors(handle);
  return {&neighbors.comm, &neighbors.list, sendBlock(sendbuf, sendcount, sendtype),
          vectorParts(receiveNames, recvbuf, receive, recvtype, neighbors.list.indegree())};
}

NeighborAlltoallCall neighborAlltoallCall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                                          void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                                          MPI_Comm handle) {
  const Neighbors neighbors(handle);
  return {&neighbors.comm, &neighbors.list,
          regularParts("sendbuf", sendbuf, "sendcount", sendcount, sendtype),
          regularParts("recvbuf", recvbuf, "recvcount", recvcount, recvtype)};
}

template <class Count>
NeighborAlltoallCall neighborAlltoallvCall(const void* sendbuf, Vector<Count> send, MPI_Datatype sendtype,
                                           void* recvbuf, Vector<Count> receive, MPI_Datatype recvtype,
                                           MPI_Comm handle) {
  const Neighbors neighbors(handle);
  return {&neighbors.comm, &neighbors.list,
          vectorParts(sendNames, sendbuf, send, sendtype, neighbors.list.outdegree()),
          vectorParts(receiveNames, recvbuf, receive, recvtype, neighbors.list.indegree())};
}

template <class Count>
NeighborAlltoallCall neighborAlltoallwCall(const void* sendbuf, TypedVector<Count> send, void* recvbuf,
                                           TypedVector<Count> receive, MPI_Comm handle) {
  const Neighbors neighbors(handle);
  return {&neighbors.comm, &neighbors.list,
          typedParts(sendNames, sendbuf, send, send.types, neighbors.list.outdegree()),
          typedParts(receiveNames, recvbuf, receive, receive.types, neighbors.list.indegree())};
}

// The two widths of counts that the functions of the interface have.
template NeighborAllgatherCall neighborAllgathervCall(const void*, MPI_Count, MPI_Datatype, void*,
                                                      Vector<int>, MPI_Datatype, MPI_Comm);
template NeighborAlltoallCall neighborAlltoallvCall(const void*, Vector<int>, MPI_Datatype, void*,
                                                    Vector<int>, MPI_Datatype, MPI_Comm);
template NeighborAlltoallCall neighborAlltoallwCall(const void*, TypedVector<int>, void*, TypedVector<int>,
                                                    MPI_Comm);
template NeighborAllgatherCall neighborAllgathervCall(const void*, MPI_Count, MPI_Datatype, void*,
                                                      Vector<MPI_Count>, MPI_Datatype, MPI_Comm);
template NeighborAlltoallCall neighborAlltoallvCall(const void*, Vector<MPI_Count>, MPI_Datatype, void*,
                                                    Vector<MPI_Count>, MPI_Datatype, MPI_Comm);
template NeighborAlltoallCall neighborAlltoallwCall(const void*, TypedVector<MPI_Count>, void*,
                                                    TypedVector<MPI_Count>, MPI_Comm);

} // namespace mpl::api
