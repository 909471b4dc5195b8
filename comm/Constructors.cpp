#include "comm/Constructors.h"

#include "coll/Run.h"
#include "comm/Agreement.h"
#include "comm/Duplicate.h"
#include "pt2pt/Runtime.h"

#include <algorithm>
#include <vector>

namespace mpl {

namespace {

// Ranks in the parent of a group's members, in the order of the group.
std::vector<int> ranksIn(const Communicator& parent, const Group& group) {
  std::vector<int> ranks(static_cast<std::size_t>(group.size()));
  for (int rank = 0; rank < group.size(); ++rank) {
    const int found = parent.group().rankOf(group.process(rank));
    if (found == MPI_UNDEFINED)
      fail(MPI_ERR_GROUP, "rank ", rank, " of the group is not in ", parent.label());
    ranks[static_cast<std::size_t>(rank)] = found;
  }
  return ranks;
}

// The new communicator shares the parent's group where it has the same members in the same order.
MPI_Comm give(Communicator& parent, std::span<const int> ranks, ContextLease& lease) {
  bool same = ranks.size() == static_cast<std::size_t>(parent.size());
  for (std::size_t i = 0; same && i < ranks.size(); ++i)
    same = ranks[i] == static_cast<int>(i);
  return makeChild(parent, same ? parent.groupRef() : parent.group().include(ranks), {}, lease)->giveHandle();
}

struct Choice {
  int color;
  int key;
};

/// What every member chose.
struct GatherChoices {
  static constexpr const char* name = "split";
  Communicator* comm;
  Choice* choices; // one for each member, this one's filled in

  void build(Schedule& schedule, Members me) const {
    const Parts all(choices, sizeof(Choice), datatypeOf(MPI_BYTE));
    algorithm::allgather(schedule, me, Block{MPI_IN_PLACE, 0, nullptr}, all);
  }
  void keep(Schedule&) const {}
};

} // namespace

MPI_Comm split(Communicator& parent, int color, int key) {
  std::vector<int> ranks;
  {
    std::vector<Choice> choices(static_cast<std::size_t>(parent.size()));
    choices[static_cast<std::size_t>(parent.rank())] = {color, key};
    run(GatherChoices{&parent, choices.data()});
    for (int rank = 0; rank < parent.size(); ++rank)
      if (choices[static_cast<std::size_t>(rank)].color == color)
        ranks.push_back(rank);
    std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) {
      return choices[static_cast<std::size_t>(a)].key < choices[static_cast<std::size_t>(b)].key;
    });
  }
  // One id for all colors: their members are different processes.
  ContextLease lease = agreeOnContext(parent);
  return color == MPI_UNDEFINED ? MPI_COMM_NULL : give(parent, ranks, lease);
}

int colorOfNode() {
  const std::vector<int>& peers = runtime.process().localPeers();
  return peers.empty() ? runtime.process().rank() : peers.front();
}

MPI_Comm createFromGroup(Communicator& parent, const Group& group) {
  const std::vector<int> ranks = ranksIn(parent, group);
  ContextLease lease = agreeOnContext(parent);
  return group.rank() == MPI_UNDEFINED ? MPI_COMM_NULL : give(parent, ranks, lease);
}

MPI_Comm createAmongGroup(Communicator& parent, const Group& group, int tag) {
  const std::vector<int> ranks = ranksIn(parent, group);
  if (group.rank() == MPI_UNDEFINED)
    return MPI_COMM_NULL;
  ContextLease lease = agreeOnContext(parent, ranks, tag);
  return give(parent, ranks, lease);
}

} // namespace mpl
