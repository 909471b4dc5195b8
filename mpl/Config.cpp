#include "mpl/Config.h"

#include "mpl/Error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <unistd.h>

namespace mpl {

namespace {

constexpr std::array table{
    SettingRow{Setting::log, "MPL_LOG", SettingKind::word, "warning", "error|warning|info|debug",
               "the last level of messages that is shown on standard error"},
    SettingRow{Setting::connectTimeout, "MPL_CONNECT_TIMEOUT", SettingKind::seconds, "120s", "",
               "how long MPI_Init waits for the launcher, and the first contact for another process"},
    SettingRow{Setting::nodeMessages, "MPL_NODE_MESSAGES", SettingKind::word, "auto", "auto|ucx",
               "how messages go between processes of a node: through memory where they share it, or by UCX"},
    SettingRow{Setting::onesided, "MPL_ONESIDED", SettingKind::word, "auto", "auto|shm|cma|rpma|ucx",
               "the first way to try to the memory of windows at other processes"},
    SettingRow{
        Setting::rpmaFlush, "MPL_RPMA_FLUSH", SettingKind::word, "read", "read|ack",
        "what a flush over RDMA takes for proof of arrival: a read behind the writes, or the device's ack"},
    SettingRow{Setting::singleton, "MPL_SINGLETON", SettingKind::flag, "0", "",
               "1: a process alone, whatever launcher is seen"},
    SettingRow{Setting::stats, "MPL_STATS", SettingKind::flag, "0", "",
               "1: each process that used windows writes its counters to standard error in MPI_Finalize"},
    SettingRow{Setting::watchInterval, "MPL_WATCH_INTERVAL", SettingKind::seconds, "100ms", "",
               "how often a waiting process looks whether the others on its node live; 0: never"},
    SettingRow{Setting::collBarrier, "MPL_COLL_BARRIER", SettingKind::word, "auto",
               "auto|shared|dissemination",
               "the algorithm of this collective, whatever the table of choices says"},
    SettingRow{Setting::collBroadcast, "MPL_COLL_BCAST", SettingKind::word, "auto",
               "auto|shared|direct|binomial|pipeline",
               "the algorithm of this collective, whatever the table of choices says"},
    SettingRow{Setting::collGather, "MPL_COLL_GATHER", SettingKind::word, "auto",
               "auto|shared|direct|linear|binomial",
               "the algorithm of this collective, whatever the table of choices says"},
    SettingRow{Setting::collScatter, "MPL_COLL_SCATTER", SettingKind::word, "auto",
               "auto|shared|direct|linear|binomial",
               "the algorithm of this collective, whatever the table of choices says"},
    SettingRow{Setting::collAllgather, "MPL_COLL_ALLGATHER", SettingKind::word, "auto",
               "auto|shared|direct|linear|bruck|ring",
               "the algorithm of this collective, whatever the table of choices says"},
    SettingRow{Setting::collAlltoall, "MPL_COLL_ALLTOALL", SettingKind::word, "auto",
               "auto|shared|direct|linear|bruck|pairwise",
               "the algorithm of this collective, whatever the table of choices says"},
    SettingRow{Setting::collReduce, "MPL_COLL_REDUCE", SettingKind::word, "auto",
               "auto|shared|direct|binomial|halving",
               "the algorithm of this collective, whatever the table of choices says"},
    SettingRow{Setting::collAllreduce, "MPL_COLL_ALLREDUCE", SettingKind::word, "auto",
               "auto|shared|direct|recursiveDoubling|halving",
               "the algorithm of this collective, whatever the table of choices says"},
    SettingRow{Setting::collReduceScatter, "MPL_COLL_REDUCE_SCATTER", SettingKind::word, "auto",
               "auto|shared|direct|recursiveDoubling|halving|pairwise",
               "the algorithm of this collective, whatever the table of choices says"},
    SettingRow{Setting::collScan, "MPL_COLL_SCAN", SettingKind::word, "auto",
               "auto|shared|recursiveDoubling|pipeline",
               "the algorithm of this collective, whatever the table of choices says"},
    SettingRow{Setting::collNodeRanks, "MPL_COLL_NODE_RANKS", SettingKind::integer, "0", "",
               "for tests: collectives take so many consecutive ranks for a node; 0: the real nodes"},
    SettingRow{Setting::check, "MPL_CHECK", SettingKind::flag, "0", "",
               "1: every collective verifies that all ranks call the same one with matching arguments"},
};

/// Read by the tools (compiler wrappers, mpiexec), not by the library.
constexpr std::array<std::string_view, 3> toolVariables{"MPL_CC", "MPL_CXX", "MPL_LAUNCHER"};

constexpr bool tableInOrder() {
  for (std::size_t i = 0; i < table.size(); ++i)
    if (static_cast<std::size_t>(table[i].setting) != i)
      return false;
  return true;
}
static_assert(tableInOrder(), "the rows stand in the order of the enumeration");

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); });
  return out;
}

struct NumberAndUnit {
  double number;
  std::string unit;
};

std::optional<NumberAndUnit> split(const std::string& text) {
  if (text.empty() || !((text[0] >= '0' && text[0] <= '9') || text[0] == '.'))
    return std::nullopt;
  if (text.size() > 1 && (text[1] == 'x' || text[1] == 'X')) // no hexadecimal floats
    return std::nullopt;
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || !std::isfinite(number))
    return std::nullopt;
  return NumberAndUnit{number, lower(end)};
}

std::optional<double> factor(SettingKind kind, const std::string& unit) {
  if (kind == SettingKind::seconds) {
    if (unit == "ms")
      return 1;
    if (unit.empty() || unit == "s")
      return 1000;
    if (unit == "min" || unit == "m")
      return 60000;
    return std::nullopt;
  }
  if (unit.empty())
    return 1;
  if (kind != SettingKind::bytes)
    return std::nullopt;
  if (unit == "k" || unit == "kb" || unit == "kib")
    return 1024.0;
  if (unit == "m" || unit == "mb" || unit == "mib")
    return 1024.0 * 1024;
  if (unit == "g" || unit == "gb" || unit == "gib")
    return 1024.0 * 1024 * 1024;
  return std::nullopt;
}

bool isChoice(std::string_view choices, std::string_view word) {
  while (!choices.empty()) {
    const auto bar = choices.find('|');
    if (choices.substr(0, bar) == word)
      return true;
    if (bar == choices.npos)
      return false;
    choices.remove_prefix(bar + 1);
  }
  return choices.empty();
}

/// The number behind a text (words: 0), or nothing when it cannot be read.
std::optional<long long> parse(const SettingRow& row, const std::string& text) {
  switch (row.kind) {
  case SettingKind::word:
    return isChoice(row.choices, text) || row.choices.empty() ? std::optional<long long>(0) : std::nullopt;
  case SettingKind::flag: {
    const std::string word = lower(text);
    if (word == "1" || word == "yes" || word == "on" || word == "true" || word == "y")
      return 1;
    if (word == "0" || word == "no" || word == "off" || word == "false" || word == "n" || word.empty())
      return 0;
    return std::nullopt;
  }
  default: {
    const auto parts = split(text);
    const auto scale = parts ? factor(row.kind, parts->unit) : std::nullopt;
    if (!scale)
      return std::nullopt;
    const double value = parts->number * *scale;
    if (value >= 9.2e18 || (row.kind == SettingKind::integer && value != std::floor(value)))
      return std::nullopt;
    return static_cast<long long>(std::llround(value));
  }
  }
}

std::string expected(const SettingRow& row) {
  switch (row.kind) {
  case SettingKind::flag:
    return "0 or 1";
  case SettingKind::integer:
    return "a whole number, 0 and up";
  case SettingKind::bytes:
    return "a number of bytes, such as 4096, 64K or 1M";
  case SettingKind::seconds:
    return "a time, such as 5, 2.5s, 100ms or 2min";
  case SettingKind::word:
    break;
  }
  return "one of " + std::string(row.choices);
}

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row[b.size()];
}

const SettingRow* find(std::string_view name) {
  const auto row =
      std::find_if(table.begin(), table.end(), [&](const SettingRow& r) { return r.name == name; });
  return row == table.end() ? nullptr : &*row;
}

std::vector<std::string> environmentStrings() {
  std::vector<std::string> strings;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    strings.emplace_back(*entry);
  return strings;
}

} // namespace

std::span<const SettingRow> settingTable() noexcept {
  return table;
}

std::string_view nearestSettingName(std::string_view name) {
  std::string_view best;
  std::size_t bestDistance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const SettingRow& row : table) {
    const std::size_t d = distance(name, row.name);
    if (d < bestDistance) {
      bestDistance = d;
      best = row.name;
    }
  }
  return best;
}

Config::Config(std::span<const std::string> environment) : values_(table.size()) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    values_[i].text = table[i].defaultValue;
    values_[i].number = parse(table[i], values_[i].text).value_or(0);
  }
  for (const std::string& entry : environment) {
    const auto equals = entry.find('=');
    if (!entry.starts_with("MPL_") || equals == entry.npos)
      continue;
    const std::string name = entry.substr(0, equals);
    const std::string value = entry.substr(equals + 1);
    const SettingRow* row = find(name);
    if (row == nullptr) {
      if (std::find(toolVariables.begin(), toolVariables.end(), name) != toolVariables.end())
        continue;
      const std::string_view near = nearestSettingName(name);
      complaints_.push_back(near.empty()
                                ? mpl::text("the environment variable ", name, " is not known here: ignored")
                                : mpl::text("the environment variable ", name,
                                            " is not known here: ignored (did you mean ", near, "?)"));
      continue;
    }
    if (const auto number = parse(*row, value)) {
      Value& slot = values_[static_cast<std::size_t>(row->setting)];
      slot = Value{value, true, *number};
    } else {
      complaints_.push_back(mpl::text(name, "=", value, " cannot be read: it takes ", expected(*row), "; ",
                                      row->defaultValue, " is used"));
    }
  }
}

const Config& Config::get() {
  static const Config config(environmentStrings());
  return config;
}

const Config::Value& Config::at(Setting setting, SettingKind kind) const {
  const auto index = static_cast<std::size_t>(setting);
  if (table[index].kind != kind)
    fail(MPI_ERR_INTERN, table[index].name, " is read as a setting of another kind");
  return values_[index];
}

bool Config::flag(Setting setting) const {
  return at(setting, SettingKind::flag).number != 0;
}
long long Config::integer(Setting setting) const {
  return at(setting, SettingKind::integer).number;
}
std::size_t Config::bytes(Setting setting) const {
  return static_cast<std::size_t>(at(setting, SettingKind::bytes).number);
}
std::chrono::milliseconds Config::duration(Setting setting) const {
  return std::chrono::milliseconds(at(setting, SettingKind::seconds).number);
}
const std::string& Config::word(Setting setting) const {
  return at(setting, SettingKind::word).text;
}

const std::string& Config::text(Setting setting) const {
  return values_[static_cast<std::size_t>(setting)].text;
}
bool Config::fromUser(Setting setting) const {
  return values_[static_cast<std::size_t>(setting)].fromUser;
}

} // namespace mpl
