#pragma once

#include <bit>
#include <cstdint>

namespace mpl {

/// IEEE binary16, for MPI_REAL2 and MPI_COMPLEX4: computes in float and rounds to nearest, ties to even.
/// Written out because not every compiler that builds MPL has a type for it.
class Half {
public:
  Half() = default;
  explicit Half(float value) : bits_(fromFloat(value)) {}
  static Half ofBits(std::uint16_t bits) {
    Half half;
    half.bits_ = bits;
    return half;
  }
  std::uint16_t bits() const { return bits_; }
  float value() const { return toFloat(bits_); }

  friend Half operator+(Half a, Half b) { return Half(a.value() + b.value()); }
  friend Half operator-(Half a, Half b) { return Half(a.value() - b.value()); }
  friend Half operator*(Half a, Half b) { return Half(a.value() * b.value()); }
  friend bool operator<(Half a, Half b) { return a.value() < b.value(); }
  friend bool operator==(Half a, Half b) { return a.value() == b.value(); }

private:
  static float toFloat(std::uint16_t bits) {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
    const std::uint32_t exponent = (bits >> 10) & 0x1fU;
    const std::uint32_t fraction = bits & 0x3ffU;
    if (exponent == 0x1f) // infinite or not a number
      return std::bit_cast<float>(sign | 0x7f800000U | fraction << 13);
    if (exponent == 0) { // subnormal: fraction times 2^-24
      const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
      return sign != 0 ? -magnitude : magnitude;
    }
    return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  }

  static std::uint16_t fromFloat(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000U);
    const std::uint32_t magnitude = bits & 0x7fffffffU;
    if (magnitude > 0x7f800000U) // not a number: keep it quiet and not zero
      return static_cast<std::uint16_t>(sign | 0x7e00U | (magnitude >> 13 & 0x3ffU));
    if (magnitude >= 0x477ff000U) // rounds to 65536 or more
      return static_cast<std::uint16_t>(sign | 0x7c00U);
    if (magnitude <
        0x38800000U) { // below 2^-14: adding 0.5 leaves the rounded multiple of 2^-24 in the low bits
      const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
      return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000U));
    }
    const std::uint32_t odd = magnitude >> 13 & 1U;
    return static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000U + 0xfffU + odd) >> 13));
  }

  std::uint16_t bits_;
};

} // namespace mpl
