#include "mpl/PredefinedTypes.h"

namespace mpl {

constinit Immortal<HandleTable<Datatype, MPI_Datatype>> datatypes;
constinit std::array<std::uint8_t, 4096> plainSizes{};

namespace {

using B = BasicType;
using C = TypeClass;

struct NamedType {
  MPI_Datatype handle;
  const char* name;
  BasicType basic;
  TypeClass typeClass;
};

struct NamedPair {
  MPI_Datatype handle;
  const char* name;
  BasicType value;
  BasicType index;
};

static_assert(sizeof(long) == 8 && sizeof(int) == 4 && sizeof(short) == 2 && sizeof(long long) == 8);
static_assert(sizeof(bool) == 1 && sizeof(wchar_t) == 4);

// Sizes of the Fortran types without a size in their name are those of the default kinds: 4 bytes, and 8 for
// double.
const NamedType namedTypes[] = {
    {MPI_AINT, "MPI_AINT", B::int64, C::multiLanguage},
    {MPI_COUNT, "MPI_COUNT", B::int64, C::multiLanguage},
    {MPI_OFFSET, "MPI_OFFSET", B::int64, C::multiLanguage},
    {MPI_PACKED, "MPI_PACKED", B::byte, C::none},
    {MPI_SHORT, "MPI_SHORT", B::int16, C::cInteger},
    {MPI_INT, "MPI_INT", B::int32, C::cInteger},
    {MPI_LONG, "MPI_LONG", B::long32, C::cInteger},
    {MPI_LONG_LONG, "MPI_LONG_LONG", B::int64, C::cInteger},
    {MPI_UNSIGNED_SHORT, "MPI_UNSIGNED_SHORT", B::uint16, C::cInteger},
    {MPI_UNSIGNED, "MPI_UNSIGNED", B::uint32, C::cInteger},
    {MPI_UNSIGNED_LONG, "MPI_UNSIGNED_LONG", B::ulong32, C::cInteger},
    {MPI_UNSIGNED_LONG_LONG, "MPI_UNSIGNED_LONG_LONG", B::uint64, C::cInteger},
    {MPI_FLOAT, "MPI_FLOAT", B::single, C::floatingPoint},
    {MPI_C_FLOAT_COMPLEX, "MPI_C_FLOAT_COMPLEX", B::complexSingle, C::complex},
    {MPI_CXX_FLOAT_COMPLEX, "MPI_CXX_FLOAT_COMPLEX", B::complexSingle, C::complex},
    {MPI_DOUBLE, "MPI_DOUBLE", B::real64, C::floatingPoint},
    {MPI_C_DOUBLE_COMPLEX, "MPI_C_DOUBLE_COMPLEX", B::complexReal64, C::complex},
    {MPI_CXX_DOUBLE_COMPLEX, "MPI_CXX_DOUBLE_COMPLEX", B::complexReal64, C::complex},
    {MPI_LOGICAL, "MPI_LOGICAL", B::logical4, C::logical},
    {MPI_INTEGER, "MPI_INTEGER", B::int32, C::fortranInteger},
    {MPI_REAL, "MPI_REAL", B::single, C::floatingPoint},
    {MPI_COMPLEX, "MPI_COMPLEX", B::complexSingle, C::complex},
    {MPI_DOUBLE_PRECISION, "MPI_DOUBLE_PRECISION", B::real64, C::floatingPoint},
    {MPI_DOUBLE_COMPLEX, "MPI_DOUBLE_COMPLEX", B::complexReal64, C::complex},
    {MPI_CHARACTER, "MPI_CHARACTER", B::character, C::none},
    {MPI_LONG_DOUBLE, "MPI_LONG_DOUBLE", B::extended, C::floatingPoint},
    {MPI_C_LONG_DOUBLE_COMPLEX, "MPI_C_LONG_DOUBLE_COMPLEX", B::complexExtended, C::complex},
    {MPI_CXX_LONG_DOUBLE_COMPLEX, "MPI_CXX_LONG_DOUBLE_COMPLEX", B::complexExtended, C::complex},
    {MPI_C_BOOL, "MPI_C_BOOL", B::boolean, C::logical},
    {MPI_CXX_BOOL, "MPI_CXX_BOOL", B::boolean, C::logical},
    {MPI_WCHAR, "MPI_WCHAR", B::wideCharacter, C::none},
    {MPI_INT8_T, "MPI_INT8_T", B::int8, C::cInteger},
    {MPI_UINT8_T, "MPI_UINT8_T", B::uint8, C::cInteger},
    {MPI_CHAR, "MPI_CHAR", B::character, C::none},
    {MPI_SIGNED_CHAR, "MPI_SIGNED_CHAR", B::int8, C::cInteger},
    {MPI_UNSIGNED_CHAR, "MPI_UNSIGNED_CHAR", B::uint8, C::cInteger},
    {MPI_BYTE, "MPI_BYTE", B::byte, C::byte},
    {MPI_INT16_T, "MPI_INT16_T", B::int16, C::cInteger},
    {MPI_UINT16_T, "MPI_UINT16_T", B::uint16, C::cInteger},
    {MPI_INT32_T, "MPI_INT32_T", B::int32, C::cInteger},
    {MPI_UINT32_T, "MPI_UINT32_T", B::uint32, C::cInteger},
    {MPI_INT64_T, "MPI_INT64_T", B::int64, C::cInteger},
    {MPI_UINT64_T, "MPI_UINT64_T", B::uint64, C::cInteger},
    {MPI_LOGICAL1, "MPI_LOGICAL1", B::logical1, C::logical},
    {MPI_INTEGER1, "MPI_INTEGER1", B::int8, C::fortranInteger},
    {MPI_LOGICAL2, "MPI_LOGICAL2", B::logical2, C::logical},
    {MPI_INTEGER2, "MPI_INTEGER2", B::int16, C::fortranInteger},
    {MPI_REAL2, "MPI_REAL2", B::half, C::floatingPoint},
    {MPI_LOGICAL4, "MPI_LOGICAL4", B::logical4, C::logical},
    {MPI_INTEGER4, "MPI_INTEGER4", B::int32, C::fortranInteger},
    {MPI_REAL4, "MPI_REAL4", B::single, C::floatingPoint},
    {MPI_COMPLEX4, "MPI_COMPLEX4", B::complexHalf, C::complex},
    {MPI_LOGICAL8, "MPI_LOGICAL8", B::logical8, C::logical},
    {MPI_INTEGER8, "MPI_INTEGER8", B::int64, C::fortranInteger},
    {MPI_REAL8, "MPI_REAL8", B::real64, C::floatingPoint},
    {MPI_COMPLEX8, "MPI_COMPLEX8", B::complexSingle, C::complex},
    {MPI_LOGICAL16, "MPI_LOGICAL16", B::logical16, C::logical},
    {MPI_INTEGER16, "MPI_INTEGER16", B::int128, C::fortranInteger},
    {MPI_REAL16, "MPI_REAL16", B::quad, C::floatingPoint},
    {MPI_COMPLEX16, "MPI_COMPLEX16", B::complexReal64, C::complex},
    {MPI_COMPLEX32, "MPI_COMPLEX32", B::complexQuad, C::complex},
};

const NamedPair namedPairs[] = {
    {MPI_FLOAT_INT, "MPI_FLOAT_INT", B::single, B::int32},
    {MPI_DOUBLE_INT, "MPI_DOUBLE_INT", B::real64, B::int32},
    {MPI_LONG_INT, "MPI_LONG_INT", B::long32, B::int32},
    {MPI_2INT, "MPI_2INT", B::int32, B::int32},
    {MPI_SHORT_INT, "MPI_SHORT_INT", B::int16, B::int32},
    {MPI_LONG_DOUBLE_INT, "MPI_LONG_DOUBLE_INT", B::extended, B::int32},
    {MPI_2REAL, "MPI_2REAL", B::single, B::single},
    {MPI_2DOUBLE_PRECISION, "MPI_2DOUBLE_PRECISION", B::real64, B::real64},
    {MPI_2INTEGER, "MPI_2INTEGER", B::int32, B::int32},
};

/// Runs when the library is loaded, in the file that also has the table, so that the table is never seen
/// empty.
const bool bound = [] {
  for (const NamedType& type : namedTypes)
    bindPredefined(*new Datatype(TypeMap::ofBasicType(type.basic), type.typeClass, type.name), type.handle);
  for (const NamedPair& pair : namedPairs)
    bindPredefined(*new Datatype(pairMap(pair.value, pair.index), TypeClass::valueIndex, pair.name),
                   pair.handle);
  return true;
}();

} // namespace

TypeMap pairMap(BasicType value, BasicType index) {
  const MPI_Count alignment = basicTypeInfo(index).alignment;
  const MPI_Count valueSize = basicTypeInfo(value).size;
  TypeMapJoiner joiner(value == index, 2);
  joiner.add(TypeMap::ofBasicType(value), 0, 1);
  joiner.add(TypeMap::ofBasicType(index), (valueSize + alignment - 1) / alignment * alignment, 1);
  return joiner.join();
}

PairTypes pairTypes(const Datatype& pair) {
  const LayoutNode& root = *pair.map().typed.root();
  if (root.basic != BasicType::none)
    return {root.basic, root.basic};
  return {root.children[0]->basic, root.children[1]->basic};
}

MPI_Datatype matchSize(int typeClass, int size) {
  struct Match {
    int typeClass;
    int size;
    MPI_Datatype type;
  };
  static const Match matches[] = {
      {MPI_TYPECLASS_INTEGER, 1, MPI_INTEGER1},   {MPI_TYPECLASS_INTEGER, 2, MPI_INTEGER2},
      {MPI_TYPECLASS_INTEGER, 4, MPI_INTEGER4},   {MPI_TYPECLASS_INTEGER, 8, MPI_INTEGER8},
      {MPI_TYPECLASS_INTEGER, 16, MPI_INTEGER16}, {MPI_TYPECLASS_REAL, 2, MPI_REAL2},
      {MPI_TYPECLASS_REAL, 4, MPI_REAL4},         {MPI_TYPECLASS_REAL, 8, MPI_REAL8},
      {MPI_TYPECLASS_REAL, 16, MPI_REAL16},       {MPI_TYPECLASS_COMPLEX, 4, MPI_COMPLEX4},
      {MPI_TYPECLASS_COMPLEX, 8, MPI_COMPLEX8},   {MPI_TYPECLASS_COMPLEX, 16, MPI_COMPLEX16},
      {MPI_TYPECLASS_COMPLEX, 32, MPI_COMPLEX32}, {MPIX_TYPECLASS_LOGICAL, 1, MPI_LOGICAL1},
      {MPIX_TYPECLASS_LOGICAL, 2, MPI_LOGICAL2},  {MPIX_TYPECLASS_LOGICAL, 4, MPI_LOGICAL4},
      {MPIX_TYPECLASS_LOGICAL, 8, MPI_LOGICAL8},  {MPIX_TYPECLASS_LOGICAL, 16, MPI_LOGICAL16},
  };
  bool knownClass = false;
  for (const Match& match : matches) {
    knownClass = knownClass || match.typeClass == typeClass;
    if (match.typeClass == typeClass && match.size == size)
      return match.type;
  }
  if (!knownClass)
    fail(MPI_ERR_ARG, "typeclass is ", typeClass,
         ", which is none of MPI_TYPECLASS_REAL, MPI_TYPECLASS_INTEGER, MPI_TYPECLASS_COMPLEX");
  fail(MPI_ERR_ARG, "size is ", size, ", and there is no datatype of that class with so many bytes");
}

} // namespace mpl
