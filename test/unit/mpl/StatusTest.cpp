#include "mpl/Status.h"

#include <gtest/gtest.h>

namespace mpl {
namespace {

TEST(Status, HoldsSixtyFourBitsOfLengthAndTheCancelledFlag) {
  MPI_Status status{};
  for (std::uint64_t bytes :
       {std::uint64_t{0}, std::uint64_t{1} << 31, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    for (bool cancelled : {false, true}) {
      statusWords::setCancelled(status, cancelled);
      statusWords::setBytes(status, bytes);
      EXPECT_EQ(statusWords::bytes(status), bytes);
      EXPECT_EQ(statusWords::cancelled(status), cancelled);
    }
  }
}

TEST(Status, OutcomeLeavesTheErrorFieldAlone) {
  MPI_Status status{};
  status.MPI_ERROR = 12345;
  Outcome{3, 4, MPI_ERR_TRUNCATE, true, 99}.writeTo(&status);
  EXPECT_EQ(status.MPI_SOURCE, 3);
  EXPECT_EQ(status.MPI_TAG, 4);
  EXPECT_EQ(status.MPI_ERROR, 12345) << "section 3.2.5: only calls that complete several set it";
  EXPECT_EQ(statusWords::bytes(status), 99U);
  EXPECT_TRUE(statusWords::cancelled(status));
}

TEST(Status, IgnoreIsIgnored) {
  Outcome::noProcess().writeTo(MPI_STATUS_IGNORE);
}

TEST(Status, EmptyAndNoProcessAreTheStandards) {
  MPI_Status status{};
  Outcome::empty().writeTo(&status);
  EXPECT_EQ(status.MPI_SOURCE, MPI_ANY_SOURCE);
  EXPECT_EQ(status.MPI_TAG, MPI_ANY_TAG);
  EXPECT_EQ(statusWords::bytes(status), 0U);
  EXPECT_FALSE(statusWords::cancelled(status));
  Outcome::noProcess().writeTo(&status);
  EXPECT_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
  EXPECT_EQ(status.MPI_TAG, MPI_ANY_TAG);
  EXPECT_EQ(statusWords::bytes(status), 0U);
}

} // namespace
} // namespace mpl
