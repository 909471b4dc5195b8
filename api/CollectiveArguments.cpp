#include "api/CollectiveArguments.h"

#include "api/CollectiveBlocks.h"

namespace mpl::api {

namespace {

// For the collectives that are not defined on inter-communicators.
Communicator& intraCommunicator(MPI_Comm handle) {
  return intraCommunicatorOf(handle, "for which this operation is not defined");
}

// What this rank is in a collective with a root.
enum class Role { root, other, bystander };

Role roleOf(const Communicator& comm, int root) {
  if (comm.isInter()) {
    if (root == MPI_ROOT || root == MPI_PROC_NULL)
      return root == MPI_ROOT ? Role::root : Role::bystander;
    if (root >= 0 && root < comm.peerCount())
      return Role::other;
    fail(MPI_ERR_ROOT, "root is ", root, ", which is neither MPI_ROOT nor MPI_PROC_NULL nor a rank of the ",
         "remote group of ", comm.label(), " (0..", comm.peerCount() - 1, ")");
  }
  if (root < 0 || root >= comm.size())
    fail(MPI_ERR_ROOT, "root is ", root, ", which is not a rank of ", comm.label(), " (0..", comm.size() - 1,
         ")");
  return comm.rank() == root ? Role::root : Role::other;
}

// Which of a reduction's buffers are significant at this rank.
struct Significant {
  bool contributes = true;
  bool hasResult = true;
};

Reduction reduction(const void* sendbuf, void* recvbuf, MPI_Count count, const char* countName,
                    MPI_Datatype datatype, MPI_Op handle, Communicator& comm, Significant role = {}) {
  Reduction call{};
  call.comm = &comm;
  if (role.hasResult) {
    const Block result = checkedBlock("recvbuf", recvbuf, countName, count, datatype);
    call.result = result.at;
    call.input = result;
    if (role.contributes && (sendbuf != MPI_IN_PLACE || comm.isInter())) {
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
  return {&communicatorOf(comm)};
}

BroadcastCall broadcastCall(void* buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm handle) {
  Communicator& comm = communicatorOf(handle);
  if (roleOf(comm, root) == Role::bystander)
    return {&comm, {}, root};
  return {&comm, checkedBlock("buffer", buffer, "count", count, datatype), root};
}

namespace {

// MPI_IN_PLACE is for intra-communicators.
bool isInPlace(const Communicator& comm, const void* buffer) {
  return buffer == MPI_IN_PLACE && !comm.isInter();
}

// The two sides of a gather or, turned round, of a scatter: the block that every rank has, and the root's
// parts, which makeParts() gives. On an intra-communicator the root has both.
struct RootedArguments {
  Block block;
  Parts parts;
};
template <class MakeBlock, class MakeParts>
RootedArguments rooted(Communicator& comm, int root, const void* blockBuffer, MakeBlock&& makeBlock,
                       MakeParts&& makeParts) {
  RootedArguments arguments;
  const Role role = roleOf(comm, root);
  if (role == Role::bystander)
    return arguments;
  const bool both = role == Role::root && !comm.isInter();
  if (role != Role::root || both)
    arguments.block = both && blockBuffer == MPI_IN_PLACE ? Block{MPI_IN_PLACE, 0, nullptr} : makeBlock();
  if (role == Role::root)
    arguments.parts = makeParts();
  if (both)
    checkApart(arguments.block, arguments.parts.block(root));
  return arguments;
}

} // namespace

GatherCall gatherCall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                      MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm handle) {
  Communicator& comm = communicatorOf(handle);
  const RootedArguments given = rooted(
      comm, root, sendbuf, [&] { return sendBlock(sendbuf, sendcount, sendtype); },
      [&] { return regularParts("recvbuf", recvbuf, "recvcount", recvcount, recvtype); });
  return {&comm, given.block, given.parts, root, true};
}

template <class Count>
GatherCall gathervCall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                       Vector<Count> shape, MPI_Datatype recvtype, int root, MPI_Comm handle) {
  Communicator& comm = communicatorOf(handle);
  const RootedArguments given = rooted(
      comm, root, sendbuf, [&] { return sendBlock(sendbuf, sendcount, sendtype); },
      [&] { return vectorParts(receiveNames, recvbuf, shape, recvtype, comm.peerCount()); });
  return {&comm, given.block, given.parts, root, false};
}

ScatterCall scatterCall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                        MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm handle) {
  Communicator& comm = communicatorOf(handle);
  const RootedArguments given = rooted(
      comm, root, recvbuf, [&] { return receiveBlock(recvbuf, recvcount, recvtype); },
      [&] { return regularParts("sendbuf", sendbuf, "sendcount", sendcount, sendtype); });
  return {&comm, given.parts, given.block, root, true};
}

template <class Count>
ScatterCall scattervCall(const void* sendbuf, Vector<Count> shape, MPI_Datatype sendtype, void* recvbuf,
                         MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm handle) {
  Communicator& comm = communicatorOf(handle);
  const RootedArguments given = rooted(
      comm, root, recvbuf, [&] { return receiveBlock(recvbuf, recvcount, recvtype); },
      [&] { return vectorParts(sendNames, sendbuf, shape, sendtype, comm.peerCount()); });
  return {&comm, given.parts, given.block, root, false};
}

namespace {

AllgatherCall gatherToAll(Communicator& comm, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                          const Parts& receive) {
  const Block send = isInPlace(comm, sendbuf) ? inPlaceBlock() : sendBlock(sendbuf, sendcount, sendtype);
  if (!comm.isInter())
    checkApart(send, receive.block(comm.rank()));
  return {&comm, send, receive};
}

} // namespace

AllgatherCall allgatherCall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                            MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm handle) {
  Communicator& comm = communicatorOf(handle);
  return gatherToAll(comm, sendbuf, sendcount, sendtype,
                     regularParts("recvbuf", recvbuf, "recvcount", recvcount, recvtype));
}

template <class Count>
AllgatherCall allgathervCall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                             Vector<Count> shape, MPI_Datatype recvtype, MPI_Comm handle) {
  Communicator& comm = communicatorOf(handle);
  return gatherToAll(comm, sendbuf, sendcount, sendtype,
                     vectorParts(receiveNames, recvbuf, shape, recvtype, comm.peerCount()));
}

AlltoallCall alltoallCall(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                          MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm handle) {
  Communicator& comm = communicatorOf(handle);
  const Parts receive = regularParts("recvbuf", recvbuf, "recvcount", recvcount, recvtype);
  if (isInPlace(comm, sendbuf))
    return {&comm, Parts::inPlace(), receive};
  const Parts send = regularParts("sendbuf", sendbuf, "sendcount", sendcount, sendtype);
  checkApart(send.block(0), receive.block(0));
  return {&comm, send, receive};
}

template <class Count>
AlltoallCall alltoallvCall(const void* sendbuf, Vector<Count> sendShape, MPI_Datatype sendtype, void* recvbuf,
                           Vector<Count> receiveShape, MPI_Datatype recvtype, MPI_Comm handle) {
  Communicator& comm = communicatorOf(handle);
  const Parts receive = vectorParts(receiveNames, recvbuf, receiveShape, recvtype, comm.peerCount());
  if (isInPlace(comm, sendbuf))
    return {&comm, Parts::inPlace(), receive};
  return {&comm, vectorParts(sendNames, sendbuf, sendShape, sendtype, comm.peerCount()), receive};
}

template <class Count>
AlltoallCall alltoallwCall(const void* sendbuf, Vector<Count> sendShape, const MPI_Datatype* sendtypes,
                           void* recvbuf, Vector<Count> receiveShape, const MPI_Datatype* recvtypes,
                           MPI_Comm handle) {
  Communicator& comm = communicatorOf(handle);
  const Parts receive = typedParts(receiveNames, recvbuf, receiveShape, recvtypes, comm.peerCount());
  if (isInPlace(comm, sendbuf))
    return {&comm, Parts::inPlace(), receive};
  return {&comm, typedParts(sendNames, sendbuf, sendShape, sendtypes, comm.peerCount()), receive};
}

ReduceCall reduceCall(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                      int root, MPI_Comm handle) {
  Communicator& comm = communicatorOf(handle);
  const Role role = roleOf(comm, root);
  if (role == Role::bystander)
    return {{&comm, {}, nullptr, nullptr}, root};
  return {reduction(sendbuf, recvbuf, count, "count", datatype, op, comm,
                    {.contributes = role == Role::other || !comm.isInter(), .hasResult = role == Role::root}),
          root};
}

AllreduceCall allreduceCall(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype,
                            MPI_Op op, MPI_Comm handle) {
  return {reduction(sendbuf, recvbuf, count, "count", datatype, op, communicatorOf(handle))};
}

ReduceScatterCall reduceScatterBlockCall(const void* sendbuf, void* recvbuf, MPI_Count recvcount,
                                         MPI_Datatype datatype, MPI_Op op, MPI_Comm handle) {
  Communicator& comm = communicatorOf(handle);
  ReduceScatterCall call{reduction(sendbuf, recvbuf, recvcount, "recvcount", datatype, op, comm), {}};
  call.parts = Parts(nullptr, recvcount, *call.input.type);
  call.input.count = recvcount * comm.size();
  return call;
}

template <class Count>
ReduceScatterCall reduceScatterCall(const void* sendbuf, void* recvbuf, const Count* recvcounts,
                                    MPI_Datatype datatype, MPI_Op op, MPI_Comm handle) {
  Communicator& comm = communicatorOf(handle);
  checkCounts("recvcounts", recvcounts, comm.size());
  MPI_Count all = 0;
  for (int rank = 0; rank < comm.size(); ++rank)
    all += recvcounts[rank];
  const MPI_Count own = recvcounts[comm.rank()];
  // A rank that gets nothing needs no room, but contributes.
  Reduction call =
      reduction(sendbuf, recvbuf, sendbuf == MPI_IN_PLACE ? all : own, "recvcounts", datatype, op, comm);
  if (sendbuf != MPI_IN_PLACE)
    call.input = checkedBlock("sendbuf", sendbuf, "recvcounts", all, datatype);
  return {call, Parts(nullptr, recvcounts, static_cast<const typename Vector<Count>::Displacement*>(nullptr),
                      *call.input.type)};
}

ScanCall scanCall(const void* sendbuf, void* recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm handle) {
  return {reduction(sendbuf, recvbuf, count, "count", datatype, op, intraCommunicator(handle))};
}

ExclusiveScanCall exclusiveScanCall(const void* sendbuf, void* recvbuf, MPI_Count count,
                                    MPI_Datatype datatype, MPI_Op op, MPI_Comm handle) {
  return {reduction(sendbuf, recvbuf, count, "count", datatype, op, intraCommunicator(handle))};
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
