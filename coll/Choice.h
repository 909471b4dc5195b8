#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace mpl {

enum class Collective {
  barrier,
  broadcast,
  gather,
  scatter,
  allgather,
  alltoall,
  reduce,
  allreduce,
  reduceScatter,
  scan
};
inline constexpr std::size_t collectiveCount = 10;

enum class Algorithm {
  shared,            ///< through memory that all ranks share, blocking calls only (coll/shared)
  direct,            ///< from the memory of one process to that of another, likewise
  dissemination,     ///< log2(ranks) rounds
  binomial,          ///< tree: log2(ranks) rounds, whole data in each
  pipeline,          ///< chain of ranks, in segments: each rank moves the data once
  linear,            ///< everything to or from the root, or between all, at once
  bruck,             ///< log2(ranks) rounds, data moves several times
  ring,              ///< ranks-1 rounds to the neighbour, data moves once
  pairwise,          ///< ranks-1 rounds with one partner each
  recursiveDoubling, ///< log2(ranks) rounds, whole data in each
  halving,           ///< reduce-scatter by recursive halving, then gathering by doubling
};

/// How the ranks reach each other: each includes the ones before.
enum class Reach {
  messages,
  node,     ///< by messages too, but these go through the memory of one node
  segment,  ///< Algorithm::shared is possible
  processes ///< Algorithm::direct too
};

/// One line of the table: holds up to so many ranks and bytes, for ranks that reach each other in this way at
/// least.
struct ChoiceRule {
  Collective collective;
  int maxRanks;
  std::size_t maxBytes;
  Algorithm algorithm;
  Reach least = Reach::messages;
};
/// For blocking calls only.
constexpr bool isThroughMemory(Algorithm algorithm) noexcept {
  return algorithm == Algorithm::shared || algorithm == Algorithm::direct;
}

inline constexpr int anyRanks = INT_MAX;
inline constexpr std::size_t anyBytes = SIZE_MAX;

/// The table; the first line that fits holds.
std::span<const ChoiceRule> choiceTable() noexcept;

/// The algorithm for a collective of so many ranks. bytes: of the whole data of broadcasts and reductions, of
/// one rank's block for gather, scatter and all-to-all, of all blocks together for all-gather. Gives the same
/// at all members when they ask with the same numbers.
Algorithm choose(Collective collective, int ranks, std::size_t bytes, Reach reach = Reach::messages) noexcept;

/// Makes choose() give always this one, where it is possible, as the settings MPL_COLL_* do; it must be one
/// that the table has for the collective. Nothing: the table again, whatever the settings say. At all members
/// alike, while no collective is being started.
void forceAlgorithm(Collective collective, std::optional<Algorithm> algorithm) noexcept;

const char* collectiveName(Collective collective) noexcept;
const char* algorithmName(Algorithm algorithm) noexcept;

} // namespace mpl
