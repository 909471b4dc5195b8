#pragma once

#include "coll/Run.h"

namespace mpl {

/// The collectives with their arguments, checked already, as run(), start() and makePersistent() take them.

struct BarrierCall {
  static constexpr const char* name = "barrier";
  Communicator* comm;

  void build(Schedule& schedule, Members me) const { algorithm::barrier(schedule, me); }
  void keep(Schedule&) const {}
};

struct BroadcastCall {
  static constexpr const char* name = "broadcast";
  Communicator* comm;
  Block data;
  int root;

  void build(Schedule& schedule, Members me) const { algorithm::broadcast(schedule, me, data, root); }
  void keep(Schedule& schedule) const { schedule.keep(*data.type); }
};

struct GatherCall {
  static constexpr const char* name = "gather";
  Communicator* comm;
  Block send;
  Parts receive; // at the root
  int root;
  bool regular;

  void build(Schedule& schedule, Members me) const {
    algorithm::gather(schedule, me, send, receive, root, regular);
  }
  void keep(Schedule& schedule) const {
    keepBlock(schedule, send);
    receive.keepTypes(schedule, comm->size());
  }
  static void keepBlock(Schedule& schedule, const Block& block) {
    if (block.type != nullptr)
      schedule.keep(*block.type);
  }
};

struct ScatterCall {
  static constexpr const char* name = "scatter";
  Communicator* comm;
  Parts send; // at the root
  Block receive;
  int root;
  bool regular;

  void build(Schedule& schedule, Members me) const {
    algorithm::scatter(schedule, me, send, receive, root, regular);
  }
  void keep(Schedule& schedule) const {
    send.keepTypes(schedule, comm->size());
    GatherCall::keepBlock(schedule, receive);
  }
};

struct AllgatherCall {
  static constexpr const char* name = "all-gather";
  Communicator* comm;
  Block send;
  Parts receive;

  void build(Schedule& schedule, Members me) const { algorithm::allgather(schedule, me, send, receive); }
  void keep(Schedule& schedule) const {
    GatherCall::keepBlock(schedule, send);
    receive.keepTypes(schedule, comm->size());
  }
};

struct AlltoallCall {
  static constexpr const char* name = "all-to-all";
  Communicator* comm;
  Parts send;
  Parts receive;

  void build(Schedule& schedule, Members me) const { algorithm::alltoall(schedule, me, send, receive); }
  void keep(Schedule& schedule) const {
    send.keepTypes(schedule, comm->size());
    receive.keepTypes(schedule, comm->size());
  }
};

/// Reductions in which all ranks have the same arguments.
struct Reduction {
  Communicator* comm;
  Block input;
  void* result;
  const Op* op;

  void keep(Schedule& schedule) const {
    schedule.keep(*input.type);
    schedule.keep(*op);
  }
};

struct ReduceCall : Reduction {
  static constexpr const char* name = "reduce";
  int root;

  void build(Schedule& schedule, Members me) const {
    algorithm::reduce(schedule, me, input, result, *op, root);
  }
};

struct AllreduceCall : Reduction {
  static constexpr const char* name = "all-reduce";

  void build(Schedule& schedule, Members me) const { algorithm::allreduce(schedule, me, input, result, *op); }
};

struct ReduceScatterCall : Reduction {
  static constexpr const char* name = "reduce-scatter";
  Parts parts;

  void build(Schedule& schedule, Members me) const {
    algorithm::reduceScatter(schedule, me, input, parts, result, *op);
  }
};

struct ScanCall : Reduction {
  static constexpr const char* name = "scan";

  void build(Schedule& schedule, Members me) const { algorithm::scan(schedule, me, input, result, *op); }
};

struct ExclusiveScanCall : Reduction {
  static constexpr const char* name = "exclusive scan";

  void build(Schedule& schedule, Members me) const {
    algorithm::exclusiveScan(schedule, me, input, result, *op);
  }
};

} // namespace mpl
