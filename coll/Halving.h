#pragma once

#include "coll/Algorithms.h"

#include <array>

namespace mpl {

/// The largest power of two of ranks that work in pairs, and how the others are served: of the first 2*rest
/// ranks, each odd one works for the even one before it too, so that the order of ranks is kept.
class PowerOfTwo {
public:
  explicit PowerOfTwo(Members me) : me_(me) {
    while (workers_ * 2 <= me.size)
      workers_ *= 2;
    rest_ = me.size - workers_;
  }

  int workers() const noexcept { return workers_; }
  bool isPaired() const noexcept { return me_.rank < 2 * rest_; }
  /// Another rank works for this one.
  bool isServed() const noexcept { return isPaired() && me_.rank % 2 == 0; }
  int pairPartner() const noexcept { return me_.rank ^ 1; }
  /// Number of this rank among the workers.
  int worker() const noexcept { return isPaired() ? me_.rank / 2 : me_.rank - rest_; }
  int rankOf(int worker) const noexcept { return worker < rest_ ? 2 * worker + 1 : worker + rest_; }
  /// The first of the ranks that a worker stands for: itself and one that it works for. Of the number of
  /// workers: that of ranks.
  int firstRankOf(int worker) const noexcept { return worker < rest_ ? 2 * worker : worker + rest_; }
  /// The worker that has the contribution of a rank.
  int workerFor(int rank) const noexcept { return rank < 2 * rest_ ? rank / 2 : rank - rest_; }

private:
  Members me_;
  int workers_ = 1;
  int rest_ = 0;
};

/// Reduce-scatter by recursive halving of the data among the workers, in the order of ranks: in the first
/// round neighbours, later groups of neighbours, split what they have in common. Leaves every worker with the
/// final result of a part of the elements.
class Halving {
public:
  struct Range {
    MPI_Count from;
    MPI_Count to;
    MPI_Count count() const noexcept { return to - from; }
  };

  /// Adds the steps. input: contribution, may be the same memory as `result`, whose block has room for
  /// everything. Served ranks only hand in their contribution.
  Halving(Schedule& schedule, Members me, const Block& input, const Block& result, const Op& op);

  const PowerOfTwo& group() const noexcept { return group_; }
  int rounds() const noexcept { return rounds_; }
  /// What this worker and its partner of round r had in common; of the last round on: what it is left with.
  Range range(int round) const noexcept { return ranges_[static_cast<std::size_t>(round)]; }
  Range own() const noexcept { return range(rounds_); }
  /// What the partner of round r kept of range(r).
  Range partners(int round) const noexcept {
    const Range all = range(round);
    const Range mine = range(round + 1);
    return mine.from == all.from ? Range{mine.to, all.to} : Range{all.from, mine.from};
  }
  int partner(int round) const noexcept { return group_.rankOf(group_.worker() ^ (1 << round)); }

private:
  PowerOfTwo group_;
  int rounds_ = 0;
  std::array<Range, 32> ranges_{};
};

/// Whether the block's elements lie in the same memory as `address`.
inline bool isAt(const Block& block, const void* address) noexcept {
  return block.at == address;
}

} // namespace mpl
