#include "mpl/PredefinedTypes.h"

#include <map>
#include <mutex>
#include <tuple>

namespace mpl {

namespace {

/// Predefined datatypes without a name, made at first use and kept: the same arguments give the same handle.
class UnnamedTypes {
public:
  /// combiner, and its integer arguments or the handles of its datatypes
  using Key = std::tuple<int, std::intptr_t, std::intptr_t>;

  template <class Make> MPI_Datatype get(const Key& key, Make&& make) {
    std::lock_guard guard(mutex_);
    const auto found = types_.find(key);
    if (found != types_.end())
      return found->second;
    const MPI_Datatype handle = giveHandle(Ref<Datatype>(make()));
    types_.emplace(key, handle);
    return handle;
  }

private:
  std::mutex mutex_;
  std::map<Key, MPI_Datatype> types_;
};

UnnamedTypes& unnamedTypes() {
  static auto& types = *new UnnamedTypes;
  return types;
}

struct RealKind {
  int precision;
  int range;
  BasicType real;
  BasicType complex;
};

/// What SELECTED_REAL_KIND chooses from, smallest first: decimal digits and decimal exponent of each kind.
constexpr RealKind realKinds[] = {
    {6, 37, BasicType::single, BasicType::complexSingle},
    {15, 307, BasicType::real64, BasicType::complexReal64},
    {18, 4931, BasicType::extended, BasicType::complexExtended},
    {33, 4931, BasicType::quad, BasicType::complexQuad},
};

const RealKind& selectedRealKind(int precision, int range) {
  if (precision == MPI_UNDEFINED && range == MPI_UNDEFINED)
    fail(MPI_ERR_ARG, "p and r are both MPI_UNDEFINED");
  if (precision < 0 && precision != MPI_UNDEFINED)
    fail(MPI_ERR_ARG, "p is ", precision, ", which is negative");
  if (range < 0 && range != MPI_UNDEFINED)
    fail(MPI_ERR_ARG, "r is ", range, ", which is negative");
  for (const RealKind& kind : realKinds)
    if (precision <= kind.precision && range <= kind.range) // MPI_UNDEFINED is less than all
      return kind;
  fail(MPI_ERR_ARG, "there is no kind of real number with precision p = ", precision,
       " and range r = ", range);
}

MPI_Datatype f90FloatingPoint(int combiner, int precision, int range, BasicType basic, TypeClass typeClass) {
  return unnamedTypes().get({combiner, precision, range}, [&] {
    return new Datatype(TypeMap::ofBasicType(basic), typeClass, "",
                        Envelope{combiner, {precision, range}, {}, {}, {}});
  });
}

bool canBeValue(const Datatype& type) {
  return type.typeClass() == TypeClass::cInteger || type.typeClass() == TypeClass::fortranInteger ||
         type.typeClass() == TypeClass::floatingPoint || type.typeClass() == TypeClass::multiLanguage;
}

bool canBeIndex(const Datatype& type) {
  return canBeValue(type) && type.typeClass() != TypeClass::floatingPoint;
}

} // namespace

MPI_Datatype f90Real(int precision, int range) {
  const RealKind& kind = selectedRealKind(precision, range);
  return f90FloatingPoint(MPI_COMBINER_F90_REAL, precision, range, kind.real, TypeClass::floatingPoint);
}

MPI_Datatype f90Complex(int precision, int range) {
  const RealKind& kind = selectedRealKind(precision, range);
  return f90FloatingPoint(MPI_COMBINER_F90_COMPLEX, precision, range, kind.complex, TypeClass::complex);
}

MPI_Datatype f90Integer(int range) {
  if (range < 0)
    fail(MPI_ERR_ARG, "r is ", range, ", which is negative");
  struct IntegerKind {
    int range;
    BasicType basic;
  };
  static constexpr IntegerKind kinds[] = {{2, BasicType::int8},
                                          {4, BasicType::int16},
                                          {9, BasicType::int32},
                                          {18, BasicType::int64},
                                          {38, BasicType::int128}};
  for (const IntegerKind& kind : kinds)
    if (range <= kind.range)
      return unnamedTypes().get({MPI_COMBINER_F90_INTEGER, range, 0}, [&] {
        return new Datatype(TypeMap::ofBasicType(kind.basic), TypeClass::fortranInteger, "",
                            Envelope{MPI_COMBINER_F90_INTEGER, {range}, {}, {}, {}});
      });
  fail(MPI_ERR_ARG, "there is no kind of integer with range r = ", range);
}

MPI_Datatype valueIndexPair(const Datatype& value, const Datatype& index) {
  struct NamedPair {
    MPI_Datatype value;
    MPI_Datatype index;
    MPI_Datatype pair;
  };
  static const NamedPair named[] = {
      {MPI_FLOAT, MPI_INT, MPI_FLOAT_INT},
      {MPI_DOUBLE, MPI_INT, MPI_DOUBLE_INT},
      {MPI_LONG, MPI_INT, MPI_LONG_INT},
      {MPI_INT, MPI_INT, MPI_2INT},
      {MPI_SHORT, MPI_INT, MPI_SHORT_INT},
      {MPI_LONG_DOUBLE, MPI_INT, MPI_LONG_DOUBLE_INT},
      {MPI_REAL, MPI_REAL, MPI_2REAL},
      {MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_2DOUBLE_PRECISION},
      {MPI_INTEGER, MPI_INTEGER, MPI_2INTEGER},
  };
  for (const NamedPair& pair : named)
    if (pair.value == value.handle() && pair.index == index.handle())
      return pair.pair;
  if (!canBeValue(value) || !canBeIndex(index))
    return MPI_DATATYPE_NULL;
  const UnnamedTypes::Key key{MPI_COMBINER_VALUE_INDEX, reinterpret_cast<std::intptr_t>(value.handle()),
                              reinterpret_cast<std::intptr_t>(index.handle())};
  return unnamedTypes().get(key, [&] {
    Envelope envelope{MPI_COMBINER_VALUE_INDEX, {}, {}, {}, {}};
    envelope.datatypes.emplace_back(const_cast<Datatype*>(&value));
    envelope.datatypes.emplace_back(const_cast<Datatype*>(&index));
    return new Datatype(pairMap(value.basic(), index.basic()), TypeClass::valueIndex, "",
                        std::move(envelope));
  });
}

} // namespace mpl
