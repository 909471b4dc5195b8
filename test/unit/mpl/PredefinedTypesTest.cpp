#include "mpl/PredefinedTypes.h"

#include <gtest/gtest.h>

#include <complex>
#include <cstddef>

namespace mpl::test {
namespace {

template <class Run> int errorOf(Run&& run) {
  try {
    run();
  } catch (const Error& error) {
    EXPECT_FALSE(error.message().empty());
    return error.errorClass();
  }
  return MPI_SUCCESS;
}

struct Expected {
  MPI_Datatype handle;
  const char* name;
  std::size_t size;
  MPI_Count extent;
};

template <class Value, class Index> struct Pair {
  Value value;
  Index index;
};

#define MPL_NAMED(type, size, extent)                                                                        \
  Expected {                                                                                                 \
    type, #type, size, extent                                                                                \
  }

TEST(PredefinedTypes, SizesExtentsAndNames) {
  const Expected all[] = {
      MPL_NAMED(MPI_AINT, sizeof(MPI_Aint), 8),
      MPL_NAMED(MPI_COUNT, sizeof(MPI_Count), 8),
      MPL_NAMED(MPI_OFFSET, sizeof(MPI_Offset), 8),
      MPL_NAMED(MPI_PACKED, 1, 1),
      MPL_NAMED(MPI_SHORT, sizeof(short), 2),
      MPL_NAMED(MPI_INT, sizeof(int), 4),
      MPL_NAMED(MPI_LONG, sizeof(long), 8),
      MPL_NAMED(MPI_LONG_LONG, sizeof(long long), 8),
      MPL_NAMED(MPI_UNSIGNED_SHORT, 2, 2),
      MPL_NAMED(MPI_UNSIGNED, 4, 4),
      MPL_NAMED(MPI_UNSIGNED_LONG, 8, 8),
      MPL_NAMED(MPI_UNSIGNED_LONG_LONG, 8, 8),
      MPL_NAMED(MPI_FLOAT, sizeof(float), 4),
      MPL_NAMED(MPI_C_FLOAT_COMPLEX, 8, 8),
      MPL_NAMED(MPI_CXX_FLOAT_COMPLEX, sizeof(std::complex<float>), 8),
      MPL_NAMED(MPI_DOUBLE, sizeof(double), 8),
      MPL_NAMED(MPI_C_DOUBLE_COMPLEX, 16, 16),
      MPL_NAMED(MPI_CXX_DOUBLE_COMPLEX, sizeof(std::complex<double>), 16),
      MPL_NAMED(MPI_LOGICAL, 4, 4),
      MPL_NAMED(MPI_INTEGER, 4, 4),
      MPL_NAMED(MPI_REAL, 4, 4),
      MPL_NAMED(MPI_COMPLEX, 8, 8),
      MPL_NAMED(MPI_DOUBLE_PRECISION, 8, 8),
      MPL_NAMED(MPI_DOUBLE_COMPLEX, 16, 16),
      MPL_NAMED(MPI_CHARACTER, 1, 1),
      MPL_NAMED(MPI_LONG_DOUBLE, sizeof(long double), sizeof(long double)),
      MPL_NAMED(MPI_C_LONG_DOUBLE_COMPLEX, 2 * sizeof(long double), 2 * sizeof(long double)),
      MPL_NAMED(MPI_CXX_LONG_DOUBLE_COMPLEX, sizeof(std::complex<long double>), 2 * sizeof(long double)),
      MPL_NAMED(MPI_FLOAT_INT, 8, sizeof(Pair<float, int>)),
      MPL_NAMED(MPI_DOUBLE_INT, 12, sizeof(Pair<double, int>)),
      MPL_NAMED(MPI_LONG_INT, 12, sizeof(Pair<long, int>)),
      MPL_NAMED(MPI_2INT, 8, 8),
      MPL_NAMED(MPI_SHORT_INT, 6, sizeof(Pair<short, int>)),
      MPL_NAMED(MPI_LONG_DOUBLE_INT, sizeof(long double) + 4, sizeof(Pair<long double, int>)),
      MPL_NAMED(MPI_2REAL, 8, 8),
      MPL_NAMED(MPI_2DOUBLE_PRECISION, 16, 16),
      MPL_NAMED(MPI_2INTEGER, 8, 8),
      MPL_NAMED(MPI_C_BOOL, 1, 1),
      MPL_NAMED(MPI_CXX_BOOL, 1, 1),
      MPL_NAMED(MPI_WCHAR, sizeof(wchar_t), sizeof(wchar_t)),
      MPL_NAMED(MPI_INT8_T, 1, 1),
      MPL_NAMED(MPI_UINT8_T, 1, 1),
      MPL_NAMED(MPI_CHAR, 1, 1),
      MPL_NAMED(MPI_SIGNED_CHAR, 1, 1),
      MPL_NAMED(MPI_UNSIGNED_CHAR, 1, 1),
      MPL_NAMED(MPI_BYTE, 1, 1),
      MPL_NAMED(MPI_INT16_T, 2, 2),
      MPL_NAMED(MPI_UINT16_T, 2, 2),
      MPL_NAMED(MPI_INT32_T, 4, 4),
      MPL_NAMED(MPI_UINT32_T, 4, 4),
      MPL_NAMED(MPI_INT64_T, 8, 8),
      MPL_NAMED(MPI_UINT64_T, 8, 8),
      MPL_NAMED(MPI_LOGICAL1, 1, 1),
      MPL_NAMED(MPI_INTEGER1, 1, 1),
      MPL_NAMED(MPI_LOGICAL2, 2, 2),
      MPL_NAMED(MPI_INTEGER2, 2, 2),
      MPL_NAMED(MPI_REAL2, 2, 2),
      MPL_NAMED(MPI_LOGICAL4, 4, 4),
      MPL_NAMED(MPI_INTEGER4, 4, 4),
      MPL_NAMED(MPI_REAL4, 4, 4),
      MPL_NAMED(MPI_COMPLEX4, 4, 4),
      MPL_NAMED(MPI_LOGICAL8, 8, 8),
      MPL_NAMED(MPI_INTEGER8, 8, 8),
      MPL_NAMED(MPI_REAL8, 8, 8),
      MPL_NAMED(MPI_COMPLEX8, 8, 8),
      MPL_NAMED(MPI_LOGICAL16, 16, 16),
      MPL_NAMED(MPI_INTEGER16, 16, 16),
      MPL_NAMED(MPI_REAL16, 16, 16),
      MPL_NAMED(MPI_COMPLEX16, 16, 16),
      MPL_NAMED(MPI_COMPLEX32, 32, 32),
  };
  std::size_t bound = 0;
  for (std::uintptr_t value = 0; value < 4096; ++value)
    bound += datatypes->find(reinterpret_cast<MPI_Datatype>(value)) != nullptr;
  EXPECT_EQ(bound, std::size(all)) << "every predefined handle is in the list above";
  for (const Expected& expected : all) {
    const Datatype& type = datatypeOf(expected.handle);
    EXPECT_EQ(type.name(), expected.name);
    EXPECT_EQ(type.size(), expected.size) << expected.name;
    EXPECT_EQ(type.extent(), expected.extent) << expected.name;
    EXPECT_EQ(type.lowerBound(), 0) << expected.name;
    EXPECT_TRUE(type.isCommitted()) << expected.name;
    EXPECT_TRUE(type.isPredefined()) << expected.name;
    EXPECT_EQ(type.handle(), expected.handle) << expected.name;
    EXPECT_EQ(type.envelope().combiner, MPI_COMBINER_NAMED) << expected.name;
  }
  EXPECT_EQ(datatypes->find(MPI_DATATYPE_NULL), nullptr);
}

TEST(PredefinedTypes, MatchSize) {
  EXPECT_EQ(matchSize(MPI_TYPECLASS_REAL, 4), MPI_REAL4);
  EXPECT_EQ(matchSize(MPI_TYPECLASS_REAL, 8), MPI_REAL8);
  EXPECT_EQ(matchSize(MPI_TYPECLASS_REAL, 16), MPI_REAL16);
  EXPECT_EQ(matchSize(MPI_TYPECLASS_INTEGER, 1), MPI_INTEGER1);
  EXPECT_EQ(matchSize(MPI_TYPECLASS_INTEGER, 16), MPI_INTEGER16);
  EXPECT_EQ(matchSize(MPI_TYPECLASS_COMPLEX, 8), MPI_COMPLEX8);
  EXPECT_EQ(matchSize(MPI_TYPECLASS_COMPLEX, 32), MPI_COMPLEX32);
  EXPECT_EQ(matchSize(MPIX_TYPECLASS_LOGICAL, 2), MPI_LOGICAL2);
  for (const int typeClass : {MPI_TYPECLASS_REAL, MPI_TYPECLASS_INTEGER, MPI_TYPECLASS_COMPLEX})
    for (int size = 0; size <= 40; ++size)
      if (errorOf([&] { matchSize(typeClass, size); }) == MPI_SUCCESS) {
        EXPECT_EQ(datatypeOf(matchSize(typeClass, size)).size(), static_cast<std::size_t>(size));
      }
  EXPECT_EQ(errorOf([] { matchSize(MPI_TYPECLASS_REAL, 3); }), MPI_ERR_ARG);
  EXPECT_EQ(errorOf([] { matchSize(MPI_TYPECLASS_REAL, -4); }), MPI_ERR_ARG);
  EXPECT_EQ(errorOf([] { matchSize(5, 4); }), MPI_ERR_ARG);
}

TEST(PredefinedTypes, FortranKinds) {
  const auto basicOf = [](MPI_Datatype handle) { return datatypeOf(handle).basic(); };
  EXPECT_EQ(basicOf(f90Real(6, 37)), BasicType::single);
  EXPECT_EQ(basicOf(f90Real(7, 37)), BasicType::real64);
  EXPECT_EQ(basicOf(f90Real(6, 38)), BasicType::real64);
  EXPECT_EQ(basicOf(f90Real(15, MPI_UNDEFINED)), BasicType::real64);
  EXPECT_EQ(basicOf(f90Real(MPI_UNDEFINED, 308)), BasicType::extended);
  EXPECT_EQ(basicOf(f90Real(19, 100)), BasicType::quad);
  EXPECT_EQ(basicOf(f90Complex(6, 37)), BasicType::complexSingle);
  EXPECT_EQ(basicOf(f90Complex(10, MPI_UNDEFINED)), BasicType::complexReal64);
  EXPECT_EQ(basicOf(f90Integer(2)), BasicType::int8);
  EXPECT_EQ(basicOf(f90Integer(3)), BasicType::int16);
  EXPECT_EQ(basicOf(f90Integer(9)), BasicType::int32);
  EXPECT_EQ(basicOf(f90Integer(10)), BasicType::int64);
  EXPECT_EQ(basicOf(f90Integer(38)), BasicType::int128);
}

TEST(PredefinedTypes, FortranKindsAreKeptAndCannotBeFreed) {
  const MPI_Datatype handle = f90Real(14, 300);
  EXPECT_EQ(f90Real(14, 300), handle);
  EXPECT_NE(f90Real(13, 300), handle);
  EXPECT_NE(f90Complex(14, 300), handle);
  const Datatype& type = datatypeOf(handle);
  EXPECT_TRUE(type.isPredefined());
  EXPECT_TRUE(type.isPlain());
  EXPECT_EQ(type.name(), "");
  EXPECT_EQ(type.typeClass(), TypeClass::floatingPoint);
  EXPECT_EQ(type.envelope().combiner, MPI_COMBINER_F90_REAL);
  EXPECT_EQ(type.envelope().integers, (std::vector<int>{14, 300}));
  EXPECT_EQ(datatypeOf(f90Integer(7)).envelope().integers, (std::vector<int>{7}));
  EXPECT_EQ(datatypeOf(f90Integer(7)).typeClass(), TypeClass::fortranInteger);
  EXPECT_EQ(datatypeOf(f90Complex(7, 8)).envelope().combiner, MPI_COMBINER_F90_COMPLEX);
  EXPECT_EQ(errorOf([&] { freeDatatype(handle); }), MPI_ERR_TYPE);
}

TEST(PredefinedTypes, FortranKindsThatDoNotExist) {
  EXPECT_EQ(errorOf([] { f90Real(MPI_UNDEFINED, MPI_UNDEFINED); }), MPI_ERR_ARG);
  EXPECT_EQ(errorOf([] { f90Real(34, 10); }), MPI_ERR_ARG);
  EXPECT_EQ(errorOf([] { f90Real(6, 4932); }), MPI_ERR_ARG);
  EXPECT_EQ(errorOf([] { f90Complex(-1, 10); }), MPI_ERR_ARG);
  EXPECT_EQ(errorOf([] { f90Integer(39); }), MPI_ERR_ARG);
  EXPECT_EQ(errorOf([] { f90Integer(-1); }), MPI_ERR_ARG);
}

MPI_Datatype pairOf(MPI_Datatype value, MPI_Datatype index) {
  return valueIndexPair(datatypeOf(value), datatypeOf(index));
}

TEST(PredefinedTypes, NamedPairs) {
  EXPECT_EQ(pairOf(MPI_FLOAT, MPI_INT), MPI_FLOAT_INT);
  EXPECT_EQ(pairOf(MPI_DOUBLE, MPI_INT), MPI_DOUBLE_INT);
  EXPECT_EQ(pairOf(MPI_LONG, MPI_INT), MPI_LONG_INT);
  EXPECT_EQ(pairOf(MPI_INT, MPI_INT), MPI_2INT);
  EXPECT_EQ(pairOf(MPI_SHORT, MPI_INT), MPI_SHORT_INT);
  EXPECT_EQ(pairOf(MPI_LONG_DOUBLE, MPI_INT), MPI_LONG_DOUBLE_INT);
  EXPECT_EQ(pairOf(MPI_REAL, MPI_REAL), MPI_2REAL);
  EXPECT_EQ(pairOf(MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION), MPI_2DOUBLE_PRECISION);
  EXPECT_EQ(pairOf(MPI_INTEGER, MPI_INTEGER), MPI_2INTEGER);
}

TEST(PredefinedTypes, UnnamedPairs) {
  const MPI_Datatype handle = pairOf(MPI_DOUBLE, MPI_INT64_T);
  EXPECT_EQ(pairOf(MPI_DOUBLE, MPI_INT64_T), handle);
  const Datatype& type = datatypeOf(handle);
  EXPECT_EQ(type.size(), 16U);
  EXPECT_EQ(type.extent(), static_cast<MPI_Count>(sizeof(Pair<double, std::int64_t>)));
  EXPECT_EQ(type.typeClass(), TypeClass::valueIndex);
  EXPECT_EQ(type.envelope().combiner, MPI_COMBINER_VALUE_INDEX);
  ASSERT_EQ(type.envelope().datatypes.size(), 2U);
  EXPECT_EQ(type.envelope().datatypes[0]->handle(), MPI_DOUBLE);
  EXPECT_EQ(type.envelope().datatypes[1]->handle(), MPI_INT64_T);
  EXPECT_EQ(errorOf([&] { freeDatatype(handle); }), MPI_ERR_TYPE);
  const Datatype& small = datatypeOf(pairOf(MPI_INT8_T, MPI_INT64_T));
  EXPECT_EQ(small.size(), 9U);
  EXPECT_EQ(small.extent(), static_cast<MPI_Count>(sizeof(Pair<std::int8_t, std::int64_t>)));
  EXPECT_EQ(pairTypes(small).value, BasicType::int8);
  EXPECT_EQ(pairTypes(small).index, BasicType::int64);
  EXPECT_EQ(pairTypes(datatypeOf(MPI_2INT)).index, BasicType::int32);
}

TEST(PredefinedTypes, PairsThatDoNotExist) {
  EXPECT_EQ(pairOf(MPI_C_DOUBLE_COMPLEX, MPI_INT), MPI_DATATYPE_NULL);
  EXPECT_EQ(pairOf(MPI_INT, MPI_DOUBLE), MPI_DATATYPE_NULL);
  EXPECT_EQ(pairOf(MPI_CHAR, MPI_INT), MPI_DATATYPE_NULL);
  EXPECT_EQ(pairOf(MPI_2INT, MPI_INT), MPI_DATATYPE_NULL);
  const Ref<Datatype> copy = datatypeOf(MPI_INT).duplicate();
  EXPECT_EQ(valueIndexPair(*copy, datatypeOf(MPI_INT)), MPI_DATATYPE_NULL);
}

} // namespace
} // namespace mpl::test
