// Every predefined operation on every type that it is defined for (MPI 4.1, 6.9.2 and 6.9.4), by reduce,
// allreduce and reduce_local, in place and not, against the same worked out here. Values are small enough to
// be exact in any order.
#include "test/mpi/coll/Reference.h"

#include <complex>

using namespace check;

namespace {

enum class Operation { max, min, sum, prod, land, band, lor, bor, lxor, bxor };

struct Named {
  Operation operation;
  MPI_Op op;
  const char* name;
};

std::vector<Named> comparisons() {
  return {{Operation::max, MPI_MAX, "max"}, {Operation::min, MPI_MIN, "min"}};
}
std::vector<Named> arithmetic() {
  return {{Operation::sum, MPI_SUM, "sum"}, {Operation::prod, MPI_PROD, "prod"}};
}
std::vector<Named> logical() {
  return {{Operation::land, MPI_LAND, "land"},
          {Operation::lor, MPI_LOR, "lor"},
          {Operation::lxor, MPI_LXOR, "lxor"}};
}
std::vector<Named> bitwise() {
  return {{Operation::band, MPI_BAND, "band"},
          {Operation::bor, MPI_BOR, "bor"},
          {Operation::bxor, MPI_BXOR, "bxor"}};
}

std::vector<Named> operator+(std::vector<Named> a, const std::vector<Named>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

template <class T> struct IsComplex : std::false_type {};
template <class T> struct IsComplex<std::complex<T>> : std::true_type {};

template <class T> T combine(Operation operation, T a, T b) {
  if (operation == Operation::sum)
    return static_cast<T>(a + b);
  if (operation == Operation::prod)
    return static_cast<T>(a * b);
  if constexpr (!IsComplex<T>::value) {
    switch (operation) {
    case Operation::max:
      return a < b ? b : a;
    case Operation::min:
      return a < b ? a : b;
    case Operation::land:
      return static_cast<T>(a && b);
    case Operation::lor:
      return static_cast<T>(a || b);
    case Operation::lxor:
      return static_cast<T>(!a != !b);
    default:
      break;
    }
  }
  if constexpr (std::is_integral_v<T>) {
    if (operation == Operation::band)
      return static_cast<T>(a & b);
    if (operation == Operation::bor)
      return static_cast<T>(a | b);
    if (operation == Operation::bxor)
      return static_cast<T>(a ^ b);
  }
  return a;
}

template <class T> T valueFor(Operation operation, int from, int i) {
  const int draw = given(from, i);
  switch (operation) {
  case Operation::prod:
    return static_cast<T>(1 + draw % 2);
  case Operation::land:
  case Operation::lor:
  case Operation::lxor:
    // Any value but zero is true.
    return static_cast<T>(draw % 3 == 0 ? 0 : std::is_same_v<T, bool> ? 1 : 1 + draw % 2);
  case Operation::band:
  case Operation::bor:
  case Operation::bxor:
    return static_cast<T>(draw);
  default: {
    // Both signs where there are any, and the upper half of unsigned types: sums of five stay in range.
    const int small = draw % 20;
    return std::is_signed_v<T> || IsComplex<T>::value ? static_cast<T>(small - 10) : static_cast<T>(small);
  }
  }
}

template <class T>
void checkOne(const char* typeName, MPI_Datatype type, const Named& named, int count, MPI_Comm comm) {
  const int me = rankIn(comm);
  const int ranks = sizeOf(comm);
  // std::vector<bool> has no data().
  struct Cell {
    T value;
    bool operator==(const Cell& other) const { return value == other.value; }
  };
  std::vector<Cell> mine(static_cast<std::size_t>(count));
  std::vector<Cell> wanted(static_cast<std::size_t>(count));
  std::vector<Cell> found(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    mine[i].value = valueFor<T>(named.operation, me, i);
    wanted[i].value = valueFor<T>(named.operation, 0, i);
    for (int from = 1; from < ranks; ++from)
      wanted[i].value = combine(named.operation, wanted[i].value, valueFor<T>(named.operation, from, i));
  }
  const std::string before = state().current;
  state().current = before + " " + typeName + " " + named.name;
  MPI_Allreduce(mine.data(), found.data(), count, type, named.op, comm);
  CHECK_EQ(differences(found, wanted), 0);
  found = mine;
  MPI_Allreduce(MPI_IN_PLACE, found.data(), count, type, named.op, comm);
  CHECK_EQ(differences(found, wanted), 0);
  const int root = count % ranks;
  found.assign(found.size(), Cell{});
  MPI_Reduce(mine.data(), me == root ? found.data() : nullptr, count, type, named.op, root, comm);
  if (me == root)
    CHECK_EQ(differences(found, wanted), 0);
  // reduce_local: the second is combined into.
  std::vector<Cell> into(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    into[i].value = valueFor<T>(named.operation, me + 1, i);
    wanted[i].value = combine(named.operation, mine[i].value, into[i].value);
  }
  MPI_Reduce_local(mine.data(), into.data(), count, type, named.op);
  CHECK_EQ(differences(into, wanted), 0);
  state().current = before;
}

template <class T> void checkType(const char* name, MPI_Datatype type, const std::vector<Named>& operations) {
  for (const Named& named : operations)
    for (int count : {1, 3, 129, 5000})
      checkOne<T>(name, type, named, count, MPI_COMM_WORLD);
}

void cIntegers() {
  const std::vector<Named> all = comparisons() + arithmetic() + logical() + bitwise();
  checkType<signed char>("signed char", MPI_SIGNED_CHAR, all);
  checkType<unsigned char>("unsigned char", MPI_UNSIGNED_CHAR, all);
  checkType<short>("short", MPI_SHORT, all);
  checkType<unsigned short>("unsigned short", MPI_UNSIGNED_SHORT, all);
  checkType<int>("int", MPI_INT, all);
  checkType<unsigned>("unsigned", MPI_UNSIGNED, all);
  checkType<long>("long", MPI_LONG, all);
  checkType<unsigned long>("unsigned long", MPI_UNSIGNED_LONG, all);
  checkType<long long>("long long", MPI_LONG_LONG, all);
  checkType<unsigned long long>("unsigned long long", MPI_UNSIGNED_LONG_LONG, all);
}

void fixedIntegers() {
  const std::vector<Named> all = comparisons() + arithmetic() + logical() + bitwise();
  checkType<std::int8_t>("int8", MPI_INT8_T, all);
  checkType<std::uint8_t>("uint8", MPI_UINT8_T, all);
  checkType<std::int16_t>("int16", MPI_INT16_T, all);
  checkType<std::uint16_t>("uint16", MPI_UINT16_T, all);
  checkType<std::int32_t>("int32", MPI_INT32_T, all);
  checkType<std::uint32_t>("uint32", MPI_UINT32_T, all);
  checkType<std::int64_t>("int64", MPI_INT64_T, all);
  checkType<std::uint64_t>("uint64", MPI_UINT64_T, all);
}

void others() {
  const std::vector<Named> numbers = comparisons() + arithmetic();
  checkType<float>("float", MPI_FLOAT, numbers);
  checkType<double>("double", MPI_DOUBLE, numbers);
  checkType<long double>("long double", MPI_LONG_DOUBLE, numbers);
  checkType<bool>("_Bool", MPI_C_BOOL, logical());
  checkType<unsigned char>("byte", MPI_BYTE, bitwise());
  checkType<MPI_Aint>("MPI_Aint", MPI_AINT, numbers + bitwise());
  checkType<MPI_Offset>("MPI_Offset", MPI_OFFSET, numbers + bitwise());
  checkType<MPI_Count>("MPI_Count", MPI_COUNT, numbers + bitwise());
  checkType<std::complex<float>>("float complex", MPI_C_FLOAT_COMPLEX, arithmetic());
  checkType<std::complex<double>>("double complex", MPI_C_DOUBLE_COMPLEX, arithmetic());
  checkType<std::complex<long double>>("long double complex", MPI_C_LONG_DOUBLE_COMPLEX, arithmetic());
}

// MINLOC and MAXLOC: the value, and of equal values the smallest index (6.9.4).
template <class T> void checkLocation(const char* name, MPI_Datatype type) {
  struct Pair {
    T value;
    int index;
    bool operator==(const Pair& other) const { return value == other.value && index == other.index; }
  };
  const std::string before = state().current;
  state().current = before + " " + name;
  for (int count : {1, 10, 2000})
    for (bool largest : {false, true}) {
      std::vector<Pair> mine(static_cast<std::size_t>(count));
      std::vector<Pair> wanted(static_cast<std::size_t>(count));
      std::vector<Pair> found(static_cast<std::size_t>(count));
      const auto pairOf = [](int from, int i) {
        // Few values, so that ties are common; indices do not follow the ranks.
        return Pair{static_cast<T>(given(from, i) % 3 - 1), given(from + 50, i) % 100};
      };
      for (int i = 0; i < count; ++i) {
        mine[i] = pairOf(rank(), i);
        wanted[i] = pairOf(0, i);
        for (int from = 1; from < size(); ++from) {
          const Pair next = pairOf(from, i);
          if (next.value == wanted[i].value)
            wanted[i].index = std::min(wanted[i].index, next.index);
          else if (largest ? next.value > wanted[i].value : next.value < wanted[i].value)
            wanted[i] = next;
        }
      }
      MPI_Allreduce(mine.data(), found.data(), count, type, largest ? MPI_MAXLOC : MPI_MINLOC,
                    MPI_COMM_WORLD);
      CHECK_EQ(differences(found, wanted), 0);
      found = mine;
      MPI_Reduce(rank() == 0 ? MPI_IN_PLACE : mine.data(), found.data(), count, type,
                 largest ? MPI_MAXLOC : MPI_MINLOC, 0, MPI_COMM_WORLD);
      if (rank() == 0)
        CHECK_EQ(differences(found, wanted), 0);
    }
  state().current = before;
}

void locations() {
  checkLocation<float>("float int", MPI_FLOAT_INT);
  checkLocation<double>("double int", MPI_DOUBLE_INT);
  checkLocation<long>("long int", MPI_LONG_INT);
  checkLocation<int>("2 int", MPI_2INT);
  checkLocation<short>("short int", MPI_SHORT_INT);
  checkLocation<long double>("long double int", MPI_LONG_DOUBLE_INT);
}

// One operation on many lengths up to 1 MiB and past it, on all test communicators.
void manyLengths() {
  onTestComms([](MPI_Comm comm) {
    for (int count : lengths())
      checkOne<int>("int", MPI_INT, {Operation::sum, MPI_SUM, "sum"}, count, comm);
    checkOne<double>("double", MPI_DOUBLE, {Operation::max, MPI_MAX, "max"}, 131072, comm);
  });
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return run(argc, argv,
             {{"c-integers", cIntegers},
              {"fixed-integers", fixedIntegers},
              {"others", others},
              {"locations", locations},
              {"many-lengths", manyLengths}});
}
