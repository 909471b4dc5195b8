#pragma once

#include "coll/shared/SharedGroup.h"

#include <memory>
#include <span>
#include <vector>

namespace mpl {

/// The members of a communicator by nodes: those of one node meet in shared memory, and one of each node, its
/// speaker, meets the others over point-to-point. One thread at a time, in a blocking collective.
class NodeLevels {
public:
  /// Collective over the communicator, waits. color: the same at the ranks of a node, other elsewhere.
  /// nullptr, at all, where no two ranks are on one node or they cannot share memory.
  static std::unique_ptr<NodeLevels> make(Communicator& comm, int color, int tag);

  int ranks() const noexcept { return comm_.size(); }
  bool isBroken() const noexcept { return own_ && own_->isBroken(); }
  /// Whether ranks in order are nodes in order: else only operations that commute can be combined by nodes.
  bool keepsOrder() const noexcept { return keepsOrder_; }

  void barrier();
  void broadcast(const Block& data, int root);
  void reduce(const Block& input, void* result, const Op& op, int root);
  void allreduce(const Block& input, void* result, const Op& op);

private:
  explicit NodeLevels(Communicator& comm) : comm_(comm) {}

  /// Who speaks: the first rank of each node, but `root` for its own.
  std::vector<int> speakers(int root) const;
  int nodeOf(int rank) const noexcept { return nodes_[static_cast<std::size_t>(rank)]; }
  /// A rank's place among those of its node.
  int placeOf(int rank) const noexcept { return places_[static_cast<std::size_t>(rank)]; }
  bool speaksFor(int root) const noexcept;
  /// Runs a schedule among the speakers; all ranks call it, so that tags go on alike.
  template <class Build> void amongSpeakers(int root, Build&& build);

  Communicator& comm_;
  std::vector<int> nodes_;  // of each rank
  std::vector<int> places_; // of each rank
  std::vector<int> firsts_; // of each node
  bool keepsOrder_ = true;
  std::unique_ptr<SharedGroup> own_; // none where this rank is alone on its node
};

} // namespace mpl
