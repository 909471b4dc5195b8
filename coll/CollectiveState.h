#pragma once

#include "coll/shared/NodeLevels.h"

#include <memory>
#include <optional>

namespace mpl {

/// What a communicator keeps for its collectives.
class CollectiveState {
public:
  int persistentCalls = 0; ///< engine held
  /// The members, where all share memory; only for the thread that is in a blocking collective.
  std::unique_ptr<SharedGroup> shared;
  /// Where some do; likewise.
  std::unique_ptr<NodeLevels> nodes;
  bool isLookedAt = false;       ///< whether they do
  std::optional<bool> onOneNode; ///< whether all members of this side are, once it was asked for
};

/// The state; made at the first use.
CollectiveState& stateOf(Communicator& comm);

/// Looks where the members of this side are; takes the engine.
void lookForNodes(Communicator& comm);

/// Whether all members of this side are on one node. Only in a collective, which the program keeps apart from
/// others on the communicator.
inline bool isOnOneNode(Communicator& comm) {
  if (!comm.collectiveState || !comm.collectiveState->onOneNode) [[unlikely]]
    lookForNodes(comm);
  return *comm.collectiveState->onOneNode;
}

/// Looks which members share memory, at the first blocking collective: collective over the members,
/// waits.
void lookForSharedMemory(Communicator& comm);

/// The members as ranks that share memory; nullptr where they do not.
inline SharedGroup* sharedGroup(Communicator& comm) {
  if (!comm.collectiveState || !comm.collectiveState->isLookedAt) [[unlikely]]
    lookForSharedMemory(comm);
  SharedGroup* group = comm.collectiveState->shared.get();
  return group != nullptr && !group->isBroken() ? group : nullptr;
}

/// The members by nodes; nullptr where that is of no use. After sharedGroup() gave nothing.
inline NodeLevels* nodeLevels(const Communicator& comm) {
  NodeLevels* nodes = comm.collectiveState->nodes.get();
  return nodes != nullptr && !nodes->isBroken() ? nodes : nullptr;
}

} // namespace mpl
