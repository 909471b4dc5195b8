#include "coll/Choice.h"

#include "mpl/Config.h"

#include <array>
#include <cstdint>

namespace mpl {

namespace {

constexpr std::size_t KiB = 1024;
constexpr std::size_t MiB = 1024 * KiB;
constexpr std::size_t any = anyBytes;

// clang-format off
constexpr ChoiceRule rules[] = {
    // collective               up to ranks  up to bytes  algorithm
    {Collective::barrier,       anyRanks,    any,         Algorithm::shared},
    {Collective::barrier,       anyRanks,    any,         Algorithm::dissemination},
    {Collective::broadcast,     2,           32 * KiB,    Algorithm::shared},
    {Collective::broadcast,     2,           any,         Algorithm::direct},
    {Collective::broadcast,     anyRanks,    128 * KiB,   Algorithm::shared},
    {Collective::broadcast,     anyRanks,    any,         Algorithm::direct},
    {Collective::broadcast,     2,           any,         Algorithm::binomial, Reach::node},
    {Collective::broadcast,     anyRanks,    512 * KiB,   Algorithm::binomial, Reach::node},
    {Collective::broadcast,     2,           any,         Algorithm::pipeline},
    {Collective::broadcast,     anyRanks,    4 * MiB,     Algorithm::shared},
    {Collective::broadcast,     anyRanks,    64 * KiB,    Algorithm::binomial},
    {Collective::broadcast,     anyRanks,    any,         Algorithm::pipeline},
    {Collective::gather,        anyRanks,    128 * KiB,   Algorithm::shared},
    {Collective::gather,        anyRanks,    any,         Algorithm::direct},
    {Collective::gather,        32,          any,         Algorithm::linear, Reach::node},
    {Collective::gather,        3,           any,         Algorithm::linear},
    {Collective::gather,        anyRanks,    4 * KiB,     Algorithm::binomial},
    {Collective::gather,        anyRanks,    any,         Algorithm::linear},
    {Collective::scatter,       2,           128 * KiB,   Algorithm::shared},
    {Collective::scatter,       4,           32 * KiB,    Algorithm::shared},
    {Collective::scatter,       anyRanks,    16 * KiB,    Algorithm::shared},
    {Collective::scatter,       anyRanks,    any,         Algorithm::direct},
    {Collective::scatter,       anyRanks,    32 * KiB,    Algorithm::shared},
    {Collective::scatter,       32,          any,         Algorithm::linear, Reach::node},
    {Collective::scatter,       3,           any,         Algorithm::linear},
    {Collective::scatter,       anyRanks,    4 * KiB,     Algorithm::binomial},
    {Collective::scatter,       anyRanks,    any,         Algorithm::linear},
    {Collective::allgather,     2,           128 * KiB,   Algorithm::shared},
    {Collective::allgather,     2,           any,         Algorithm::direct},
    {Collective::allgather,     anyRanks,    32 * MiB,    Algorithm::shared},
    {Collective::allgather,     anyRanks,    any,         Algorithm::direct},
    {Collective::allgather,     anyRanks,    256 * KiB,   Algorithm::shared},
    {Collective::allgather,     16,          256 * KiB,   Algorithm::linear, Reach::node},
    {Collective::allgather,     2,           any,         Algorithm::linear},
    {Collective::allgather,     anyRanks,    64 * KiB,    Algorithm::bruck},
    {Collective::allgather,     anyRanks,    any,         Algorithm::ring},
    {Collective::alltoall,      2,           64 * KiB,    Algorithm::shared},
    {Collective::alltoall,      anyRanks,    16 * KiB,    Algorithm::shared},
    {Collective::alltoall,      anyRanks,    any,         Algorithm::direct},
    {Collective::alltoall,      32,          32 * KiB,    Algorithm::linear, Reach::node},
    {Collective::alltoall,      7,           32 * KiB,    Algorithm::linear},
    {Collective::alltoall,      anyRanks,    256,         Algorithm::bruck},
    {Collective::alltoall,      32,          32 * KiB,    Algorithm::linear},
    {Collective::alltoall,      anyRanks,    any,         Algorithm::pairwise},
    {Collective::reduce,        2,           any,         Algorithm::shared},
    {Collective::reduce,        anyRanks,    128 * KiB,   Algorithm::shared},
    {Collective::reduce,        anyRanks,    any,         Algorithm::direct},
    {Collective::reduce,        anyRanks,    256 * KiB,   Algorithm::shared},
    {Collective::reduce,        3,           any,         Algorithm::binomial},
    {Collective::reduce,        anyRanks,    32 * KiB,    Algorithm::binomial},
    {Collective::reduce,        anyRanks,    any,         Algorithm::halving},
    {Collective::allreduce,     anyRanks,    256 * KiB,   Algorithm::shared},
    {Collective::allreduce,     anyRanks,    any,         Algorithm::direct},
    {Collective::allreduce,     2,           32 * KiB,    Algorithm::recursiveDoubling},
    {Collective::allreduce,     2,           any,         Algorithm::halving, Reach::node},
    {Collective::allreduce,     2,           any,         Algorithm::recursiveDoubling},
    {Collective::allreduce,     anyRanks,    16 * KiB,    Algorithm::recursiveDoubling, Reach::node},
    {Collective::allreduce,     anyRanks,    4 * KiB,     Algorithm::recursiveDoubling},
    {Collective::allreduce,     anyRanks,    any,         Algorithm::halving},
    {Collective::reduceScatter, anyRanks,    64 * KiB,    Algorithm::shared},
    {Collective::reduceScatter, anyRanks,    any,         Algorithm::direct},
    {Collective::reduceScatter, anyRanks,    512,         Algorithm::recursiveDoubling},
    {Collective::reduceScatter, anyRanks,    1 * MiB,     Algorithm::halving},
    {Collective::reduceScatter, anyRanks,    any,         Algorithm::pairwise},
    {Collective::scan,          2,           128 * KiB,   Algorithm::shared},
    {Collective::scan,          2,           any,         Algorithm::recursiveDoubling},
    {Collective::scan,          16,          512 * KiB,   Algorithm::shared},
    {Collective::scan,          anyRanks,    32 * KiB,    Algorithm::recursiveDoubling},
    {Collective::scan,          16,          any,         Algorithm::pipeline},
    {Collective::scan,          anyRanks,    any,         Algorithm::recursiveDoubling},
};
// clang-format on

// Where a collective's lines begin: they stand together.
constexpr std::size_t firstRule(Collective collective) {
  std::size_t line = 0;
  while (rules[line].collective != collective)
    ++line;
  return line;
}
constexpr std::array<std::size_t, collectiveCount> firstRules = [] {
  std::array<std::size_t, collectiveCount> lines{};
  for (std::size_t i = 0; i < collectiveCount; ++i)
    lines[i] = firstRule(static_cast<Collective>(i));
  return lines;
}();

struct SettingOf {
  Collective collective;
  Setting setting;
};
constexpr SettingOf settings[] = {
    {Collective::barrier, Setting::collBarrier},
    {Collective::broadcast, Setting::collBroadcast},
    {Collective::gather, Setting::collGather},
    {Collective::scatter, Setting::collScatter},
    {Collective::allgather, Setting::collAllgather},
    {Collective::alltoall, Setting::collAlltoall},
    {Collective::reduce, Setting::collReduce},
    {Collective::allreduce, Setting::collAllreduce},
    {Collective::reduceScatter, Setting::collReduceScatter},
    {Collective::scan, Setting::collScan},
};

using Forced = std::array<std::optional<Algorithm>, collectiveCount>;

// At first what the environment says.
Forced& forced() {
  static Forced algorithms = [] {
    Forced wanted;
    for (const SettingOf& row : settings)
      for (const ChoiceRule& rule : rules)
        if (rule.collective == row.collective &&
            Config::get().word(row.setting) == algorithmName(rule.algorithm))
          wanted[static_cast<std::size_t>(row.collective)] = rule.algorithm;
    return wanted;
  }();
  return algorithms;
}

} // namespace

std::span<const ChoiceRule> choiceTable() noexcept {
  return rules;
}

void forceAlgorithm(Collective collective, std::optional<Algorithm> algorithm) noexcept {
  forced()[static_cast<std::size_t>(collective)] = algorithm;
}

Algorithm choose(Collective collective, int ranks, std::size_t bytes, Reach reach) noexcept {
  const auto isPossible = [reach](Algorithm algorithm) {
    if (algorithm == Algorithm::direct)
      return reach == Reach::processes;
    return algorithm != Algorithm::shared || reach >= Reach::segment;
  };
  if (const auto& wanted = forced()[static_cast<std::size_t>(collective)]; wanted && isPossible(*wanted))
    return *wanted;
  for (std::size_t line = firstRules[static_cast<std::size_t>(collective)];
       line < std::size(rules) && rules[line].collective == collective; ++line) {
    const ChoiceRule& rule = rules[line];
    if (ranks <= rule.maxRanks && bytes <= rule.maxBytes && reach >= rule.least && isPossible(rule.algorithm))
      return rule.algorithm;
  }
  return Algorithm::linear;
}

const char* collectiveName(Collective collective) noexcept {
  switch (collective) {
  case Collective::barrier:
    return "barrier";
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
  case Collective::scan:
    return "scan";
  }
  return "?";
}

const char* algorithmName(Algorithm algorithm) noexcept {
  switch (algorithm) {
  case Algorithm::shared:
    return "shared";
  case Algorithm::direct:
    return "direct";
  case Algorithm::dissemination:
    return "dissemination";
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
