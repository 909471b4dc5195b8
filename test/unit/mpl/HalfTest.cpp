#include "mpl/Half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace mpl::test {
namespace {

/// The value of a binary16 number, by the definition of the format.
double valueOf(unsigned bits) {
  const double sign = (bits & 0x8000U) != 0 ? -1.0 : 1.0;
  const int exponent = static_cast<int>(bits >> 10 & 31U);
  const double fraction = static_cast<double>(bits & 1023U) / 1024;
  if (exponent == 31)
    return fraction == 0 ? sign * HUGE_VAL : std::nan("");
  return exponent == 0 ? sign * std::ldexp(fraction, -14) : sign * std::ldexp(1 + fraction, exponent - 15);
}

/// The nearest binary16 number, ties to even, by bisection: neighbours differ by one in their bits.
std::uint16_t nearest(double value) {
  const unsigned sign = std::signbit(value) ? 0x8000U : 0;
  const double magnitude = std::fabs(value);
  unsigned low = 0;
  for (unsigned high = 0x7c00; high - low > 1;) {
    const unsigned middle = (low + high) / 2;
    (valueOf(middle) <= magnitude ? low : high) = middle;
  }
  if (magnitude >= 65520) // half-way to what would come next
    return static_cast<std::uint16_t>(sign | 0x7c00);
  if (low == 0x7bff)
    return static_cast<std::uint16_t>(sign | low);
  const double below = magnitude - valueOf(low);
  const double above = valueOf(low + 1) - magnitude;
  if (above < below || (above == below && low % 2 == 1))
    ++low;
  return static_cast<std::uint16_t>(sign | low);
}

TEST(Half, EveryNumberToFloatAndBack) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const Half half = Half::ofBits(static_cast<std::uint16_t>(bits));
    const double expected = valueOf(bits);
    if (std::isnan(expected)) {
      ASSERT_TRUE(std::isnan(half.value())) << bits;
      ASSERT_TRUE(std::isnan(Half(half.value()).value())) << bits;
    } else {
      ASSERT_EQ(static_cast<double>(half.value()), expected) << bits;
      ASSERT_EQ(std::signbit(half.value()), std::signbit(expected)) << bits;
      ASSERT_EQ(Half(half.value()).bits(), bits);
    }
  }
}

TEST(Half, RoundsToNearestTiesToEven) {
  std::mt19937 random(6);
  for (int round = 0; round < 3000; ++round) {
    const double exponent = static_cast<double>(random() % 45) - 28;
    const float value = static_cast<float>(
        (random() % 2 == 0 ? 1 : -1) *
        std::ldexp(1 + static_cast<double>(random() % 4096) / 4096, static_cast<int>(exponent)));
    ASSERT_EQ(Half(value).bits(), nearest(value)) << value;
  }
  for (const float value : {0.0F, -0.0F, 65504.0F, 65519.9F, 65520.0F, 65536.0F, 1e30F, 0x1p-24F, 0x1p-25F,
                            0x1.8p-25F, 0x1p-26F, 0x1p-14F, 0x1.ffcp-15F, 0x1.ffep-15F, 2049.0F, 2051.0F})
    EXPECT_EQ(Half(value).bits(), nearest(value)) << value;
  EXPECT_EQ(Half(HUGE_VALF).bits(), 0x7c00);
  EXPECT_EQ(Half(-HUGE_VALF).bits(), 0xfc00);
}

TEST(Half, Arithmetic) {
  EXPECT_EQ((Half(1.5F) + Half(2.25F)).value(), 3.75F);
  EXPECT_EQ((Half(1.5F) - Half(2.25F)).value(), -0.75F);
  EXPECT_EQ((Half(1.5F) * Half(-2.0F)).value(), -3.0F);
  EXPECT_EQ((Half(2048.0F) + Half(1.0F)).value(), 2048.0F) << "rounded to even";
  EXPECT_EQ((Half(60000.0F) + Half(60000.0F)).bits(), 0x7c00);
  EXPECT_TRUE(Half(-1.0F) < Half(0.5F));
  EXPECT_FALSE(Half(0.5F) < Half(0.5F));
  EXPECT_TRUE(Half(0.0F) == Half(-0.0F));
}

} // namespace
} // namespace mpl::test
