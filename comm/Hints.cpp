#include "comm/Hints.h"

namespace mpl {

namespace {

constexpr std::string_view known[] = {
    "mpi_assert_no_any_tag",
    "mpi_assert_no_any_source",
    "mpi_assert_exact_length",
    "mpi_assert_allow_overtaking",
};

} // namespace

Info recognizedHints(const Info& given) {
  Info kept;
  for (std::string_view key : known)
    if (const auto value = given.get(key))
      kept.set(key, *value);
  return kept;
}

} // namespace mpl
