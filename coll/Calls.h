#pragma once

#include "coll/Run.h"
#include "coll/shared/SharedCollectives.h"

namespace mpl {

/// The collectives with their arguments, checked already, as run(), start() and makePersistent() take them.
/// build() is for intra-communicators, with a second form for inter-communicators where the collective is
/// defined on them.

/// What the table has for a collective of the group, where that is a way through memory.
inline std::optional<Algorithm> wayThroughMemory(Collective collective, const SharedGroup& group,
                                                 std::size_t bytes) {
  const Algorithm chosen = choose(collective, group.size(), bytes, group.reach());
  return isThroughMemory(chosen) ? std::optional(chosen) : std::nullopt;
}
/// For blocks whose sizes are not known at all ranks: whether small ones go through memory.
inline bool variesThroughMemory(Collective collective, const SharedGroup& group) {
  return group.reachesMemory() && shared::hasRoomForTables(group) &&
         wayThroughMemory(collective, group, 0).has_value();
}
inline bool goesByNodes(Collective collective, const NodeLevels& nodes, std::size_t bytes) {
  return isThroughMemory(choose(collective, nodes.ranks(), bytes, Reach::processes));
}

struct BarrierCall {
  static constexpr const char* name = "barrier";
  Communicator* comm;

  CallFacts facts() const { return CallFacts::of(name); }
  void build(Schedule& schedule, Members me) const { algorithm::barrier(schedule, me); }
  void build(Schedule& schedule, Sides me) const { interAlgorithm::barrier(schedule, me); }
  bool runShared(SharedGroup& group) const {
    const auto way = wayThroughMemory(Collective::barrier, group, 0);
    if (way)
      shared::barrier(group);
    return way.has_value();
  }
  bool runByNodes(NodeLevels& nodes) const {
    const bool chosen = goesByNodes(Collective::barrier, nodes, 0);
    if (chosen)
      nodes.barrier();
    return chosen;
  }
  void keep(Schedule&) const {}
};

// A block that is not significant at this rank has no datatype.
inline void keepBlock(Schedule& schedule, const Block& block) {
  if (block.type != nullptr)
    schedule.keep(*block.type);
}

struct BroadcastCall {
  static constexpr const char* name = "broadcast";
  Communicator* comm;
  Block data;
  int root;

  CallFacts facts() const { return CallFacts::of(name, data.bytes(), root); }
  void build(Schedule& schedule, Members me) const { algorithm::broadcast(schedule, me, data, root); }
  void build(Schedule& schedule, Sides me) const { interAlgorithm::broadcast(schedule, me, data, root); }
  bool runShared(SharedGroup& group) const {
    const auto way = wayThroughMemory(Collective::broadcast, group, data.bytes());
    if (way == Algorithm::direct)
      direct::broadcast(group, data, root);
    else if (way)
      shared::broadcast(group, data, root);
    return way.has_value();
  }
  bool runByNodes(NodeLevels& nodes) const {
    const bool chosen = goesByNodes(Collective::broadcast, nodes, data.bytes());
    if (chosen)
      nodes.broadcast(data, root);
    return chosen;
  }
  void keep(Schedule& schedule) const { keepBlock(schedule, data); }
};

struct GatherCall {
  static constexpr const char* name = "gather";
  Communicator* comm;
  Block send;
  Parts receive; // at the root
  int root;
  bool regular;

  /// Of one rank's block, where all have the same (intra-communicators).
  std::size_t blockBytes() const { return comm->rank() == root ? receive.block(root).bytes() : send.bytes(); }
  CallFacts facts() const { return CallFacts::of(name, regular ? blockBytes() : CallFacts::anyBytes, root); }
  void build(Schedule& schedule, Members me) const {
    algorithm::gather(schedule, me, send, receive, root, regular);
  }
  void build(Schedule& schedule, Sides me) const {
    interAlgorithm::gather(schedule, me, send, receive, root);
  }
  bool runShared(SharedGroup& group) const {
    if (!regular) {
      const bool varies = variesThroughMemory(Collective::gather, group);
      if (varies)
        shared::gatherVarying(group, send, receive, root);
      return varies;
    }
    const auto way = wayThroughMemory(Collective::gather, group, blockBytes());
    if (way == Algorithm::direct)
      direct::gather(group, send, receive, root);
    else if (way)
      shared::gather(group, send, receive, root);
    return way.has_value();
  }
  void keep(Schedule& schedule) const {
    keepBlock(schedule, send);
    receive.keepTypes(schedule, comm->peerCount());
  }
};

struct ScatterCall {
  static constexpr const char* name = "scatter";
  Communicator* comm;
  Parts send; // at the root
  Block receive;
  int root;
  bool regular;

  std::size_t blockBytes() const { return comm->rank() == root ? send.block(root).bytes() : receive.bytes(); }
  CallFacts facts() const { return CallFacts::of(name, regular ? blockBytes() : CallFacts::anyBytes, root); }
  void build(Schedule& schedule, Members me) const {
    algorithm::scatter(schedule, me, send, receive, root, regular);
  }
  void build(Schedule& schedule, Sides me) const {
    interAlgorithm::scatter(schedule, me, send, receive, root);
  }
  bool runShared(SharedGroup& group) const {
    if (!regular) {
      const bool varies = variesThroughMemory(Collective::scatter, group);
      if (varies)
        shared::scatterVarying(group, send, receive, root);
      return varies;
    }
    const auto way = wayThroughMemory(Collective::scatter, group, blockBytes());
    if (way == Algorithm::direct)
      direct::scatter(group, send, receive, root);
    else if (way)
      shared::scatter(group, send, receive, root);
    return way.has_value();
  }
  void keep(Schedule& schedule) const {
    send.keepTypes(schedule, comm->peerCount());
    keepBlock(schedule, receive);
  }
};

struct AllgatherCall {
  static constexpr const char* name = "all-gather";
  Communicator* comm;
  Block send;
  Parts receive;

  std::size_t totalBytes() const {
    std::size_t bytes = 0;
    for (int rank = 0; rank < comm->peerCount(); ++rank)
      bytes += receive.block(rank).bytes();
    return bytes;
  }
  CallFacts facts() const { return CallFacts::of(name, totalBytes()); }
  void build(Schedule& schedule, Members me) const { algorithm::allgather(schedule, me, send, receive); }
  void build(Schedule& schedule, Sides me) const { interAlgorithm::allgather(schedule, me, send, receive); }
  bool runShared(SharedGroup& group) const {
    const bool regular = receive.isRegular();
    const std::size_t bytes =
        regular ? receive.block(group.rank()).bytes() * static_cast<std::size_t>(group.size()) : totalBytes();
    const auto way = wayThroughMemory(Collective::allgather, group, bytes);
    if (!way || (!regular && !group.reachesMemory()))
      return false;
    if (!regular)
      shared::allgatherVarying(group, send, receive);
    else if (way == Algorithm::direct)
      direct::allgather(group, send, receive);
    else
      shared::allgather(group, send, receive);
    return true;
  }
  void keep(Schedule& schedule) const {
    keepBlock(schedule, send);
    receive.keepTypes(schedule, comm->peerCount());
  }
};

struct AlltoallCall {
  static constexpr const char* name = "all-to-all";
  Communicator* comm;
  Parts send;
  Parts receive;

  CallFacts facts() const {
    return CallFacts::of(name, receive.isRegular() ? receive.block(0).bytes() : CallFacts::anyBytes);
  }
  void build(Schedule& schedule, Members me) const { algorithm::alltoall(schedule, me, send, receive); }
  void build(Schedule& schedule, Sides me) const { interAlgorithm::alltoall(schedule, me, send, receive); }
  bool runShared(SharedGroup& group) const {
    const bool regular = receive.isRegular();
    const auto way = regular
                         ? wayThroughMemory(Collective::alltoall, group, receive.block(group.rank()).bytes())
                         : std::nullopt;
    if ((way == Algorithm::direct || !regular) && variesThroughMemory(Collective::alltoall, group)) {
      shared::exchange(group, send, receive);
      return true;
    }
    if (way)
      shared::alltoall(group, send, receive);
    return way.has_value();
  }
  void keep(Schedule& schedule) const {
    send.keepTypes(schedule, comm->peerCount());
    receive.keepTypes(schedule, comm->peerCount());
  }
};

/// The topology of comm, which has one, gives the neighbours.
struct NeighborAllgatherCall {
  static constexpr const char* name = "neighbour all-gather";
  Communicator* comm;
  const Neighborhood* neighbors;
  Block send;
  Parts receive;

  void build(Schedule& schedule, Members) const {
    algorithm::neighborAllgather(schedule, *neighbors, send, receive);
  }
  bool runShared(SharedGroup& group) const {
    const bool varies = variesThroughMemory(Collective::allgather, group);
    if (varies)
      shared::neighborAllgather(group, *neighbors, send, receive);
    return varies;
  }
  void keep(Schedule& schedule) const {
    keepBlock(schedule, send);
    receive.keepTypes(schedule, neighbors->indegree());
  }
};

struct NeighborAlltoallCall {
  static constexpr const char* name = "neighbour all-to-all";
  Communicator* comm;
  const Neighborhood* neighbors;
  Parts send;
  Parts receive;

  void build(Schedule& schedule, Members) const {
    algorithm::neighborAlltoall(schedule, *neighbors, send, receive);
  }
  bool runShared(SharedGroup& group) const {
    const bool varies = variesThroughMemory(Collective::alltoall, group);
    if (varies)
      shared::neighborAlltoall(group, *neighbors, send, receive);
    return varies;
  }
  void keep(Schedule& schedule) const {
    send.keepTypes(schedule, neighbors->outdegree());
    receive.keepTypes(schedule, neighbors->indegree());
  }
};

/// Reductions in which all ranks have the same arguments.
struct Reduction {
  Communicator* comm;
  Block input;
  void* result;
  const Op* op;

  /// Elements without gaps, of which some fit into a slot.
  bool fitsMemory() const noexcept {
    return input.type->isPlain() && input.type->size() <= SharedGroup::firstSlotBytes;
  }

  std::optional<Algorithm> reductionWay(Collective collective, const SharedGroup& group) const {
    return fitsMemory() ? wayThroughMemory(collective, group, input.bytes()) : std::nullopt;
  }

  void keep(Schedule& schedule) const {
    keepBlock(schedule, input);
    if (op != nullptr)
      schedule.keep(*op);
  }
};

struct ReduceCall : Reduction {
  static constexpr const char* name = "reduce";
  int root;

  CallFacts facts() const { return CallFacts::of(name, input.bytes(), root, op); }
  void build(Schedule& schedule, Members me) const {
    algorithm::reduce(schedule, me, input, result, *op, root);
  }
  void build(Schedule& schedule, Sides me) const {
    if (root != MPI_PROC_NULL)
      interAlgorithm::reduce(schedule, me, input, result, *op, root);
  }
  bool runShared(SharedGroup& group) const {
    const auto way = reductionWay(Collective::reduce, group);
    if (way == Algorithm::direct)
      direct::reduce(group, input, result, *op, root);
    else if (way)
      shared::reduce(group, input, result, *op, root);
    return way.has_value();
  }
  bool runByNodes(NodeLevels& nodes) const {
    const bool chosen = fitsMemory() && (op->isCommutative() || nodes.keepsOrder()) &&
                        goesByNodes(Collective::reduce, nodes, input.bytes());
    if (chosen)
      nodes.reduce(input, result, *op, root);
    return chosen;
  }
};

struct AllreduceCall : Reduction {
  static constexpr const char* name = "all-reduce";

  CallFacts facts() const { return CallFacts::of(name, input.bytes(), CallFacts::noRoot, op); }
  void build(Schedule& schedule, Members me) const { algorithm::allreduce(schedule, me, input, result, *op); }
  void build(Schedule& schedule, Sides me) const {
    interAlgorithm::allreduce(schedule, me, input, result, *op);
  }
  bool runShared(SharedGroup& group) const {
    const auto way = reductionWay(Collective::allreduce, group);
    if (way == Algorithm::direct)
      direct::allreduce(group, input, result, *op);
    else if (way)
      shared::allreduce(group, input, result, *op);
    return way.has_value();
  }
  bool runByNodes(NodeLevels& nodes) const {
    const bool chosen = fitsMemory() && (op->isCommutative() || nodes.keepsOrder()) &&
                        goesByNodes(Collective::allreduce, nodes, input.bytes());
    if (chosen)
      nodes.allreduce(input, result, *op);
    return chosen;
  }
};

struct ReduceScatterCall : Reduction {
  static constexpr const char* name = "reduce-scatter";
  Parts parts;

  CallFacts facts() const { return CallFacts::of(name, input.bytes(), CallFacts::noRoot, op); }
  void build(Schedule& schedule, Members me) const {
    algorithm::reduceScatter(schedule, me, input, parts, result, *op);
  }
  void build(Schedule& schedule, Sides me) const {
    interAlgorithm::reduceScatter(schedule, me, input, parts, result, *op);
  }
  bool runShared(SharedGroup& group) const {
    const auto way = reductionWay(Collective::reduceScatter, group);
    if (way == Algorithm::direct) {
      direct::reduceScatter(group, input, parts, result, *op);
      return true;
    }
    if (way)
      group.prepare(input.bytes());
    const bool fits = way && input.bytes() <= group.slotBytes();
    if (fits)
      shared::reduceScatter(group, input, parts, result, *op);
    return fits;
  }
};

struct ScanCall : Reduction {
  static constexpr const char* name = "scan";

  CallFacts facts() const { return CallFacts::of(name, input.bytes(), CallFacts::noRoot, op); }
  void build(Schedule& schedule, Members me) const { algorithm::scan(schedule, me, input, result, *op); }
  bool runShared(SharedGroup& group) const {
    const auto way = reductionWay(Collective::scan, group);
    if (way)
      shared::scan(group, input, result, *op);
    return way.has_value();
  }
};

struct ExclusiveScanCall : Reduction {
  static constexpr const char* name = "exclusive scan";

  CallFacts facts() const { return CallFacts::of(name, input.bytes(), CallFacts::noRoot, op); }
  void build(Schedule& schedule, Members me) const {
    algorithm::exclusiveScan(schedule, me, input, result, *op);
  }
  bool runShared(SharedGroup& group) const {
    const auto way = reductionWay(Collective::scan, group);
    if (way)
      shared::exclusiveScan(group, input, result, *op);
    return way.has_value();
  }
};

} // namespace mpl
