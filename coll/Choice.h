#pragma once

#include <cstddef>
#include <optional>

namespace mpl {

enum class Collective { broadcast, gather, scatter, allgather, alltoall, reduce, allreduce, reduceScatter };
inline constexpr std::size_t collectiveCount = 8;

enum class Algorithm {
  binomial,          ///< tree: log2(ranks) rounds, whole data in each
  pipeline,          ///< chain of ranks, in segments: each rank moves the data once
  linear,            ///< everything to or from the root, or between all, at once
  bruck,             ///< log2(ranks) rounds, data moves several times
  ring,              ///< ranks-1 rounds to the neighbour, data moves once
  pairwise,          ///< ranks-1 rounds with one partner each
  recursiveDoubling, ///< log2(ranks) rounds, whole data in each
  halving,           ///< reduce-scatter by recursive halving, then gathering by doubling
};

/// The algorithm for a collective of so many ranks. bytes: of the whole data of broadcasts and reductions, of
/// one rank's block for gather, scatter and all-to-all, of all blocks together for all-gather. Gives the same
/// at all members when they ask with the same numbers.
Algorithm choose(Collective collective, int ranks, std::size_t bytes) noexcept;

/// Makes choose() give always this one, which must be one of those that the table has for the collective;
/// nothing: the table again. At all members alike, while no collective is being started.
void forceAlgorithm(Collective collective, std::optional<Algorithm> algorithm) noexcept;

const char* collectiveName(Collective collective) noexcept;
const char* algorithmName(Algorithm algorithm) noexcept;

} // namespace mpl
