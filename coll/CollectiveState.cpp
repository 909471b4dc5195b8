#include "coll/CollectiveState.h"

#include "mpl/Config.h"
#include "pt2pt/EngineLock.h"
#include "pt2pt/Runtime.h"

#include <algorithm>
#include <numeric>

namespace mpl {

namespace {

// The node of a process; for tests other nodes are made up.
int nodeColor(ProcessId process) {
  const auto madeUp = Config::get().integer(Setting::collNodeRanks);
  if (madeUp != 0)
    return static_cast<int>(process / madeUp);
  return runtime.process().localPeers().front();
}

// The same answer at all members: a node's processes know the same of each other.
bool allOnThisNode(const Communicator& comm) {
  const std::vector<int>& here = runtime.process().localPeers();
  const Group& group = comm.group();
  if (Config::get().integer(Setting::collNodeRanks) != 0) {
    for (int rank = 1; rank < group.size(); ++rank)
      if (nodeColor(group.process(rank)) != nodeColor(group.process(0)))
        return false;
  }
  if (group.size() > static_cast<int>(here.size()))
    return false;
  for (int rank = 0; rank < group.size(); ++rank)
    if (!std::binary_search(here.begin(), here.end(), static_cast<int>(group.process(rank))))
      return false;
  return true;
}

} // namespace

CollectiveState& stateOf(Communicator& comm) {
  if (!comm.collectiveState)
    comm.collectiveState = std::make_shared<CollectiveState>();
  return *comm.collectiveState;
}

void lookForNodes(Communicator& comm) {
  EngineLock lock;
  stateOf(comm).onOneNode = allOnThisNode(comm);
}

void lookForSharedMemory(Communicator& comm) {
  int tag = 0;
  CollectiveState* state = nullptr;
  {
    EngineLock lock;
    state = &stateOf(comm);
  }
  state->isLookedAt = true;
  if (comm.isInter() || comm.size() == 1)
    return;
  {
    EngineLock lock;
    tag = comm.nextCollectiveTag();
  }
  if (!isOnOneNode(comm)) {
    state->nodes = NodeLevels::make(comm, nodeColor(thisProcess()), tag);
    return;
  }
  std::vector<int> all(static_cast<std::size_t>(comm.size()));
  std::iota(all.begin(), all.end(), 0);
  state->shared = SharedGroup::make(comm, std::move(all), tag);
}

} // namespace mpl
