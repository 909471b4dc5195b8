#include "onesided/WindowHints.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace mpl {

namespace {

struct Hint {
  std::string_view key;
  std::string_view standard; ///< its default; empty: shown only where given
  std::string_view words;    ///< the values allowed, between bars; empty: any
};

constexpr std::array known{
    Hint{"no_locks", "false", "|true|false|"},
    Hint{"accumulate_ordering", "rar,raw,war,waw", ""},
    Hint{"accumulate_ops", "same_op_no_op", "|same_op|same_op_no_op|"},
    Hint{"mpi_accumulate_granularity", "0", ""},
    Hint{"same_size", "false", "|true|false|"},
    Hint{"same_disp_unit", "false", "|true|false|"},
    Hint{"alloc_shared_noncontig", "false", "|true|false|"},
    Hint{"mpi_minimum_memory_alignment", "", ""},
};

bool isOrdering(std::string_view value) {
  constexpr std::array words{"none", "rar", "raw", "war", "waw"};
  for (;;) {
    const auto comma = value.find(',');
    if (std::find(words.begin(), words.end(), value.substr(0, comma)) == words.end())
      return false;
    if (comma == value.npos)
      return true;
    value.remove_prefix(comma + 1);
  }
}

bool isAllowed(const Hint& hint, const std::string& value) {
  if (hint.key == "accumulate_ordering")
    return isOrdering(value);
  return hint.words.empty() || hint.words.find("|" + value + "|") != hint.words.npos;
}

} // namespace

Info recognizedWindowHints(const Info* given) {
  Info hints;
  for (const Hint& hint : known) {
    const auto value = given != nullptr ? given->get(hint.key) : std::nullopt;
    if (value && isAllowed(hint, *value))
      hints.set(hint.key, *value);
    else if (!hint.standard.empty())
      hints.set(hint.key, hint.standard);
  }
  return hints;
}

void updateWindowHints(Info& hints, const Info& given) {
  for (const Hint& hint : known) {
    if (hint.key == "alloc_shared_noncontig" || hint.key == "mpi_minimum_memory_alignment")
      continue; // the memory is there already
    if (const auto value = given.get(hint.key); value && isAllowed(hint, *value))
      hints.set(hint.key, *value);
  }
}

} // namespace mpl
