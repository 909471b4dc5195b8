#include "mpl/External32.h"

#include "mpl/Numbers.h"
#include "mpl/PredefinedTypes.h"
#include "test/unit/mpl/ReferenceType.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>

namespace mpl::test {
namespace {

using Bytes = std::vector<unsigned char>;

template <class T> Bytes packed(MPI_Datatype handle, const std::vector<T>& values) {
  const Datatype& type = datatypeOf(handle);
  const auto count = static_cast<MPI_Count>(values.size() * sizeof(T)) / type.extent();
  Bytes out(static_cast<std::size_t>(external32::size(type, count)) + 1, 0xEE);
  const MPI_Count written = external32::pack(type, count, values.data(), out.data());
  EXPECT_EQ(written, external32::size(type, count));
  EXPECT_EQ(out.back(), 0xEE);
  out.pop_back();
  return out;
}

/// Packs, compares every bit, unpacks, compares again.
template <class T> void expectBytes(MPI_Datatype handle, const T& value, const Bytes& expected) {
  const Datatype& type = datatypeOf(handle);
  ASSERT_EQ(type.size(), sizeof(T)) << type.name();
  EXPECT_EQ(packed(handle, std::vector<T>{value}), expected) << type.name();
  T back;
  std::memset(static_cast<void*>(&back), 0x55, sizeof back);
  EXPECT_EQ(external32::unpack(type, 1, expected.data(), &back), static_cast<MPI_Count>(expected.size()));
  EXPECT_TRUE(back == value) << type.name();
}

TEST(External32, Integers) {
  expectBytes<signed char>(MPI_SIGNED_CHAR, -2, {0xFE});
  expectBytes<char>(MPI_CHAR, 'A', {0x41});
  expectBytes<short>(MPI_SHORT, -2, {0xFF, 0xFE});
  expectBytes<unsigned short>(MPI_UNSIGNED_SHORT, 0x1234, {0x12, 0x34});
  expectBytes<int>(MPI_INT, 0x12345678, {0x12, 0x34, 0x56, 0x78});
  expectBytes<int>(MPI_INTEGER, -3, {0xFF, 0xFF, 0xFF, 0xFD});
  expectBytes<unsigned>(MPI_UNSIGNED, 0xDEADBEEF, {0xDE, 0xAD, 0xBE, 0xEF});
  expectBytes<long long>(MPI_LONG_LONG, -2, {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE});
  expectBytes<std::int64_t>(MPI_INT64_T, 0x0102030405060708, {1, 2, 3, 4, 5, 6, 7, 8});
  expectBytes<MPI_Aint>(MPI_AINT, 0x0102030405060708, {1, 2, 3, 4, 5, 6, 7, 8});
  expectBytes<MPI_Count>(MPI_COUNT, 258, {0, 0, 0, 0, 0, 0, 1, 2});
  expectBytes<unsigned char>(MPI_C_BOOL, 1, {1});
  expectBytes<int>(MPI_LOGICAL, 1, {0, 0, 0, 1});
  expectBytes<std::int64_t>(MPI_LOGICAL8, 1, {0, 0, 0, 0, 0, 0, 0, 1});
  expectBytes<Int128>(MPI_INTEGER16, Int128{1} << 64 | 2, {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2});
}

// The representation was made for machines whose long has 4 bytes (section 14.5.2, table of sizes).
TEST(External32, LongsHaveFourBytes) {
  expectBytes<long>(MPI_LONG, 0x12345678, {0x12, 0x34, 0x56, 0x78});
  expectBytes<long>(MPI_LONG, -2, {0xFF, 0xFF, 0xFF, 0xFE});
  expectBytes<unsigned long>(MPI_UNSIGNED_LONG, 0xFFFFFFFE, {0xFF, 0xFF, 0xFF, 0xFE});
  EXPECT_EQ(packed(MPI_LONG, std::vector<long>{0x1122334455667788}), (Bytes{0x55, 0x66, 0x77, 0x88}));
  EXPECT_EQ(external32::size(datatypeOf(MPI_LONG_INT), 3), 24);
}

TEST(External32, WideCharactersHaveTwoBytes) {
  expectBytes<wchar_t>(MPI_WCHAR, L'\u20AC', {0x20, 0xAC});
}

TEST(External32, RealNumbers) {
  expectBytes<float>(MPI_FLOAT, 1.0F, {0x3F, 0x80, 0, 0});
  expectBytes<float>(MPI_REAL, -2.5F, {0xC0, 0x20, 0, 0});
  expectBytes<double>(MPI_DOUBLE, 1.0, {0x3F, 0xF0, 0, 0, 0, 0, 0, 0});
  expectBytes<double>(MPI_REAL8, -0.1, {0xBF, 0xB9, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9A});
  const Half half(1.5F);
  EXPECT_EQ(packed(MPI_REAL2, std::vector<Half>{half}), (Bytes{0x3E, 0x00}));
}

TEST(External32, ComplexNumbersAreTwoRealOnes) {
  expectBytes<std::complex<float>>(MPI_C_FLOAT_COMPLEX, {1.0F, -2.5F}, {0x3F, 0x80, 0, 0, 0xC0, 0x20, 0, 0});
  expectBytes<std::complex<double>>(MPI_DOUBLE_COMPLEX, {1.0, 2.0},
                                    {0x3F, 0xF0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0});
  expectBytes<std::complex<long double>>(MPI_C_LONG_DOUBLE_COMPLEX, {1.0L, -1.0L},
                                         {0x3F, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                          0xBF, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
}

// binary128: sign, 15 bits of exponent with bias 16383, 112 bits of fraction.
TEST(External32, LongDoublesAreBinary128) {
  expectBytes<long double>(MPI_LONG_DOUBLE, 1.0L, {0x3F, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  expectBytes<long double>(MPI_LONG_DOUBLE, -1.5L, {0xBF, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  expectBytes<long double>(MPI_LONG_DOUBLE, 0.0L, Bytes(16, 0));
#if LDBL_MANT_DIG == 64
  // All 64 bits of the x87 fraction: its leading bit is implicit in binary128, and 49 zero bits follow.
  expectBytes<long double>(MPI_LONG_DOUBLE, 2.0L - 0x1p-63L,
                           {0x3F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE, 0, 0, 0, 0, 0, 0});
#endif
  expectBytes<Quad>(MPI_REAL16, Quad(-2), {0xC0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  const long double infinite = HUGE_VALL;
  expectBytes<long double>(MPI_LONG_DOUBLE, infinite, {0x7F, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  long double back = 0;
  const Bytes nan = packed(MPI_LONG_DOUBLE, std::vector<long double>{std::nanl("")});
  external32::unpack(datatypeOf(MPI_LONG_DOUBLE), 1, nan.data(), &back);
  EXPECT_TRUE(std::isnan(back));
}

TEST(External32, SizesOfTheTable) {
  const std::pair<MPI_Datatype, MPI_Count> table[] = {
      {MPI_PACKED, 1},
      {MPI_BYTE, 1},
      {MPI_CHAR, 1},
      {MPI_UNSIGNED_CHAR, 1},
      {MPI_SIGNED_CHAR, 1},
      {MPI_WCHAR, 2},
      {MPI_SHORT, 2},
      {MPI_UNSIGNED_SHORT, 2},
      {MPI_INT, 4},
      {MPI_LONG, 4},
      {MPI_UNSIGNED, 4},
      {MPI_UNSIGNED_LONG, 4},
      {MPI_LONG_LONG_INT, 8},
      {MPI_UNSIGNED_LONG_LONG, 8},
      {MPI_FLOAT, 4},
      {MPI_DOUBLE, 8},
      {MPI_LONG_DOUBLE, 16},
      {MPI_C_BOOL, 1},
      {MPI_INT8_T, 1},
      {MPI_INT16_T, 2},
      {MPI_INT32_T, 4},
      {MPI_INT64_T, 8},
      {MPI_UINT8_T, 1},
      {MPI_UINT16_T, 2},
      {MPI_UINT32_T, 4},
      {MPI_UINT64_T, 8},
      {MPI_AINT, 8},
      {MPI_COUNT, 8},
      {MPI_OFFSET, 8},
      {MPI_C_COMPLEX, 8},
      {MPI_C_FLOAT_COMPLEX, 8},
      {MPI_C_DOUBLE_COMPLEX, 16},
      {MPI_C_LONG_DOUBLE_COMPLEX, 32},
      {MPI_CHARACTER, 1},
      {MPI_LOGICAL, 4},
      {MPI_INTEGER, 4},
      {MPI_REAL, 4},
      {MPI_DOUBLE_PRECISION, 8},
      {MPI_COMPLEX, 8},
      {MPI_DOUBLE_COMPLEX, 16},
      {MPI_CXX_BOOL, 1},
      {MPI_CXX_FLOAT_COMPLEX, 8},
      {MPI_CXX_DOUBLE_COMPLEX, 16},
      {MPI_CXX_LONG_DOUBLE_COMPLEX, 32},
      {MPI_INTEGER1, 1},
      {MPI_INTEGER2, 2},
      {MPI_INTEGER4, 4},
      {MPI_INTEGER8, 8},
      {MPI_INTEGER16, 16},
      {MPI_REAL2, 2},
      {MPI_REAL4, 4},
      {MPI_REAL8, 8},
      {MPI_REAL16, 16},
      {MPI_COMPLEX4, 4},
      {MPI_COMPLEX8, 8},
      {MPI_COMPLEX16, 16},
      {MPI_COMPLEX32, 32},
  };
  for (const auto& [handle, size] : table)
    EXPECT_EQ(external32::size(datatypeOf(handle), 1), size) << datatypeOf(handle).name();
  // Section 14.5.2: by precision and range, whatever the native kind.
  EXPECT_EQ(external32::size(datatypeOf(f90Real(6, 37)), 1), 4);
  EXPECT_EQ(external32::size(datatypeOf(f90Real(15, 307)), 1), 8);
  EXPECT_EQ(external32::size(datatypeOf(f90Real(16, 307)), 1), 16);
  EXPECT_EQ(external32::size(datatypeOf(f90Integer(4)), 1), 2);
  EXPECT_EQ(external32::size(datatypeOf(f90Integer(19)), 1), 16);
}

TEST(External32, GapsAreLeftOut) {
  struct Pair {
    double value;
    int index;
  };
  const Bytes bytes = packed(MPI_DOUBLE_INT, std::vector<Pair>{{1.0, 7}, {-1.0, 8}});
  EXPECT_EQ(bytes,
            (Bytes{0x3F, 0xF0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0xBF, 0xF0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8}));
}

/// The number of one basic element, turned round by hand where that is all there is to it.
void appendReversed(Bytes& out, const unsigned char* element, BasicType basic) {
  const BasicTypeInfo& info = basicTypeInfo(basic);
  const std::size_t external = info.part * info.externalSize / info.size; // long: its low 4 bytes
  for (std::size_t part = 0; part < info.size; part += info.part)
    for (std::size_t i = external; i-- > 0;)
      out.push_back(element[part + i]);
}

TEST(External32, RandomTypesElementByElement) {
  std::mt19937 random(4);
  int compared = 0;
  for (int round = 0; round < 300; ++round) {
    const TypePair pair = randomType(random, 1 + round % 4);
    bool simple = true;
    for (const auto& item : pair.reference.items)
      simple = simple && item.basic != BasicType::extended; // long double is more than turned round
    if (!simple)
      continue;
    const MPI_Count count = 2;
    TypeMemory memory(pair.reference, count, round);
    Bytes expected;
    for (MPI_Count i = 0; i < count; ++i)
      for (const auto& item : pair.reference.items)
        appendReversed(expected, memory.base() + i * pair.reference.extent() + item.at, item.basic);
    ASSERT_EQ(external32::size(*pair.type, count), static_cast<MPI_Count>(expected.size())) << round;
    Bytes got(expected.size());
    ASSERT_EQ(external32::pack(*pair.type, count, memory.base(), got.data()),
              static_cast<MPI_Count>(got.size()));
    ASSERT_EQ(got, expected) << round;
    ++compared;
  }
  EXPECT_GT(compared, 100);
}

TEST(External32, UnpackIsTheWayBack) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    const TypePair pair = randomType(random, 1 + round % 3);
    if (pair.reference.overlaps(2))
      continue;
    TypeMemory memory(pair.reference, 2, round);
    // Small positive numbers survive every conversion; and so does what lies between them.
    for (MPI_Count i = 0; i < 2; ++i)
      for (const auto& item : pair.reference.items) {
        unsigned char* at = memory.base() + i * pair.reference.extent() + item.at;
        std::memset(at, 0, basicTypeInfo(item.basic).size);
        if (item.basic == BasicType::extended) {
          const long double value = 1.25L * (round + 1);
          std::memcpy(at, &value, LDBL_MANT_DIG == 64 ? 10 : sizeof value);
        } else {
          at[0] = static_cast<unsigned char>(round);
        }
      }
    Bytes external(static_cast<std::size_t>(external32::size(*pair.type, 2)));
    external32::pack(*pair.type, 2, memory.base(), external.data());
    const Bytes before = memory.bytes();
    for (MPI_Count i = 0; i < 2; ++i)
      for (const auto& item : pair.reference.items)
        std::memset(memory.base() + i * pair.reference.extent() + item.at, 0, basicTypeInfo(item.basic).size);
    external32::unpack(*pair.type, 2, external.data(), memory.base());
    ASSERT_EQ(memory.bytes(), before) << round;
  }
}

TEST(External32, Nothing) {
  const Ref<Datatype> empty = datatypeOf(MPI_INT).duplicate();
  EXPECT_EQ(external32::size(*empty, 0), 0);
  EXPECT_EQ(external32::pack(*empty, 0, nullptr, nullptr), 0);
  EXPECT_EQ(external32::unpack(*empty, 0, nullptr, nullptr), 0);
  const Ref<Datatype> none = makeContiguous(0, datatypeOf(MPI_INT));
  EXPECT_EQ(external32::size(*none, 5), 0);
  EXPECT_EQ(external32::pack(*none, 5, nullptr, nullptr), 0);
}

} // namespace
} // namespace mpl::test
