#include "onesided/WindowHints.h"

#include <gtest/gtest.h>

namespace mpl {
namespace {

TEST(WindowHints, DefaultsAreShown) {
  const Info hints = recognizedWindowHints(nullptr);
  EXPECT_EQ(hints.get("no_locks"), "false");
  EXPECT_EQ(hints.get("accumulate_ops"), "same_op_no_op");
  EXPECT_EQ(hints.get("accumulate_ordering"), "rar,raw,war,waw");
  EXPECT_FALSE(hints.get("mpi_minimum_memory_alignment"));
}

TEST(WindowHints, WhatIsNotUnderstoodIsLeftOut) {
  Info given;
  given.set("no_locks", "perhaps");
  given.set("accumulate_ordering", "raw,sometimes");
  given.set("accumulate_ops", "same_op");
  given.set("somebody_elses", "1");
  const Info hints = recognizedWindowHints(&given);
  EXPECT_EQ(hints.get("no_locks"), "false");
  EXPECT_EQ(hints.get("accumulate_ordering"), "rar,raw,war,waw");
  EXPECT_EQ(hints.get("accumulate_ops"), "same_op");
  EXPECT_FALSE(hints.get("somebody_elses"));
}

TEST(WindowHints, TheLayoutOfMemoryIsFixed) {
  Info hints = recognizedWindowHints(nullptr);
  Info later;
  later.set("alloc_shared_noncontig", "true");
  later.set("accumulate_ordering", "none");
  updateWindowHints(hints, later);
  EXPECT_EQ(hints.get("alloc_shared_noncontig"), "false");
  EXPECT_EQ(hints.get("accumulate_ordering"), "none");
}

} // namespace
} // namespace mpl
