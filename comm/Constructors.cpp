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
  return makeChild(parent, same ? parent.groupRef() : parent.group().include(ranks), lease)->giveHandle();
}

struct Choice {
  int color;
  int key;
};

/// What every member of the local group chose, and of the remote group where there is one.
struct GatherChoices {
  static constexpr const char* name = "split";
  Communicator* comm;
  Choice* local; // one for each member, this one's filled in
  Choice* remote;

  void build(Schedule& schedule, Members me) const {
    const Parts all(local, sizeof(Choice), datatypeOf(MPI_BYTE));
    algorithm::allgather(schedule, me, Block{MPI_IN_PLACE, 0, nullptr}, all);
  }
  void build(Schedule& schedule, Sides me) const {
    build(schedule, me.local);
    schedule.waitAll();
    const Block theirs = bytesOf(remote, me.remoteSize);
    if (me.isLeader()) {
      schedule.receive(theirs, me.remote(0));
      schedule.send(bytesOf(local, me.local.size), me.remote(0));
      schedule.waitAll();
    }
    algorithm::broadcast(schedule, me.local, theirs, 0);
  }
  void keep(Schedule&) const {}

  static Block bytesOf(Choice* choices, int count) {
    return Block::ofBytes(choices, static_cast<std::size_t>(count) * sizeof(Choice));
  }
};

// The ranks that chose the color, by key and, among equal keys, by rank.
std::vector<int> chosenBy(const std::vector<Choice>& choices, int color) {
  std::vector<int> ranks;
  for (std::size_t rank = 0; rank < choices.size(); ++rank)
    if (choices[rank].color == color)
      ranks.push_back(static_cast<int>(rank));
  std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) {
    return choices[static_cast<std::size_t>(a)].key < choices[static_cast<std::size_t>(b)].key;
  });
  return ranks;
}

} // namespace

MPI_Comm split(Communicator& parent, int color, int key) {
  std::vector<int> ranks;
  std::vector<int> remoteRanks;
  {
    std::vector<Choice> choices(static_cast<std::size_t>(parent.size()));
    std::vector<Choice> remote(parent.isInter() ? static_cast<std::size_t>(parent.peerCount()) : 0);
    choices[static_cast<std::size_t>(parent.rank())] = {color, key};
    run(GatherChoices{&parent, choices.data(), remote.data()});
    ranks = chosenBy(choices, color);
    remoteRanks = chosenBy(remote, color);
  }
  // The same ids for all colors: their members are different processes.
  ContextLeases leases = agreeOnContexts(parent);
  if (color == MPI_UNDEFINED || (parent.isInter() && remoteRanks.empty()))
    return MPI_COMM_NULL;
  if (!parent.isInter())
    return give(parent, ranks, leases.own);
  return makeChild(parent, parent.group().include(ranks), parent.peerGroup().include(remoteRanks), leases)
      ->giveHandle();
}

int colorOfNode() {
  const std::vector<int>& peers = runtime.process().localPeers();
  return peers.empty() ? runtime.process().rank() : peers.front();
}

namespace {

// The members of this side's new group and of the other's, both by their ranks in the parent. The leaders
// tell each other their groups.
struct SwapGroups {
  static constexpr const char* name = "communicator constructor";
  Communicator* comm;
  int* local;  // number of ranks, then the ranks, with room for the whole group
  int* remote; // likewise

  void build(Schedule&, Members) const {}
  void build(Schedule& schedule, Sides me) const {
    const Block theirs = bytesOf(remote, me.remoteSize);
    if (me.isLeader()) {
      schedule.receive(theirs, me.remote(0));
      schedule.send(bytesOf(local, me.local.size), me.remote(0));
      schedule.waitAll();
    }
    algorithm::broadcast(schedule, me.local, theirs, 0);
  }
  void keep(Schedule&) const {}

  static Block bytesOf(int* ranks, int most) {
    return Block::ofBytes(ranks, (static_cast<std::size_t>(most) + 1) * sizeof(int));
  }
};

MPI_Comm createInter(Communicator& parent, const Group& group) {
  const std::vector<int> ranks = ranksIn(parent, group);
  std::vector<int> local(static_cast<std::size_t>(parent.size()) + 1);
  std::vector<int> remote(static_cast<std::size_t>(parent.peerCount()) + 1);
  local[0] = group.size();
  std::copy(ranks.begin(), ranks.end(), local.begin() + 1);
  run(SwapGroups{&parent, local.data(), remote.data()});
  ContextLeases leases = agreeOnContexts(parent);
  if (group.rank() == MPI_UNDEFINED || remote[0] == 0)
    return MPI_COMM_NULL;
  const std::span<const int> remoteRanks(remote.data() + 1, static_cast<std::size_t>(remote[0]));
  return makeChild(parent, parent.group().include(ranks), parent.peerGroup().include(remoteRanks), leases)
      ->giveHandle();
}

} // namespace

MPI_Comm createFromGroup(Communicator& parent, const Group& group) {
  if (parent.isInter())
    return createInter(parent, group);
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
