#include "coll/Choice.h"

#include <array>
#include <cstdint>

namespace mpl {

namespace {

constexpr std::size_t KiB = 1024;
constexpr std::size_t any = SIZE_MAX;
constexpr int anyRanks = INT32_MAX;

struct Rule {
  Collective collective;
  int maxRanks;
  std::size_t maxBytes;
  Algorithm algorithm;
};

// The first line that fits holds.
// clang-format off
constexpr Rule rules[] = {
    // collective               up to ranks  up to bytes  algorithm
    {Collective::broadcast,     2,           any,         Algorithm::binomial},
    {Collective::broadcast,     anyRanks,    64 * KiB,    Algorithm::binomial},
    {Collective::broadcast,     anyRanks,    any,         Algorithm::pipeline},
    {Collective::gather,        3,           any,         Algorithm::linear},
    {Collective::gather,        anyRanks,    4 * KiB,     Algorithm::binomial},
    {Collective::gather,        anyRanks,    any,         Algorithm::linear},
    {Collective::scatter,       3,           any,         Algorithm::linear},
    {Collective::scatter,       anyRanks,    4 * KiB,     Algorithm::binomial},
    {Collective::scatter,       anyRanks,    any,         Algorithm::linear},
    {Collective::allgather,     2,           any,         Algorithm::linear},
    {Collective::allgather,     anyRanks,    64 * KiB,    Algorithm::bruck},
    {Collective::allgather,     anyRanks,    any,         Algorithm::ring},
    {Collective::alltoall,      7,           32 * KiB,    Algorithm::linear},
    {Collective::alltoall,      anyRanks,    256,         Algorithm::bruck},
    {Collective::alltoall,      32,          32 * KiB,    Algorithm::linear},
    {Collective::alltoall,      anyRanks,    any,         Algorithm::pairwise},
    {Collective::reduce,        3,           any,         Algorithm::binomial},
    {Collective::reduce,        anyRanks,    32 * KiB,    Algorithm::binomial},
    {Collective::reduce,        anyRanks,    any,         Algorithm::halving},
    {Collective::allreduce,     anyRanks,    4 * KiB,     Algorithm::recursiveDoubling},
    {Collective::allreduce,     anyRanks,    any,         Algorithm::halving},
    {Collective::reduceScatter, anyRanks,    2 * KiB,     Algorithm::recursiveDoubling},
    {Collective::reduceScatter, anyRanks,    any,         Algorithm::pairwise},
};
// clang-format on

std::array<std::optional<Algorithm>, collectiveCount> forced;

} // namespace

void forceAlgorithm(Collective collective, std::optional<Algorithm> algorithm) noexcept {
  forced[static_cast<std::size_t>(collective)] = algorithm;
}

Algorithm choose(Collective collective, int ranks, std::size_t bytes) noexcept {
  if (const auto& wanted = forced[static_cast<std::size_t>(collective)])
    return *wanted;
  for (const Rule& rule : rules)
    if (rule.collective == collective && ranks <= rule.maxRanks && bytes <= rule.maxBytes)
      return rule.algorithm;
  return Algorithm::linear;
}

const char* collectiveName(Collective collective) noexcept {
  switch (collective) {
  case Collective::broadcast:
    return "broadcast";
  case Collective::gather:
    return "gather";
  case Collective::scatter:
    return "scatter";
  case Collective::allgather:
    return "allgather";
  case Collective::alltoall:
    return "alltoall";
  case Collective::reduce:
    return "reduce";
  case Collective::allreduce:
    return "allreduce";
  case Collective::reduceScatter:
    return "reduceScatter";
  }
  return "?";
}

const char* algorithmName(Algorithm algorithm) noexcept {
  switch (algorithm) {
  case Algorithm::binomial:
    return "binomial";
  case Algorithm::pipeline:
    return "pipeline";
  case Algorithm::linear:
    return "linear";
  case Algorithm::bruck:
    return "bruck";
  case Algorithm::ring:
    return "ring";
  case Algorithm::pairwise:
    return "pairwise";
  case Algorithm::recursiveDoubling:
    return "recursiveDoubling";
  case Algorithm::halving:
    return "halving";
  }
  return "?";
}

} // namespace mpl
