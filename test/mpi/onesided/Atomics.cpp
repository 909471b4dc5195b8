// Accumulate, get_accumulate, fetch_and_op and compare_and_swap: every predefined operation with types of all
// kinds and sizes, exact sums under contention with all four mixed on one location, pairs, and derived
// datatypes.
#include "OneWindow.h"

#include <complex>
#include <limits>

using namespace onesided;

namespace {

// target op operand, as MPI_Reduce_local computes it.
template <class T> T combined(MPI_Op op, MPI_Datatype type, T target, T operand) {
  if (op == MPI_REPLACE)
    return operand;
  if (op == MPI_NO_OP)
    return target;
  MPI_Reduce_local(&operand, &target, 1, type, op);
  return target;
}

template <class T> bool same(const T& a, const T& b) {
  return a == b;
}

template <class T> T valueOf(int i) {
  return static_cast<T>(i % 5 + 1);
}

// One operation of every kind on a window of this type.
template <class T>
void oneType(Flavor flavor, MPI_Datatype type, const std::vector<MPI_Op>& ops, const char* name) {
  const std::string before = check::state().current;
  check::state().current = before + ", " + name;
  constexpr int n = 5;
  OneWindow<T> win(flavor, n);
  const int right = (check::rank() + 1) % check::size();
  for (const MPI_Op op : ops) {
    T operand[n];
    T old[n];
    T expected[n];
    for (int i = 0; i < n; ++i) {
      win[i] = valueOf<T>(3 * i + 1);
      operand[i] = valueOf<T>(i + 2);
      old[i] = T();
      expected[i] = combined(op, type, valueOf<T>(3 * i + 1), operand[i]);
    }
    MPI_Win_fence(0, win);
    MPI_Get_accumulate(operand, n, type, old, n, type, right, win.at(right, 0), n, type, op, win);
    MPI_Win_fence(0, win);
    int wrong = 0;
    for (int i = 0; i < n; ++i)
      wrong += !same(win[i], expected[i]) + !same(old[i], valueOf<T>(3 * i + 1));
    CHECK_EQ(wrong, 0);
    MPI_Win_fence(0, win);
    if (op != MPI_NO_OP)
      MPI_Accumulate(operand, n, type, right, win.at(right, 0), n, type, op, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < n; ++i)
      wrong += !same(win[i], combined(op, type, expected[i], operand[i]));
    CHECK_EQ(wrong, 0);
    MPI_Win_fence(0, win);
    const T before4 = combined(op, type, expected[4], operand[4]);
    MPI_Fetch_and_op(&operand[2], &old[0], type, right, win.at(right, 4), op, win);
    MPI_Win_fence(0, win);
    CHECK(same(old[0], before4));
    CHECK(same(win[4], combined(op, type, before4, operand[2])));
    MPI_Win_fence(0, win);
  }
  check::state().current = before;
}

const std::vector<MPI_Op>& integerOps() {
  static const std::vector<MPI_Op> ops{MPI_SUM,  MPI_PROD, MPI_MIN, MPI_MAX,  MPI_LAND,    MPI_LOR,
                                       MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_REPLACE, MPI_NO_OP};
  return ops;
}
const std::vector<MPI_Op>& realOps() {
  static const std::vector<MPI_Op> ops{MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_REPLACE, MPI_NO_OP};
  return ops;
}
const std::vector<MPI_Op>& complexOps() {
  static const std::vector<MPI_Op> ops{MPI_SUM, MPI_PROD, MPI_REPLACE, MPI_NO_OP};
  return ops;
}
const std::vector<MPI_Op>& byteOps() {
  static const std::vector<MPI_Op> ops{MPI_BAND, MPI_BOR, MPI_BXOR, MPI_REPLACE, MPI_NO_OP};
  return ops;
}
const std::vector<MPI_Op>& logicalOps() {
  static const std::vector<MPI_Op> ops{MPI_LAND, MPI_LOR, MPI_LXOR, MPI_REPLACE, MPI_NO_OP};
  return ops;
}

void allTypes(Flavor flavor) {
  oneType<std::int8_t>(flavor, MPI_INT8_T, integerOps(), "int8");
  oneType<std::uint8_t>(flavor, MPI_UINT8_T, integerOps(), "uint8");
  oneType<std::int16_t>(flavor, MPI_INT16_T, integerOps(), "int16");
  oneType<std::uint16_t>(flavor, MPI_UINT16_T, integerOps(), "uint16");
  oneType<int>(flavor, MPI_INT, integerOps(), "int");
  oneType<unsigned>(flavor, MPI_UNSIGNED, integerOps(), "unsigned");
  oneType<long>(flavor, MPI_LONG, integerOps(), "long");
  oneType<unsigned long long>(flavor, MPI_UNSIGNED_LONG_LONG, integerOps(), "unsigned long long");
  oneType<float>(flavor, MPI_FLOAT, realOps(), "float");
  oneType<double>(flavor, MPI_DOUBLE, realOps(), "double");
  oneType<long double>(flavor, MPI_LONG_DOUBLE, realOps(), "long double");
  oneType<std::complex<float>>(flavor, MPI_CXX_FLOAT_COMPLEX, complexOps(), "complex float");
  oneType<std::complex<double>>(flavor, MPI_CXX_DOUBLE_COMPLEX, complexOps(), "complex double");
  oneType<unsigned char>(flavor, MPI_BYTE, byteOps(), "byte");
  oneType<bool>(flavor, MPI_CXX_BOOL, logicalOps(), "bool");
  oneType<MPI_Aint>(flavor, MPI_AINT, {MPI_SUM, MPI_MAX, MPI_BOR, MPI_REPLACE}, "MPI_Aint");
  oneType<int>(flavor, MPI_INTEGER, {MPI_SUM, MPI_BXOR, MPI_REPLACE}, "MPI_INTEGER");
  oneType<double>(flavor, MPI_DOUBLE_PRECISION, {MPI_SUM, MPI_MIN}, "MPI_DOUBLE_PRECISION");
}

struct DoubleInt {
  double value;
  int index;
  bool operator==(const DoubleInt& other) const { return value == other.value && index == other.index; }
};
struct ShortInt {
  short value;
  int index;
  bool operator==(const ShortInt& other) const { return value == other.value && index == other.index; }
};
struct TwoInt {
  int value;
  int index;
  bool operator==(const TwoInt& other) const { return value == other.value && index == other.index; }
};

template <class Pair> void onePair(Flavor flavor, MPI_Datatype type) {
  constexpr int n = 3;
  OneWindow<Pair> win(flavor, n);
  const int me = check::rank();
  const int ranks = check::size();
  for (int i = 0; i < n; ++i) {
    win[i].value = 50;
    win[i].index = 99;
  }
  // All ranks look for the smallest value at rank 0, with equal values at two of them.
  MPI_Win_fence(0, win);
  Pair mine[n];
  for (int i = 0; i < n; ++i) {
    std::memset(&mine[i], 0, sizeof mine[i]);
    mine[i].value = static_cast<decltype(mine[i].value)>(i == 0 ? 10 + me : i == 1 ? 20 : 70);
    mine[i].index = me;
  }
  MPI_Accumulate(mine, n, type, 0, win.at(0, 0), n, type, MPI_MINLOC, win);
  MPI_Win_fence(0, win);
  if (me == 0) {
    CHECK_EQ(win[0].value, 10);
    CHECK_EQ(win[0].index, 0);
    CHECK_EQ(win[1].value, 20);
    CHECK_EQ(win[1].index, 0);
    CHECK_EQ(win[2].value, 50);
    CHECK_EQ(win[2].index, 99);
  }
  MPI_Win_fence(0, win);
  Pair old;
  std::memset(&old, 0, sizeof old);
  if (me == ranks - 1) {
    Pair next = mine[0];
    next.value = 60;
    next.index = 7;
    MPI_Fetch_and_op(&next, &old, type, 0, win.at(0, 2), MPI_MAXLOC, win);
  }
  MPI_Win_fence(0, win);
  if (me == ranks - 1) {
    CHECK_EQ(old.value, 50);
    CHECK_EQ(old.index, 99);
  }
  if (me == 0) {
    CHECK_EQ(win[2].value, 60);
    CHECK_EQ(win[2].index, 7);
  }
  MPI_Win_fence(0, win);
}

void pairs(Flavor flavor) {
  onePair<DoubleInt>(flavor, MPI_DOUBLE_INT);
  onePair<ShortInt>(flavor, MPI_SHORT_INT);
  onePair<TwoInt>(flavor, MPI_2INT);
}

// All ranks at once on few locations of every rank, with all kinds of operation: every sum must be exact.
template <class T> void contended(Flavor flavor, MPI_Datatype type) {
  constexpr int rounds = 60;
  constexpr int places = 3;
  OneWindow<T> win(flavor, places + 1);
  const int ranks = check::size();
  const T one = 1;
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < rounds; ++i) {
    for (int rank = 0; rank < ranks; ++rank) {
      const T ones[places] = {1, 1, 1};
      T old[places] = {};
      MPI_Accumulate(&one, 1, type, rank, win.at(rank, 0), 1, type, MPI_SUM, win);
      MPI_Fetch_and_op(&one, &old[0], type, rank, win.at(rank, 0), MPI_SUM, win);
      MPI_Get_accumulate(ones, places, type, old, places, type, rank, win.at(rank, 0), places, type, MPI_SUM,
                         win);
      MPI_Win_flush(rank, win);
    }
  }
  // Increments by compare-and-swap.
  for (int i = 0; i < rounds / 4; ++i) {
    const int rank = (check::rank() + i) % ranks;
    T seen = 0;
    T now = 0;
    for (;;) {
      const T next = static_cast<T>(seen + 1);
      MPI_Compare_and_swap(&next, &seen, &now, type, rank, win.at(rank, places), win);
      MPI_Win_flush(rank, win);
      if (now == seen)
        break;
      seen = now;
    }
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, check::rank(), 0, win);
  CHECK_EQ(win[0], static_cast<T>(3 * rounds * ranks));
  CHECK_EQ(win[1], static_cast<T>(rounds * ranks));
  MPI_Win_unlock(check::rank(), win);
  int added = 0;
  const int mine = static_cast<int>(win[places]);
  MPI_Allreduce(&mine, &added, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (sizeof(T) > 1) {
    CHECK_EQ(added, rounds / 4 * ranks);
  }
}

void contention(Flavor flavor) {
  contended<std::uint8_t>(flavor, MPI_UINT8_T);
  contended<std::int16_t>(flavor, MPI_INT16_T);
  contended<int>(flavor, MPI_INT);
  contended<long long>(flavor, MPI_LONG_LONG);
}

// Sums of types that no processor instruction adds.
template <class T> void contendedSum(Flavor flavor, MPI_Datatype type) {
  constexpr int rounds = 100;
  OneWindow<T> win(flavor, 2);
  const T one = T(1);
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < rounds; ++i)
    MPI_Accumulate(&one, 1, type, 0, win.at(0, 1), 1, type, MPI_SUM, win);
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (check::rank() == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    CHECK(win[1] == T(rounds * check::size()));
    CHECK(win[0] == T());
    MPI_Win_unlock(0, win);
  }
}

void contentionOfWideTypes(Flavor flavor) {
  contendedSum<float>(flavor, MPI_FLOAT);
  contendedSum<double>(flavor, MPI_DOUBLE);
  contendedSum<long double>(flavor, MPI_LONG_DOUBLE);
  contendedSum<std::complex<double>>(flavor, MPI_CXX_DOUBLE_COMPLEX);
}

// What one process does to one location happens in its order.
void order(Flavor flavor) {
  constexpr int n = 3000;
  OneWindow<int> win(flavor, n);
  const int me = check::rank();
  MPI_Win_lock_all(0, win);
  if (me == check::size() - 1) {
    std::vector<int> many(n, 1);
    std::vector<int> old(n, -1);
    const int two = 2;
    int seen = -1;
    MPI_Accumulate(many.data(), n, MPI_INT, 0, win.at(0, 0), n, MPI_INT, MPI_REPLACE, win);
    MPI_Accumulate(&two, 1, MPI_INT, 0, win.at(0, n - 1), 1, MPI_INT, MPI_PROD, win);
    MPI_Fetch_and_op(&two, &seen, MPI_INT, 0, win.at(0, n - 1), MPI_SUM, win);
    MPI_Get_accumulate(nullptr, 0, MPI_INT, old.data(), n, MPI_INT, 0, win.at(0, 0), n, MPI_INT, MPI_NO_OP,
                       win);
    MPI_Win_flush(0, win);
    CHECK_EQ(seen, 2);
    CHECK_EQ(old[0], 1);
    CHECK_EQ(old[n - 2], 1);
    CHECK_EQ(old[n - 1], 4);
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
}

// Vectors on both sides, results scattered.
void derived(Flavor flavor) {
  constexpr int n = 40;
  OneWindow<int> win(flavor, 2 * n);
  const int right = (check::rank() + 1) % check::size();
  MPI_Datatype every2;
  MPI_Datatype every3;
  MPI_Type_vector(n, 1, 2, MPI_INT, &every2);
  MPI_Type_vector(n, 1, 3, MPI_INT, &every3);
  MPI_Type_commit(&every2);
  MPI_Type_commit(&every3);
  std::vector<int> operand(3 * n, -7);
  std::vector<int> result(3 * n, -5);
  for (int i = 0; i < n; ++i)
    operand[static_cast<size_t>(3 * i)] = i;
  for (int i = 0; i < 2 * n; ++i)
    win[i] = 100 + i;
  MPI_Win_fence(0, win);
  MPI_Get_accumulate(operand.data(), 1, every3, result.data(), 1, every3, right, win.at(right, 0), 1, every2,
                     MPI_SUM, win);
  MPI_Win_fence(0, win);
  for (int i = 0; i < n; ++i) {
    CHECK_EQ(win[2 * i], 100 + 2 * i + i);
    CHECK_EQ(win[2 * i + 1], 100 + 2 * i + 1);
    CHECK_EQ(result[static_cast<size_t>(3 * i)], 100 + 2 * i);
  }
  CHECK_EQ(result[1], -5);
  CHECK_EQ(result[3 * n - 1], -5);
  MPI_Type_free(&every2);
  MPI_Type_free(&every3);
  MPI_Win_fence(0, win);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return check::run(argc, argv,
                    {{"all types", [] { forEachFlavor(allTypes); }},
                     {"pairs", [] { forEachFlavor(pairs); }},
                     {"contention", [] { forEachFlavor(contention); }},
                     {"wide types", [] { forEachFlavor(contentionOfWideTypes); }},
                     {"order", [] { forEachFlavor(order); }},
                     {"derived", [] { forEachFlavor(derived); }}});
}
