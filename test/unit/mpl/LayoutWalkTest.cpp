#include "mpl/LayoutWalk.h"

#include "mpl/DatatypeConstructors.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace mpl::test {
namespace {

/// What a walk visits: where, and how many bytes.
struct Visits {
  using Place = std::pair<std::uintptr_t, std::size_t>;

  void run(std::uintptr_t at, std::size_t bytes, BasicType) { runs.emplace_back(at, bytes); }
  void strided(std::uintptr_t at, MPI_Count count, MPI_Count, std::size_t bytes, BasicType) {
    for (MPI_Count i = 0; i < count; ++i)
      several.emplace_back(at, bytes);
  }
  void scattered(std::uintptr_t at, const MPI_Count*, MPI_Count count, std::size_t bytes, BasicType) {
    strided(at, count, 0, bytes, BasicType::none);
  }

  std::vector<Place> runs;
  std::vector<Place> several;
};

Visits visitsOf(const Datatype& type, MPI_Count count, MPI_Count stride) {
  Visits visits;
  LayoutWalk(visits).loop(*type.layout().root(), 1000, count, stride);
  return visits;
}

using Places = std::vector<Visits::Place>;

// Byte by byte a long message would take twenty times as long.
TEST(LayoutWalk, ElementsWithoutGapsAreOneRun) {
  Datatype& byte = datatypeOf(MPI_BYTE);
  const Visits whole = visitsOf(byte, 65536, 1);
  EXPECT_EQ(whole.runs, (Places{{1000, 65536}}));
  EXPECT_TRUE(whole.several.empty());
  EXPECT_EQ(visitsOf(*makeContiguous<MPI_Count>(3, byte), 5, 3).runs, (Places{{1000, 15}}));

  Visits part;
  LayoutWalk(part).loopPart(*datatypeOf(MPI_INT).layout().root(), 1000, 4, 2, 4001);
  EXPECT_EQ(part.runs, (Places{{1002, 2}, {1004, 3996}, {5000, 1}}));
  EXPECT_TRUE(part.several.empty());
}

TEST(LayoutWalk, ElementsWithGapsAreNot) {
  const Visits visits = visitsOf(datatypeOf(MPI_INT), 3, 8);
  EXPECT_TRUE(visits.runs.empty());
  EXPECT_EQ(visits.several.size(), 3U);
  EXPECT_TRUE(visitsOf(datatypeOf(MPI_INT), 0, 4).runs.empty());
}

} // namespace
} // namespace mpl::test
