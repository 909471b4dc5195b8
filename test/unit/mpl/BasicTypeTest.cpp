#include "mpl/BasicType.h"

#include <gtest/gtest.h>

namespace mpl::test {
namespace {

TEST(BasicType, SizesAgreeWithThemselves) {
  for (int i = 1; i < basicTypeCount; ++i) {
    const BasicTypeInfo& info = basicTypeInfo(static_cast<BasicType>(i));
    ASSERT_GT(info.size, 0) << i;
    EXPECT_EQ(info.size % info.alignment, 0) << i;
    EXPECT_EQ(info.size % info.part, 0) << i;
    EXPECT_LE(info.size / info.part, 2) << i;
    EXPECT_EQ(info.externalSize % (info.size / info.part), 0) << i;
  }
}

TEST(BasicType, None) {
  const BasicTypeInfo& info = basicTypeInfo(BasicType::none);
  EXPECT_EQ(info.size, 0);
  EXPECT_EQ(info.externalSize, 0);
}

TEST(BasicType, TheCompilersTypes) {
  EXPECT_EQ(basicTypeInfo(BasicType::extended).size, sizeof(long double));
  EXPECT_EQ(basicTypeInfo(BasicType::extended).alignment, alignof(long double));
  EXPECT_EQ(basicTypeInfo(BasicType::wideCharacter).size, sizeof(wchar_t));
  EXPECT_EQ(basicTypeInfo(BasicType::long32).size, sizeof(long));
  EXPECT_EQ(basicTypeInfo(BasicType::complexReal64).alignment, alignof(double));
}

} // namespace
} // namespace mpl::test
