#include "coll/shared/NodeLevels.h"

#include "coll/CollectiveJob.h"
#include "coll/shared/SharedCollectives.h"

#include <map>

namespace mpl {

namespace {

constexpr int noRoot = -1;

// Within a node.
bool isDirect(Collective collective, const SharedGroup& group, std::size_t bytes) {
  return choose(collective, group.size(), bytes, group.reach()) == Algorithm::direct;
}

void broadcastWithin(SharedGroup& group, const Block& data, int root) {
  if (isDirect(Collective::broadcast, group, data.bytes()))
    direct::broadcast(group, data, root);
  else
    shared::broadcast(group, data, root);
}

void reduceWithin(SharedGroup& group, const Block& input, void* result, const Op& op, int root) {
  if (isDirect(Collective::reduce, group, input.bytes()))
    direct::reduce(group, input, result, op, root);
  else
    shared::reduce(group, input, result, op, root);
}

int agreeOnLeast(Communicator& comm, int value, int tag) {
  JobHolder job(comm, comm.collectiveContext(), tag);
  algorithm::allreduce(job->schedule(), {comm.rank(), comm.size()}, Block::of(&value, 1, datatypeOf(MPI_INT)),
                       &value, opOf(MPI_MIN));
  runThrough(*job);
  return value;
}

} // namespace

std::unique_ptr<NodeLevels> NodeLevels::make(Communicator& comm, int color, int tag) {
  const auto size = static_cast<std::size_t>(comm.size());
  std::vector<int> colors(size);
  colors[static_cast<std::size_t>(comm.rank())] = color;
  {
    JobHolder job(comm, comm.collectiveContext(), tag);
    algorithm::allgather(job->schedule(), {comm.rank(), comm.size()}, Block{MPI_IN_PLACE, 0, nullptr},
                         Parts(colors.data(), 1, datatypeOf(MPI_INT)));
    runThrough(*job);
  }
  std::unique_ptr<NodeLevels> levels(new NodeLevels(comm));
  std::map<int, int> known;
  std::vector<int> sizes;
  std::vector<int> mine;
  for (std::size_t rank = 0; rank < size; ++rank) {
    const auto [found, isNew] = known.emplace(colors[rank], static_cast<int>(levels->firsts_.size()));
    if (isNew) {
      levels->firsts_.push_back(static_cast<int>(rank));
      sizes.push_back(0);
    }
    const int node = found->second;
    levels->keepsOrder_ = levels->keepsOrder_ && (rank == 0 || node >= levels->nodes_.back());
    levels->nodes_.push_back(node);
    levels->places_.push_back(sizes[static_cast<std::size_t>(node)]++);
    if (colors[rank] == color)
      mine.push_back(static_cast<int>(rank));
  }
  if (levels->firsts_.size() == size)
    return nullptr;
  bool good = true;
  if (mine.size() > 1) {
    levels->own_ = SharedGroup::make(comm, mine, tag);
    good = levels->own_ != nullptr;
  }
  return agreeOnLeast(comm, good ? 1 : 0, tag) != 0 ? std::move(levels) : nullptr;
}

std::vector<int> NodeLevels::speakers(int root) const {
  std::vector<int> ranks = firsts_;
  if (root != noRoot)
    ranks[static_cast<std::size_t>(nodeOf(root))] = root;
  return ranks;
}

bool NodeLevels::speaksFor(int root) const noexcept {
  const int node = nodeOf(comm_.rank());
  const int speaker = root != noRoot && nodeOf(root) == node ? root : firsts_[static_cast<std::size_t>(node)];
  return speaker == comm_.rank();
}

template <class Build> void NodeLevels::amongSpeakers(int root, Build&& build) {
  int tag = 0;
  {
    EngineLock lock;
    tag = comm_.nextCollectiveTag();
  }
  if (!speaksFor(root))
    return;
  std::vector<int> ranks = speakers(root);
  const Members me{nodeOf(comm_.rank()), static_cast<int>(ranks.size())};
  JobHolder job(comm_, comm_.collectiveContext(), tag, std::move(ranks));
  build(job->schedule(), me);
  runThrough(*job);
}

void NodeLevels::barrier() {
  if (own_)
    shared::barrier(*own_);
  amongSpeakers(noRoot, [](Schedule& schedule, Members me) { algorithm::barrier(schedule, me); });
  if (own_)
    shared::barrier(*own_);
}

void NodeLevels::broadcast(const Block& data, int root) {
  amongSpeakers(
      root, [&](Schedule& schedule, Members me) { algorithm::broadcast(schedule, me, data, nodeOf(root)); });
  const bool atHome = nodeOf(root) == nodeOf(comm_.rank());
  if (own_)
    broadcastWithin(*own_, data, atHome ? placeOf(root) : 0);
}

void NodeLevels::reduce(const Block& input, void* result, const Op& op, int root) {
  const bool isRoot = comm_.rank() == root;
  const bool speaks = speaksFor(root);
  const bool atHome = nodeOf(root) == nodeOf(comm_.rank());
  // The node's contribution; the root's own may lie where the result goes.
  std::vector<std::byte> room(own_ && speaks && !isRoot ? input.bytes() : 0);
  Block partial = input;
  if (own_) {
    if (speaks)
      partial = input.movedTo(isRoot ? result : room.data());
    reduceWithin(*own_, input, partial.at, op, atHome ? placeOf(root) : 0);
  }
  amongSpeakers(root, [&](Schedule& schedule, Members me) {
    algorithm::reduce(schedule, me, partial, result, op, nodeOf(root));
  });
}

void NodeLevels::allreduce(const Block& input, void* result, const Op& op) {
  const Block whole = input.movedTo(result);
  if (own_)
    reduceWithin(*own_, input, result, op, 0);
  amongSpeakers(noRoot, [&](Schedule& schedule, Members me) {
    algorithm::allreduce(schedule, me, own_ ? whole : input, result, op);
  });
  if (own_)
    broadcastWithin(*own_, whole, 0);
}

} // namespace mpl
