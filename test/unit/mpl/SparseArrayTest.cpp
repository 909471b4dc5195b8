#include "mpl/SparseArray.h"

#include <gtest/gtest.h>

namespace mpl {
namespace {

TEST(SparseArray, ReadsAsEmptyUntilWritten) {
  SparseArray<int*> array(1000);
  int number = 0;
  EXPECT_EQ(array.get(0), nullptr);
  EXPECT_EQ(array.get(999), nullptr);
  array.set(999, &number);
  EXPECT_EQ(array.get(999), &number);
  EXPECT_EQ(array.get(998), nullptr);
  EXPECT_EQ(array.get(0), nullptr);
}

TEST(SparseArray, VisitsOnlyPagesThatExistAndNotBeyondTheEnd) {
  SparseArray<int> array(130);
  array.set(129, 5);
  std::size_t visited = 0;
  array.forEachPage([&](std::size_t index, int) {
    EXPECT_GE(index, 128U);
    EXPECT_LT(index, 130U);
    ++visited;
  });
  EXPECT_EQ(visited, 2U);
}

TEST(SparseArray, LengthOneAndZero) {
  SparseArray<int> one(1);
  one.set(0, 7);
  EXPECT_EQ(one.get(0), 7);
  SparseArray<int> none;
  EXPECT_EQ(none.length(), 0U);
}

} // namespace
} // namespace mpl
