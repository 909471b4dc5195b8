#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mpl {

/// The library's settings: one name here, one row in the table of Config.cpp, and nothing else makes a new
/// MPL_* environment variable.
enum class Setting {
  log,
  connectTimeout,
  nodeMessages,
  onesided,
  rpmaFlush,
  singleton,
  stats,
  watchInterval,
  collBarrier,
  collBroadcast,
  collGather,
  collScatter,
  collAllgather,
  collAlltoall,
  collReduce,
  collAllreduce,
  collReduceScatter,
  collScan,
  collNodeRanks,
  check,
};

enum class SettingKind { flag, integer, bytes, seconds, word };

struct SettingRow {
  Setting setting;
  std::string_view name;         ///< the environment variable
  SettingKind kind;              ///< how the text is read
  std::string_view defaultValue; ///< in the form in which a user would write it
  std::string_view
      choices; ///< word: the words allowed, joined by '|'; integer, bytes, seconds: "" (0 and up)
  std::string_view meaning; ///< one line for mpl_info
};

/// All rows, in the order of the enumeration.
std::span<const SettingRow> settingTable() noexcept;

/// What the environment says. Read once, at the first use; a text that cannot be read gives the default and a
/// complaint. After construction an object never changes, so every thread may use it.
class Config {
public:
  /// environment: "NAME=value" strings; names that do not begin with MPL_ are passed over.
  explicit Config(std::span<const std::string> environment);

  /// The one made from this process's environment.
  static const Config& get();

  bool flag(Setting setting) const;
  long long integer(Setting setting) const;
  std::size_t bytes(Setting setting) const;
  std::chrono::milliseconds duration(Setting setting) const;
  const std::string& word(Setting setting) const;

  /// The text in force, and whether the user gave it.
  const std::string& text(Setting setting) const;
  bool fromUser(Setting setting) const;

  /// One line for each unreadable value and each unknown MPL_* variable (with the nearest known name).
  const std::vector<std::string>& complaints() const noexcept { return complaints_; }

private:
  struct Value {
    std::string text;
    bool fromUser = false;
    long long number = 0; ///< flag 0/1, integer, bytes; seconds in milliseconds
  };
  const Value& at(Setting setting, SettingKind kind) const;

  std::vector<Value> values_;
  std::vector<std::string> complaints_;
};

/// The known variable closest to name (edit distance), or "" when none is near.
std::string_view nearestSettingName(std::string_view name);

} // namespace mpl
