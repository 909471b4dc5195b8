#include "mpl/OpKernels.h"

#include "mpl/FortranLogical.h"
#include "mpl/Numbers.h"

#include <cstring>

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
void combineAll(const unsigned char* __restrict in, unsigned char* __restrict inout, std::size_t count,
                Combine combine) {
  for (std::size_t i = 0; i < count; ++i)
    store<T>(inout + i * sizeof(T), combine(load<T>(in + i * sizeof(T)), load<T>(inout + i * sizeof(T))));
}

/// One reduction on one pair of buffers; the functions below choose the loop.
class Reduction {
public:
  Reduction(Kind kind, const void* in, void* inout, std::size_t count)
      : kind_(kind), in_(static_cast<const unsigned char*>(in)), inout_(static_cast<unsigned char*>(inout)),
        count_(count) {}

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
      return run<T>([=](T a, T b) { return (a != no) & (b != no) ? yes : no; });
    case Kind::lor:
      return run<T>([=](T a, T b) { return (a != no) | (b != no) ? yes : no; });
    default:
      return run<T>([=](T a, T b) { return (a != no) != (b != no) ? yes : no; });
    }
  }

private:
  template <class T, class Combine> void run(Combine combine) { combineAll<T>(in_, inout_, count_, combine); }

  Kind kind_;
  const unsigned char* in_;
  unsigned char* inout_;
  std::size_t count_;
};

template <class Value, class Index>
void locate(bool smallest, std::size_t extent, const unsigned char* __restrict in,
            unsigned char* __restrict inout, std::size_t count) {
  struct Pair {
    Value value;
    Index index;
  };
  constexpr std::size_t indexAt = offsetof(Pair, index);
  for (std::size_t i = 0; i < count; ++i, in += extent, inout += extent) {
    const auto a = load<Value>(in);
    const auto b = load<Value>(inout);
    if (a == b) {
      const auto indexA = load<Index>(in + indexAt);
      if (indexA < load<Index>(inout + indexAt))
        store(inout + indexAt, indexA);
    } else if (smallest ? a < b : b < a) {
      store(inout, a);
      store(inout + indexAt, load<Index>(in + indexAt));
    }
  }
}

/// Calls visit with the C++ type of a number that may be a value or an index.
template <class Visit> void withNumber(BasicType basic, Visit&& visit) {
  if (!withWhole(basic, visit))
    withReal(basic, visit);
}

} // namespace

void reduce(Op::Kind kind, BasicType basic, const void* in, void* inout, std::size_t count) {
  Reduction reduction(kind, in, inout, count);
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
  const auto* from = static_cast<const unsigned char*>(in);
  auto* to = static_cast<unsigned char*>(inout);
  const bool smallest = kind == Kind::minloc;
  withNumber(types.value, [&]<class Value>() {
    // Indices that are real numbers occur only in the pairs of Fortran 77, next to a value of the same type.
    if (types.index == types.value)
      locate<Value, Value>(smallest, extent, from, to, count);
    else
      withWhole(types.index, [&]<class Index>() { locate<Value, Index>(smallest, extent, from, to, count); });
  });
}

} // namespace mpl::opKernels
