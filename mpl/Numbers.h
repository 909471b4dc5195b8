#pragma once

#include "mpl/BasicType.h"
#include "mpl/Half.h"

#include <cfloat>
#include <type_traits>

namespace mpl {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;
#if LDBL_MANT_DIG == 113
typedef long double Quad; ///< IEEE binary128
#else
__extension__ typedef __float128 Quad; ///< IEEE binary128
#endif

/// As Fortran and C store it: real part, imaginary part.
template <class Real> struct Complex {
  Real real;
  Real imaginary;

  friend Complex operator+(Complex a, Complex b) { return {a.real + b.real, a.imaginary + b.imaginary}; }
  friend Complex operator*(Complex a, Complex b) {
    return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
  }
};

/// Whole numbers, and the unsigned type in which they are added and multiplied: overflow wraps, as users
/// expect, and is never undefined.
template <class T> struct Wrapping { using type = std::common_type_t<std::make_unsigned_t<T>, unsigned>; };
template <> struct Wrapping<Int128> { using type = Uint128; };

template <class T>
concept Whole = std::is_integral_v<T> || std::is_same_v<T, Int128>;

/// Calls visit.template operator()<T>() with the C++ type of a basic type that is a whole number, and gives
/// back true; false for others.
template <class Visit> bool withWhole(BasicType basic, Visit&& visit) {
  switch (basic) {
  case BasicType::int8:
    return visit.template operator()<std::int8_t>(), true;
  case BasicType::byte:
  case BasicType::uint8:
    return visit.template operator()<std::uint8_t>(), true;
  case BasicType::int16:
    return visit.template operator()<std::int16_t>(), true;
  case BasicType::uint16:
    return visit.template operator()<std::uint16_t>(), true;
  case BasicType::int32:
    return visit.template operator()<std::int32_t>(), true;
  case BasicType::uint32:
    return visit.template operator()<std::uint32_t>(), true;
  case BasicType::int64:
  case BasicType::long32:
    return visit.template operator()<std::int64_t>(), true;
  case BasicType::uint64:
  case BasicType::ulong32:
    return visit.template operator()<std::uint64_t>(), true;
  case BasicType::int128:
    return visit.template operator()<Int128>(), true;
  default:
    return false;
  }
}

/// The same for real numbers.
template <class Visit> bool withReal(BasicType basic, Visit&& visit) {
  switch (basic) {
  case BasicType::half:
    return visit.template operator()<Half>(), true;
  case BasicType::single:
    return visit.template operator()<float>(), true;
  case BasicType::real64:
    return visit.template operator()<double>(), true;
  case BasicType::extended:
    return visit.template operator()<long double>(), true;
  case BasicType::quad:
    return visit.template operator()<Quad>(), true;
  default:
    return false;
  }
}

/// The same for complex numbers.
template <class Visit> bool withComplex(BasicType basic, Visit&& visit) {
  switch (basic) {
  case BasicType::complexHalf:
    return visit.template operator()<Complex<Half>>(), true;
  case BasicType::complexSingle:
    return visit.template operator()<Complex<float>>(), true;
  case BasicType::complexReal64:
    return visit.template operator()<Complex<double>>(), true;
  case BasicType::complexExtended:
    return visit.template operator()<Complex<long double>>(), true;
  case BasicType::complexQuad:
    return visit.template operator()<Complex<Quad>>(), true;
  default:
    return false;
  }
}

/// The same for Fortran's logicals, as integers of their size.
template <class Visit> bool withLogical(BasicType basic, Visit&& visit) {
  switch (basic) {
  case BasicType::logical1:
    return visit.template operator()<std::int8_t>(), true;
  case BasicType::logical2:
    return visit.template operator()<std::int16_t>(), true;
  case BasicType::logical4:
    return visit.template operator()<std::int32_t>(), true;
  case BasicType::logical8:
    return visit.template operator()<std::int64_t>(), true;
  case BasicType::logical16:
    return visit.template operator()<Int128>(), true;
  default:
    return false;
  }
}

} // namespace mpl
