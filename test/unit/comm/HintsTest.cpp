#include "comm/Hints.h"

#include <gtest/gtest.h>

namespace mpl {
namespace {

TEST(Hints, OnlyKnownKeysAreKept) {
  Info given;
  given.set("mpi_assert_no_any_tag", "true");
  given.set("somebody_elses_hint", "7");
  given.set("mpi_assert_allow_overtaking", "false");
  const Info kept = recognizedHints(given);
  EXPECT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept.get("mpi_assert_no_any_tag"), "true");
  EXPECT_EQ(kept.get("mpi_assert_allow_overtaking"), "false");
  EXPECT_FALSE(kept.get("somebody_elses_hint"));
}

} // namespace
} // namespace mpl
