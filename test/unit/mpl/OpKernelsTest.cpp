#include "mpl/OpKernels.h"

#include "mpl/FortranLogical.h"
#include "mpl/Numbers.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <cstddef>
#include <cstring>
#include <functional>
#include <limits>

namespace mpl::test {
namespace {

using Kind = Op::Kind;

/// Runs an operation at several lengths and misalignments and compares with a plain loop.
template <class T>
void check(MPI_Op op, MPI_Datatype type, const std::vector<T>& a, const std::vector<T>& b,
           const std::function<T(T, T)>& expected) {
  const Datatype& datatype = datatypeOf(type);
  ASSERT_EQ(datatype.size(), sizeof(T)) << datatype.name();
  ASSERT_TRUE(opOf(op).isDefinedFor(datatype)) << opOf(op).name() << " " << datatype.name();
  for (const std::size_t count : {1U, 2U, 7U, 16U, 33U, 100U, 301U})
    for (const std::size_t shift : {0U, 1U}) {
      std::vector<unsigned char> in(count * sizeof(T) + shift);
      std::vector<unsigned char> inout(count * sizeof(T) + shift + 1, 0xEE);
      for (std::size_t i = 0; i < count; ++i) {
        std::memcpy(in.data() + shift + i * sizeof(T), &a[i % a.size()], sizeof(T));
        std::memcpy(inout.data() + shift + i * sizeof(T), &b[(i / a.size() + i) % b.size()], sizeof(T));
      }
      const std::vector<unsigned char> before = inout;
      opOf(op).apply(in.data() + shift, inout.data() + shift, static_cast<MPI_Count>(count), datatype);
      // The others have padding, and no vectors.
      const int most =
          std::is_arithmetic_v<T> && sizeof(T) <= 8 ? static_cast<int>(opKernels::vectorsHere) : -1;
      for (int vectors = 0; vectors <= most; ++vectors) {
        std::vector<unsigned char> other = before;
        opKernels::reduce(opOf(op).kind(), datatype.basic(), in.data() + shift, other.data() + shift, count,
                          static_cast<opKernels::Vectors>(vectors));
        ASSERT_EQ(other, inout) << "vectors " << vectors;
      }
      for (std::size_t i = 0; i < count; ++i) {
        T got;
        std::memcpy(static_cast<void*>(&got), inout.data() + shift + i * sizeof(T), sizeof(T));
        ASSERT_TRUE(got == expected(a[i % a.size()], b[(i / a.size() + i) % b.size()]))
            << opOf(op).name() << " on " << datatype.name() << ", element " << i << " of " << count;
      }
      ASSERT_EQ(inout.back(), 0xEE);
    }
}

template <class T> struct Limits {
  static T lowest() { return std::numeric_limits<T>::min(); }
  static T highest() { return std::numeric_limits<T>::max(); }
};
template <> struct Limits<Int128> {
  static Int128 lowest() { return static_cast<Int128>(Uint128{1} << 127); }
  static Int128 highest() { return static_cast<Int128>(~(Uint128{1} << 127)); }
};

template <class T> std::vector<T> someIntegers(int step) {
  std::vector<T> values = {T{0},
                           T{1},
                           T{2},
                           T{100},
                           Limits<T>::lowest(),
                           Limits<T>::highest(),
                           static_cast<T>(Limits<T>::highest() / 3)};
  for (int i = 0; i < 10; ++i)
    values.push_back(static_cast<T>(i * step - 40));
  return values;
}

template <class T> void checkArithmetic(MPI_Datatype type) {
  const auto a = someIntegers<T>(7);
  const auto b = someIntegers<T>(11);
  // In 128 bits nothing overflows that matters; cut down to T it wraps.
  check<T>(MPI_SUM, type, a, b,
           [](T x, T y) { return static_cast<T>(static_cast<Uint128>(x) + static_cast<Uint128>(y)); });
  check<T>(MPI_PROD, type, a, b,
           [](T x, T y) { return static_cast<T>(static_cast<Uint128>(x) * static_cast<Uint128>(y)); });
  check<T>(MPI_MIN, type, a, b, [](T x, T y) { return x < y ? x : y; });
  check<T>(MPI_MAX, type, a, b, [](T x, T y) { return x < y ? y : x; });
}

template <class T> void checkBits(MPI_Datatype type) {
  const auto a = someIntegers<T>(7);
  const auto b = someIntegers<T>(11);
  check<T>(MPI_BAND, type, a, b, [](T x, T y) { return static_cast<T>(x & y); });
  check<T>(MPI_BOR, type, a, b, [](T x, T y) { return static_cast<T>(x | y); });
  check<T>(MPI_BXOR, type, a, b, [](T x, T y) { return static_cast<T>(x ^ y); });
}

template <class T>
void checkTruth(MPI_Datatype type, std::vector<T> a, std::vector<T> b, T yes = T{1}, T no = T{0}) {
  const auto truth = [=](bool value) { return value ? yes : no; };
  check<T>(MPI_LAND, type, a, b, [=](T x, T y) { return truth(x != no && y != no); });
  check<T>(MPI_LOR, type, a, b, [=](T x, T y) { return truth(x != no || y != no); });
  check<T>(MPI_LXOR, type, a, b, [=](T x, T y) { return truth((x != no) != (y != no)); });
}

template <class T> void checkCInteger(std::initializer_list<MPI_Datatype> types) {
  for (const MPI_Datatype type : types) {
    checkArithmetic<T>(type);
    checkBits<T>(type);
    checkTruth<T>(type, someIntegers<T>(7), someIntegers<T>(11));
  }
}

template <class T> void checkOtherInteger(std::initializer_list<MPI_Datatype> types) {
  for (const MPI_Datatype type : types) {
    checkArithmetic<T>(type);
    checkBits<T>(type);
  }
}

TEST(OpKernels, CIntegers) {
  checkCInteger<signed char>({MPI_SIGNED_CHAR, MPI_INT8_T});
  checkCInteger<unsigned char>({MPI_UNSIGNED_CHAR, MPI_UINT8_T});
  checkCInteger<short>({MPI_SHORT, MPI_INT16_T});
  checkCInteger<unsigned short>({MPI_UNSIGNED_SHORT, MPI_UINT16_T});
  checkCInteger<int>({MPI_INT, MPI_INT32_T});
  checkCInteger<unsigned>({MPI_UNSIGNED, MPI_UINT32_T});
  checkCInteger<long>({MPI_LONG, MPI_INT64_T});
  checkCInteger<unsigned long>({MPI_UNSIGNED_LONG, MPI_UINT64_T});
  checkCInteger<long long>({MPI_LONG_LONG});
  checkCInteger<unsigned long long>({MPI_UNSIGNED_LONG_LONG});
}

TEST(OpKernels, OtherIntegers) {
  checkOtherInteger<std::int8_t>({MPI_INTEGER1, f90Integer(2)});
  checkOtherInteger<std::int16_t>({MPI_INTEGER2, f90Integer(4)});
  checkOtherInteger<std::int32_t>({MPI_INTEGER, MPI_INTEGER4, f90Integer(9)});
  checkOtherInteger<std::int64_t>({MPI_INTEGER8, MPI_AINT, MPI_OFFSET, MPI_COUNT, f90Integer(18)});
  checkOtherInteger<Int128>({MPI_INTEGER16, f90Integer(38)});
  checkBits<unsigned char>(MPI_BYTE);
}

TEST(OpKernels, Logicals) {
  for (const MPI_Datatype type : {MPI_C_BOOL, MPI_CXX_BOOL})
    checkTruth<std::uint8_t>(type, {0, 1, 1, 0, 1}, {0, 0, 1});
  checkTruth<std::int8_t>(MPI_LOGICAL1, {0, 1, 1, 0, 1}, {0, 0, 1});
  checkTruth<std::int16_t>(MPI_LOGICAL2, {0, 1, 1, 0, 1}, {0, 0, 1});
  checkTruth<std::int32_t>(MPI_LOGICAL, {0, 1, 1, 0, 1, 5}, {0, 0, 1});
  checkTruth<std::int32_t>(MPI_LOGICAL4, {0, 1, 1, 0, 1}, {0, 0, 1});
  checkTruth<std::int64_t>(MPI_LOGICAL8, {0, 1, 1, 0, 1}, {0, 0, 1});
  checkTruth<Int128>(MPI_LOGICAL16, {0, 1, 1, 0, 1}, {0, 0, 1});
}

TEST(OpKernels, LogicalsOfOtherFortranCompilers) {
  fortranLogical.trueValue = -1;
  checkTruth<std::int32_t>(MPI_LOGICAL, {0, -1, -1, 0, -1}, {0, 0, -1}, -1, 0);
  checkTruth<Int128>(MPI_LOGICAL16, {0, -1, -1, 0, -1}, {0, 0, -1}, -1, 0);
  fortranLogical.falseValue = 2;
  checkTruth<std::int8_t>(MPI_LOGICAL1, {2, -1, -1, 2, -1}, {2, 2, -1}, -1, 2);
  fortranLogical.trueValue = 1;
  fortranLogical.falseValue = 0;
}

template <class T> void checkReal(std::initializer_list<MPI_Datatype> types) {
  const auto make = [](double value) { return static_cast<T>(static_cast<float>(value)); };
  std::vector<T> a;
  std::vector<T> b;
  for (int i = 0; i < 12; ++i) {
    a.push_back(make(i * 0.75 - 4));
    b.push_back(make(6.5 - i * 1.25));
  }
  for (const MPI_Datatype type : types) {
    check<T>(MPI_SUM, type, a, b, [](T x, T y) { return x + y; });
    check<T>(MPI_PROD, type, a, b, [](T x, T y) { return x * y; });
    check<T>(MPI_MIN, type, a, b, [](T x, T y) { return x < y ? x : y; });
    check<T>(MPI_MAX, type, a, b, [](T x, T y) { return x < y ? y : x; });
  }
}

TEST(OpKernels, RealNumbers) {
  checkReal<Half>({MPI_REAL2});
  checkReal<float>({MPI_FLOAT, MPI_REAL, MPI_REAL4, f90Real(6, 37)});
  checkReal<double>({MPI_DOUBLE, MPI_DOUBLE_PRECISION, MPI_REAL8, f90Real(15, 307)});
  checkReal<long double>({MPI_LONG_DOUBLE, f90Real(18, 4931)});
  checkReal<Quad>({MPI_REAL16, f90Real(33, 4931)});
}

template <class Real> struct SameComplex : Complex<Real> {
  friend bool operator==(SameComplex a, SameComplex b) {
    return a.real == b.real && a.imaginary == b.imaginary;
  }
};

template <class Real> void checkComplex(std::initializer_list<MPI_Datatype> types) {
  using T = SameComplex<Real>;
  const auto make = [](double value) { return static_cast<Real>(static_cast<float>(value)); };
  std::vector<T> a;
  std::vector<T> b;
  for (int i = 0; i < 12; ++i) {
    a.push_back({{make(i * 0.75 - 4), make(3 - i)}});
    b.push_back({{make(6.5 - i), make(i * 0.5)}});
  }
  for (const MPI_Datatype type : types) {
    check<T>(MPI_SUM, type, a, b, [](T x, T y) { return T{{x.real + y.real, x.imaginary + y.imaginary}}; });
    check<T>(MPI_PROD, type, a, b, [](T x, T y) {
      return T{{x.real * y.real - x.imaginary * y.imaginary, x.real * y.imaginary + x.imaginary * y.real}};
    });
  }
}

TEST(OpKernels, ComplexNumbers) {
  checkComplex<Half>({MPI_COMPLEX4});
  checkComplex<float>(
      {MPI_COMPLEX, MPI_COMPLEX8, MPI_C_FLOAT_COMPLEX, MPI_CXX_FLOAT_COMPLEX, f90Complex(6, 37)});
  checkComplex<double>({MPI_DOUBLE_COMPLEX, MPI_COMPLEX16, MPI_C_DOUBLE_COMPLEX, MPI_CXX_DOUBLE_COMPLEX});
  checkComplex<long double>({MPI_C_LONG_DOUBLE_COMPLEX, MPI_CXX_LONG_DOUBLE_COMPLEX});
  checkComplex<Quad>({MPI_COMPLEX32});
}

/// Stores a pair of small whole numbers in the types of a datatype.
using PairWriter = void (*)(unsigned char* at, int value, int index);

template <class Value, class Index> struct PairOf {
  Value value;
  Index index;

  static void write(unsigned char* at, int value, int index) {
    const auto storedValue = static_cast<Value>(static_cast<float>(value));
    const auto storedIndex = static_cast<Index>(static_cast<float>(index));
    // Long doubles have bytes that hold nothing; they stay as they are.
    std::memcpy(at, &storedValue,
                std::is_same_v<Value, long double> && LDBL_MANT_DIG == 64 ? 10 : sizeof(Value));
    std::memcpy(at + offsetof(PairOf, index), &storedIndex, sizeof(Index));
  }
};

void checkPairs(const Datatype& datatype, std::size_t extent, PairWriter write) {
  ASSERT_EQ(datatype.extent(), static_cast<MPI_Count>(extent)) << datatype.name();
  // Bytes that a pair leaves as they are hold nothing.
  std::vector<unsigned char> zeros(extent, 0);
  std::vector<unsigned char> ones(extent, 0xFF);
  write(zeros.data(), 1, 1);
  write(ones.data(), 1, 1);
  for (const bool smallest : {true, false}) {
    std::vector<unsigned char> in(27 * extent);
    std::vector<unsigned char> inout(27 * extent);
    std::vector<unsigned char> expected(27 * extent);
    std::size_t at = 0;
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b)
        for (int i = 1; i < 4; ++i, at += extent) {
          write(in.data() + at, a, i);
          write(inout.data() + at, b, 2);
          const bool takes = smallest ? a < b : b < a;
          write(expected.data() + at, takes ? a : b, takes || (a == b && i < 2) ? i : 2);
        }
    const Op& op = opOf(smallest ? MPI_MINLOC : MPI_MAXLOC);
    op.apply(in.data(), inout.data(), 27, datatype);
    for (at = 0; at < expected.size(); ++at)
      if (zeros[at % extent] == ones[at % extent]) {
        ASSERT_EQ(inout[at], expected[at]) << op.name() << " " << datatype.name() << ", byte " << at;
      }
  }
}

template <class Value, class Index> void checkPairs(MPI_Datatype type) {
  checkPairs(datatypeOf(type), sizeof(PairOf<Value, Index>), &PairOf<Value, Index>::write);
}

TEST(OpKernels, NamedPairs) {
  checkPairs<float, int>(MPI_FLOAT_INT);
  checkPairs<double, int>(MPI_DOUBLE_INT);
  checkPairs<long, int>(MPI_LONG_INT);
  checkPairs<int, int>(MPI_2INT);
  checkPairs<short, int>(MPI_SHORT_INT);
  checkPairs<long double, int>(MPI_LONG_DOUBLE_INT);
  checkPairs<float, float>(MPI_2REAL);
  checkPairs<double, double>(MPI_2DOUBLE_PRECISION);
  checkPairs<int, int>(MPI_2INTEGER);
}

template <class Value> void checkUnnamedPairs(MPI_Datatype value) {
  const auto pair = [&](MPI_Datatype index) { return valueIndexPair(datatypeOf(value), datatypeOf(index)); };
  checkPairs<Value, std::int8_t>(pair(MPI_INT8_T));
  checkPairs<Value, std::uint16_t>(pair(MPI_UINT16_T));
  checkPairs<Value, std::int32_t>(pair(MPI_INT32_T));
  checkPairs<Value, std::int64_t>(pair(MPI_INT64_T));
  checkPairs<Value, std::uint64_t>(pair(MPI_UINT64_T));
  checkPairs<Value, MPI_Count>(pair(MPI_COUNT));
  checkPairs<Value, Int128>(pair(MPI_INTEGER16));
}

TEST(OpKernels, UnnamedPairs) {
  checkUnnamedPairs<std::int8_t>(MPI_INT8_T);
  checkUnnamedPairs<std::uint8_t>(MPI_UINT8_T);
  checkUnnamedPairs<std::int64_t>(MPI_INT64_T);
  checkUnnamedPairs<Int128>(MPI_INTEGER16);
  checkUnnamedPairs<Half>(MPI_REAL2);
  checkUnnamedPairs<float>(MPI_FLOAT);
  checkUnnamedPairs<double>(MPI_DOUBLE);
  checkUnnamedPairs<long double>(MPI_LONG_DOUBLE);
  checkUnnamedPairs<Quad>(MPI_REAL16);
}

TEST(OpKernels, SignsOfIndices) {
  struct Signed {
    float value;
    std::int64_t index;
  };
  const Datatype& pairs = datatypeOf(valueIndexPair(datatypeOf(MPI_FLOAT), datatypeOf(MPI_INT64_T)));
  const Signed in[2] = {{1, -5}, {1, 3}};
  Signed inout[2] = {{1, 2}, {1, -7}};
  opOf(MPI_MAXLOC).apply(in, inout, 2, pairs);
  EXPECT_EQ(inout[0].index, -5);
  EXPECT_EQ(inout[1].index, -7);
  struct Unsigned {
    float value;
    std::uint64_t index;
  };
  const Datatype& others = datatypeOf(valueIndexPair(datatypeOf(MPI_FLOAT), datatypeOf(MPI_UINT64_T)));
  const Unsigned from[1] = {{1, UINT64_MAX}};
  Unsigned to[1] = {{1, 2}};
  opOf(MPI_MINLOC).apply(from, to, 1, others);
  EXPECT_EQ(to[0].index, 2U);
}

} // namespace
} // namespace mpl::test
