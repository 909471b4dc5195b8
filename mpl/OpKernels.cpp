#include "mpl/OpKernels.h"

#include "mpl/FortranLogical.h"
#include "mpl/Numbers.h"

#include <cstring>
#include <type_traits>

// At -O2 GCC 12 makes vectors only of loops whose length it knows.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

namespace mpl::opKernels {

namespace {

using Kind = Op::Kind;

// Moves through memcpy: user memory has no C++ type of ours, and elements of packed structs are not aligned.
template <class T> T load(const unsigned char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T> void store(unsigned char* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

template <class T, class Combine>
[[gnu::always_inline]] inline void combineEach(const unsigned char* __restrict in,
                                               unsigned char* __restrict inout, std::size_t count,
                                               Combine combine) {
  for (std::size_t i = 0; i < count; ++i)
    store<T>(inout + i * sizeof(T), combine(load<T>(in + i * sizeof(T)), load<T>(inout + i * sizeof(T))));
}

#if defined(__x86_64__)
// The same loop for the vectors that most processors have, two to four times as fast. Each has one operation
// on numbers, so none may be fused with another, and all make the same bits.

template <class T, class Combine>
[[gnu::target("avx2"), gnu::noinline]] void combineWide(const unsigned char* __restrict in,
                                                        unsigned char* __restrict inout, std::size_t count,
                                                        Combine combine) {
  combineEach<T>(in, inout, count, combine);
}

template <class T, class Combine>
[[gnu::target("avx512bw,avx512vl"), gnu::noinline]] void combineWidest(const unsigned char* __restrict in,
                                                                       unsigned char* __restrict inout,
                                                                       std::size_t count, Combine combine) {
  combineEach<T>(in, inout, count, combine);
}
#endif

template <class T, class Combine>
void combineAll(const unsigned char* in, unsigned char* inout, std::size_t count,
                [[maybe_unused]] Vectors vectors, Combine combine) {
#if defined(__x86_64__)
  constexpr std::size_t fewBytes = 64; // which gain nothing
  if constexpr (std::is_arithmetic_v<T> && sizeof(T) <= 8)
    if (count > fewBytes / sizeof(T)) {
      if (vectors == Vectors::widest)
        return combineWidest<T>(in, inout, count, combine);
      if (vectors == Vectors::wide)
        return combineWide<T>(in, inout, count, combine);
    }
#endif
  combineEach<T>(in, inout, count, combine);
}

/// One reduction on one pair of buffers; the functions below choose the loop.
class Reduction {
public:
  Reduction(Kind kind, const void* in, void* inout, std::size_t count, Vectors vectors)
      : kind_(kind), in_(static_cast<const unsigned char*>(in)), inout_(static_cast<unsigned char*>(inout)),
        count_(count), vectors_(vectors) {}

  template <Whole T> void whole() {
    using W = typename Wrapping<T>::type;
    switch (kind_) {
    case Kind::sum:
      return run<T>([](T a, T b) { return static_cast<T>(static_cast<W>(a) + static_cast<W>(b)); });
    case Kind::prod:
      return run<T>([](T a, T b) { return static_cast<T>(static_cast<W>(a) * static_cast<W>(b)); });
    case Kind::min:
      return run<T>([](T a, T b) { return a < b ? a : b; });
    case Kind::max:
      return run<T>([](T a, T b) { return a < b ? b : a; });
    case Kind::band:
      return run<T>([](T a, T b) { return static_cast<T>(a & b); });
    case Kind::bor:
      return run<T>([](T a, T b) { return static_cast<T>(a | b); });
    case Kind::bxor:
      return run<T>([](T a, T b) { return static_cast<T>(a ^ b); });
    default:
      return logical<T>(T{1}, T{0});
    }
  }

  template <class T> void real() {
    switch (kind_) {
    case Kind::min:
      return run<T>([](T a, T b) { return a < b ? a : b; });
    case Kind::max:
      return run<T>([](T a, T b) { return a < b ? b : a; });
    default:
      return complex<T>();
    }
  }

  template <class T> void complex() {
    if (kind_ == Kind::sum)
      run<T>([](T a, T b) { return a + b; });
    else
      run<T>([](T a, T b) { return a * b; });
  }

  template <class T> void logical(T yes, T no) {
    switch (kind_) {
    case Kind::land:
      return run<T>([=](T a, T b) { return ((a != no) & (b != no)) ? yes : no; });
    case Kind::lor:
      return run<T>([=](T a, T b) { return ((a != no) | (b != no)) ? yes : no; });
    default:
      return run<T>([=](T a, T b) { return (a != no) != (b != no) ? yes : no; });
    }
  }

private:
  template <class T, class Combine> void run(Combine combine) {
    combineAll<T>(in_, inout_, count_, vectors_, combine);
  }

  Kind kind_;
  const unsigned char* in_;
  unsigned char* inout_;
  std::size_t count_;
  Vectors vectors_;
};

/// Indices of one C++ type.
template <class T> struct FixedIndex {
  bool less(const unsigned char* a, const unsigned char* b) const { return load<T>(a) < load<T>(b); }
  void copy(unsigned char* to, const unsigned char* from) const { store(to, load<T>(from)); }
};

/// Indices of any whole type: slower, but one loop serves all of the rare ones.
class AnyIndex {
public:
  AnyIndex(std::size_t size, bool isSigned) : size_(size), signed_(isSigned) {}

  bool less(const unsigned char* a, const unsigned char* b) const { return value(a) < value(b); }
  void copy(unsigned char* to, const unsigned char* from) const { std::memcpy(to, from, size_); }

private:
  Int128 value(const unsigned char* at) const {
    const bool negative = signed_ && (at[size_ - 1] & 0x80) != 0; // little-endian
    Int128 result = negative ? -1 : 0;
    std::memcpy(&result, at, size_);
    return result;
  }

  std::size_t size_;
  bool signed_;
};

/// The pairs of one reduction.
struct Pairs {
  const unsigned char* in;
  unsigned char* inout;
  std::size_t count;
  std::size_t extent;
  std::size_t indexAt;
  bool smallest;
};

template <class Value, class Index> void locate(const Pairs& pairs, Index index) {
  const unsigned char* __restrict in = pairs.in;
  unsigned char* __restrict inout = pairs.inout;
  for (std::size_t i = 0; i < pairs.count; ++i, in += pairs.extent, inout += pairs.extent) {
    const auto a = load<Value>(in);
    const auto b = load<Value>(inout);
    if (a == b) {
      if (index.less(in + pairs.indexAt, inout + pairs.indexAt))
        index.copy(inout + pairs.indexAt, in + pairs.indexAt);
    } else if (pairs.smallest ? a < b : b < a) {
      store(inout, a);
      index.copy(inout + pairs.indexAt, in + pairs.indexAt);
    }
  }
}

/// Calls visit with the C++ type of a number that may be a value.
template <class Visit> void withNumber(BasicType basic, Visit&& visit) {
  if (!withWhole(basic, visit))
    withReal(basic, visit);
}

} // namespace

const Vectors vectorsHere = [] {
#if defined(__x86_64__)
  // This also says whether the system keeps the registers.
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    return Vectors::widest;
  if (__builtin_cpu_supports("avx2"))
    return Vectors::wide;
#endif
  return Vectors::ofAll;
}();

void reduce(Op::Kind kind, BasicType basic, const void* in, void* inout, std::size_t count, Vectors vectors) {
  Reduction reduction(kind, in, inout, count, vectors);
  if (basic == BasicType::boolean)
    return reduction.logical<std::uint8_t>(1, 0);
  if (withWhole(basic, [&]<class T>() { reduction.whole<T>(); }))
    return;
  if (withReal(basic, [&]<class T>() { reduction.real<T>(); }))
    return;
  if (withComplex(basic, [&]<class T>() { reduction.complex<T>(); }))
    return;
  withLogical(basic, [&]<class T>() {
    reduction.logical(static_cast<T>(fortranLogical.trueValue.load(std::memory_order_relaxed)),
                      static_cast<T>(fortranLogical.falseValue.load(std::memory_order_relaxed)));
  });
}

void reducePairs(Op::Kind kind, PairTypes types, std::size_t extent, const void* in, void* inout,
                 std::size_t count) {
  const BasicTypeInfo& index = basicTypeInfo(types.index);
  const std::size_t valueSize = basicTypeInfo(types.value).size;
  const Pairs pairs{.in = static_cast<const unsigned char*>(in),
                    .inout = static_cast<unsigned char*>(inout),
                    .count = count,
                    .extent = extent,
                    .indexAt = (valueSize + index.alignment - 1) / index.alignment * index.alignment,
                    .smallest = kind == Kind::minloc};
  withNumber(types.value, [&]<class Value>() {
    // Indices that are real numbers occur only in the pairs of Fortran 77, next to a value of the same type.
    if (types.index == types.value)
      return locate<Value>(pairs, FixedIndex<Value>());
    if (types.index == BasicType::int32)
      return locate<Value>(pairs, FixedIndex<std::int32_t>());
    withWhole(types.index,
              [&]<class Index>() { locate<Value>(pairs, AnyIndex(sizeof(Index), Index(-1) < Index(0))); });
  });
}

} // namespace mpl::opKernels
