#include "api/CollectiveArguments.h"

#include "api/Checks.h"

#include <limits>

namespace mpl::api {

namespace {

Communicator& intraCommunicator(MPI_Comm handle) {
  Communicator& comm = communicatorOf(handle);
  if (comm.isInter())
    fail(MPI_ERR_COMM, "collective operations on inter-communicators are not supported, and ", comm.label(),
         " is one");
  return comm;
}

void checkRoot(const Communicator& comm, int root) {
  if (root < 0 || root >= comm.size())
    fail(MPI_ERR_ROOT, "root is ", root, ", which is not a rank of ", comm.label(), " (0..", comm.size() - 1,
         ")");
}

void failAddress(const char* name, const void* buffer, MPI_Count count) {
  fail(MPI_ERR_BUFFER, name, " is ",
       buffer == nullptr        ? "null"
       : buffer == MPI_IN_PLACE ? "MPI_IN_PLACE, which is not allowed here,"
                                : "no address",
       " and its count is ", count);
}

// A buffer that may not be MPI_IN_PLACE. Null is an address where the datatype has absolute ones.
Block checkedBlock(const char* bufferName, const void* buffer, const char* countName, MPI_Count count,
                   MPI_Datatype datatype) {
  constexpr std::uintptr_t constants = 16; // no object has such an address
  checkCount(count, countName);
  const Datatype& type = committedDatatypeOf(datatype);
  if (reinterpret_cast<std::uintptr_t>(buffer) < constants &&
      (buffer != nullptr || (count != 0 && type.isPlain() && type.size() != 0))) [[unlikely]]
    failAddress(bufferName, buffer, count);
  if (std::size_t bytes = 0; __builtin_mul_overflow(static_cast<std::size_t>(count), type.size(), &bytes) ||
                             bytes > static_cast<std::size_t>(std::numeric_limits<MPI_Count>::max()))
      [[unlikely]]
    fail(MPI_ERR_COUNT, countName, " is ", count, ", and so many elements of ", type.size(),
         " bytes are more than an MPI_Count holds");
  return Block::of(buffer, count, type);
}

Block sendBlock(const void* buffer, MPI_Count count, MPI_Datatype datatype) {
  return checkedBlock("sendbuf", buffer, "sendcount", count, datatype);
}

Block receiveBlock(const void* buffer, MPI_Count count, MPI_Datatype datatype) {
  return checkedBlock("recvbuf", buffer, "recvcount", count, datatype);
}

Block inPlaceBlock() {
  return Block{MPI_IN_PLACE, 0, nullptr};
}

// Side by side, all of the same size.
Parts regularParts(const char* bufferName, const void* buffer, const char* countName, MPI_Count count,
                   MPI_Datatype datatype) {
  const Block one = checkedBlock(bufferName, buffer, countName, count, datatype);
  return Parts(one.at, one.count, *one.type);
}

struct PartNames {
  const char* buffer;
  const char* counts;
  const char* displacements;
  const char* types;
};
constexpr PartNames sendNames{"sendbuf", "sendcounts", "sdispls", "sendtypes"};
constexpr PartNames receiveNames{"recvbuf", "recvcounts", "rdispls", "recvtypes"};

template <class Count> void checkCounts(const char* name, const Count* counts, int ranks) {
  checkPointer(counts, name);
  for (int rank = 0; rank < ranks; ++rank)
    if (counts[rank] < 0) [[unlikely]]
      fail(MPI_ERR_COUNT, name, "[", rank, "] is ", counts[rank], ", which is negative");
}

template <class Count>
Parts vectorParts(const PartNames& names, const void* buffer, Vector<Count> shape, MPI_Datatype datatype,
                  int ranks) {
  checkCounts(names.counts, shape.counts, ranks);
  checkPointer(shape.displacements, names.displacements);
  MPI_Count largest = 0;
  for (int rank = 0; rank < ranks; ++rank)
    largest = std::max<MPI_Count>(largest, shape.counts[rank]);
  const Block all = checkedBlock(names.buffer, buffer, names.counts, largest, datatype);
  return Parts(all.at, shape.counts, shape.displacements, *all.type);
}

template <class Count>
Parts typedParts(const PartNames& names, const void* buffer, Vector<Count> shape, const MPI_Datatype* types,
                 int ranks) {
  checkCounts(names.counts, shape.counts, ranks);
  checkPointer(shape.displacements, names.displacements);
  checkPointer(types, names.types);
  if (buffer == MPI_IN_PLACE)
    failAddress(names.buffer, buffer, 0);
  for (int rank = 0; rank < ranks; ++rank)
    if (shape.counts[rank] != 0)
      committedDatatypeOf(types[rank]);
  return Parts(buffer, shape.counts, shape.displacements, types);
}

// Both sides hold data, and they are the same memory.
void checkApart(const Block& send, const Block& receive) {
  if (send.at == receive.at && send.at != nullptr && send.bytes() != 0 && receive.bytes() != 0) [[unlikely]]
    fail(MPI_ERR_BUFFER, "sendbuf and recvbuf are the same memory (", static_cast<const void*>(send.at),
         "): MPI_IN_PLACE is the way to say so");
}

// Contribution and result of a reduction; the result is significant where hasResult.
Reduction reduction(const void* sendbuf, void* recvbuf, MPI_Count count, const char* countName,
                    MPI_Datatype datatype, MPI_Op handle, Communicator& comm, bool hasResult) {
  Reduction call{};
  call.comm = &comm;
  if (hasResult) {
    const Block result = checkedBlock("recvbuf", recvbuf, countName, count, datatype);
    call.result = result.at;
    call.input = result;
    if (sendbuf != MPI_IN_PLACE) {
      call.input = checkedBlock("sendbuf", sendbuf, countName, count, datatype);
      checkApart(call.input, result);
    }
  } else {
    call.input = checkedBlock("sendbuf", sendbuf, countName, count, datatype);
  }
  const Op& op = opOf(handle);
  op.requireFor(*call.input.type);
  call.op = &op;
  return call;
}

} // namespace

BarrierCall barrierCall(MPI_Comm comm) {
  return {&intraCommunicator(comm)};
}

BroadcastCall broadcastCall(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm handle) {
  Communicator& comm = intraCommunicator(handle);
  const Block data = checkedBlock("buffer", buffer, "count", count, datatype);
  checkRoot(comm, root);
  return {&comm, data, root};
}

namespace {

// The sending side of a gather and the receiving side of a scatter: MPI_IN_PLACE at the root only.
template <class Make> Block rootedBlock(const void* buffer, bool isRoot, Make&& make) {
  return isRoot && buffer == MPI_IN_PLACE ? inPlaceBlock() : make();
}

} // namespace

GatherCall gatherCall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                      MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm handle) {
  Communicator& comm = intraCommunicator(handle);
  checkRoot(comm, root);
  const bool isRoot = comm.rank() == root;
  const Block send = rootedBlock(sendbuf, isRoot, [&] { return sendBlock(sendbuf, sendcount, sendtype); });
  Parts receive;
  if (isRoot) {
    receive = regularParts("recvbuf", recvbuf, "recvcount", recvcount, recvtype);
    checkApart(send, receive.block(root));
  }
  return {&comm, send, receive, root, true};
}

template <class Count>
GatherCall gathervCall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                       Vector<Count> shape, MPI_Datatype recvtype, int root, MPI_Comm handle) {
  Communicator& comm = intraCommunicator(handle);
  checkRoot(comm, root);
  const bool isRoot = comm.rank() == root;
  const Block send = rootedBlock(sendbuf, isRoot, [&] { return sendBlock(sendbuf, sendcount, sendtype); });
  Parts receive;
  if (isRoot) {
    receive = vectorParts(receiveNames, recvbuf, shape, recvtype, comm.size());
    checkApart(send, receive.block(root));
  }
  return {&comm, send, receive, root, false};
}

ScatterCall scatterCall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                        MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm handle) {
  Communicator& comm = intraCommunicator(handle);
  checkRoot(comm, root);
  const bool isRoot = comm.rank() == root;
  Parts send;
  if (isRoot)
    send = regularParts("sendbuf", sendbuf, "sendcount", sendcount, sendtype);
  const Block receive =
      rootedBlock(recvbuf, isRoot, [&] { return receiveBlock(recvbuf, recvcount, recvtype); });
  if (isRoot)
    checkApart(send.block(root), receive);
  return {&comm, send, receive, root, true};
}

template <class Count>
ScatterCall scattervCall(const void* sendbuf, Vector<Count> shape, MPI_Datatype sendtype, void* recvbuf,
                         MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm handle) {
  Communicator& comm = intraCommunicator(handle);
  checkRoot(comm, root);
  const bool isRoot = comm.rank() == root;
  Parts send;
  if (isRoot)
    send = vectorParts(sendNames, sendbuf, shape, sendtype, comm.size());
  const Block receive =
      rootedBlock(recvbuf, isRoot, [&] { return receiveBlock(recvbuf, recvcount, recvtype); });
  if (isRoot)
    checkApart(send.block(root), receive);
  return {&comm, send, receive, root, false};
}

AllgatherCall allgatherCall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                            MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm handle) {
  Communicator& comm = intraCommunicator(handle);
  const Block send = rootedBlock(sendbuf, true, [&] { return sendBlock(sendbuf, sendcount, sendtype); });
  const Parts receive = regularParts("recvbuf", recvbuf, "recvcount", recvcount, recvtype);
  checkApart(send, receive.block(comm.rank()));
  return {&comm, send, receive};
}

template <class Count>
AllgatherCall allgathervCall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                             Vector<Count> shape, MPI_Datatype recvtype, MPI_Comm handle) {
  Communicator& comm = intraCommunicator(handle);
  const Block send = rootedBlock(sendbuf, true, [&] { return sendBlock(sendbuf, sendcount, sendtype); });
  const Parts receive = vectorParts(receiveNames, recvbuf, shape, recvtype, comm.size());
  checkApart(send, receive.block(comm.rank()));
  return {&comm, send, receive};
}

AlltoallCall alltoallCall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                          MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm handle) {
  Communicator& comm = intraCommunicator(handle);
  const Parts receive = regularParts("recvbuf", recvbuf, "recvcount", recvcount, recvtype);
  if (sendbuf == MPI_IN_PLACE)
    return {&comm, Parts::inPlace(), receive};
  const Parts send = regularParts("sendbuf", sendbuf, "sendcount", sendcount, sendtype);
  checkApart(send.block(0), receive.block(0));
  return {&comm, send, receive};
}

template <class Count>
AlltoallCall alltoallvCall(const void* sendbuf, Vector<Count> sendShape, MPI_Datatype sendtype, void* recvbuf,
                           Vector<Count> receiveShape, MPI_Datatype recvtype, MPI_Comm handle) {
  Communicator& comm = intraCommunicator(handle);
  const Parts receive = vectorParts(receiveNames, recvbuf, receiveShape, recvtype, comm.size());
  if (sendbuf == MPI_IN_PLACE)
    return {&comm, Parts::inPlace(), receive};
  return {&comm, vectorParts(sendNames, sendbuf, sendShape, sendtype, comm.size()), receive};
}

template <class Count>
AlltoallCall alltoallwCall(const void* sendbuf, Vector<Count> sendShape, const MPI_Datatype* sendtypes,
                           void* recvbuf, Vector<Count> receiveShape, const MPI_Datatype* recvtypes,
                           MPI_Comm handle) {
  Communicator& comm = intraCommunicator(handle);
  const Parts receive = typedParts(receiveNames, recvbuf, receiveShape, recvtypes, comm.size());
  if (sendbuf == MPI_IN_PLACE)
    return {&comm, Parts::inPlace(), receive};
  return {&comm, typedParts(sendNames, sendbuf, sendShape, sendtypes, comm.size()), receive};
}

ReduceCall reduceCall(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                      int root, MPI_Comm handle) {
  Communicator& comm = intraCommunicator(handle);
  checkRoot(comm, root);
  return {reduction(sendbuf, recvbuf, count, "count", datatype, op, comm, comm.rank() == root), root};
}

AllreduceCall allreduceCall(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                            MPI_Op op, MPI_Comm handle) {
  return {reduction(sendbuf, recvbuf, count, "count", datatype, op, intraCommunicator(handle), true)};
}

ReduceScatterCall reduceScatterBlockCall(const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                                         MPI_Datatype datatype, MPI_Op op, MPI_Comm handle) {
  Communicator& comm = intraCommunicator(handle);
  ReduceScatterCall call{reduction(sendbuf, recvbuf, recvcount, "recvcount", datatype, op, comm, true), {}};
  call.parts = Parts(nullptr, recvcount, *call.input.type);
  call.input.count = recvcount * comm.size();
  return call;
}

template <class Count>
ReduceScatterCall reduceScatterCall(const void* sendbuf, void* recvbuf, const Count* recvcounts,
                                    MPI_Datatype datatype, MPI_Op op, MPI_Comm handle) {
  Communicator& comm = intraCommunicator(handle);
  checkCounts("recvcounts", recvcounts, comm.size());
  MPI_Count all = 0;
  for (int rank = 0; rank < comm.size(); ++rank)
    all += recvcounts[rank];
  const MPI_Count own = recvcounts[comm.rank()];
  // A rank that gets nothing needs no room, but contributes.
  Reduction call = reduction(sendbuf, recvbuf, sendbuf == MPI_IN_PLACE ? all : own, "recvcounts", datatype,
                             op, comm, true);
  if (sendbuf != MPI_IN_PLACE)
    call.input = checkedBlock("sendbuf", sendbuf, "recvcounts", all, datatype);
  return {call, Parts(nullptr, recvcounts, static_cast<const typename Vector<Count>::Displacement*>(nullptr),
                      *call.input.type)};
}

ScanCall scanCall(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm handle) {
  return {reduction(sendbuf, recvbuf, count, "count", datatype, op, intraCommunicator(handle), true)};
}

ExclusiveScanCall exclusiveScanCall(const void* sendbuf, void* recvbuf, MPI_Count count,
                                    MPI_Datatype datatype, MPI_Op op, MPI_Comm handle) {
  return {reduction(sendbuf, recvbuf, count, "count", datatype, op, intraCommunicator(handle), true)};
}

// The two widths of counts that the functions of the interface have.
template GatherCall gathervCall(const void*, MPI_Count, MPI_Datatype, void*, Vector<int>, MPI_Datatype, int,
                                MPI_Comm);
template ScatterCall scattervCall(const void*, Vector<int>, MPI_Datatype, void*, MPI_Count, MPI_Datatype, int,
                                  MPI_Comm);
template AllgatherCall allgathervCall(const void*, MPI_Count, MPI_Datatype, void*, Vector<int>, MPI_Datatype,
                                      MPI_Comm);
template AlltoallCall alltoallvCall(const void*, Vector<int>, MPI_Datatype, void*, Vector<int>, MPI_Datatype,
                                    MPI_Comm);
template AlltoallCall alltoallwCall(const void*, Vector<int>, const MPI_Datatype*, void*, Vector<int>,
                                    const MPI_Datatype*, MPI_Comm);
template ReduceScatterCall reduceScatterCall(const void*, void*, const int*, MPI_Datatype, MPI_Op, MPI_Comm);
template GatherCall gathervCall(const void*, MPI_Count, MPI_Datatype, void*, Vector<MPI_Count>, MPI_Datatype,
                                int, MPI_Comm);
template ScatterCall scattervCall(const void*, Vector<MPI_Count>, MPI_Datatype, void*, MPI_Count,
                                  MPI_Datatype, int, MPI_Comm);
template AllgatherCall allgathervCall(const void*, MPI_Count, MPI_Datatype, void*, Vector<MPI_Count>,
                                      MPI_Datatype, MPI_Comm);
template AlltoallCall alltoallvCall(const void*, Vector<MPI_Count>, MPI_Datatype, void*, Vector<MPI_Count>,
                                    MPI_Datatype, MPI_Comm);
template AlltoallCall alltoallwCall(const void*, Vector<MPI_Count>, const MPI_Datatype*, void*,
                                    Vector<MPI_Count>, const MPI_Datatype*, MPI_Comm);
template ReduceScatterCall reduceScatterCall(const void*, void*, const MPI_Count*, MPI_Datatype, MPI_Op,
                                             MPI_Comm);

} // namespace mpl::api
