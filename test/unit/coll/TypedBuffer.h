#pragma once

#include "coll/Block.h"
#include "mpl/DatatypeConstructors.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace mpl::test {

using Values = std::vector<std::uint32_t>;

/// Datatypes of 32-bit numbers, with and without gaps, with lower bounds on both sides of 0.
class TestTypes {
public:
  static constexpr int count = 5;
  /// A multiple of the numbers in one element of each.
  static constexpr int commonNumbers = 12;

  static const TestTypes& get() {
    static const TestTypes types;
    return types;
  }
  const Datatype& type(unsigned index) const { return *types_[index % count]; }
  static int numbersIn(const Datatype& type) { return static_cast<int>(type.size() / sizeof(std::uint32_t)); }

private:
  TestTypes() {
    Datatype& number = datatypeOf(MPI_UINT32_T);
    types_[0] = Ref<Datatype>(&number);
    types_[1] = makeContiguous(3, number);
    types_[2] = makeVector(2, 1, 3, number);
    types_[3] = makeResized(*makeVector(2, 2, 3, number), -8, 40, false);
    const std::array<int, 2> lengths{1, 2};
    const std::array<int, 2> displacements{4, -3};
    types_[4] = makeIndexed(std::span<const int>(lengths), displacements.data(), number);
    for (auto& type : types_) {
      type->commit();
      if (!type->isPredefined())
        giveHandle(type);
    }
  }

  std::array<Ref<Datatype>, count> types_;
};

/// Memory for elements of a datatype, filled with a pattern, so that two of them are equal only where every
/// byte is: those of the gaps too.
class TypedBuffer {
public:
  TypedBuffer(const Datatype& type, MPI_Count elements) : type_(&type), elements_(elements) {
    MPI_Count lowest = 0;
    const auto span = static_cast<std::size_t>(type.span(elements, lowest));
    memory_.assign(span + 64, std::byte{0xa5});
    origin_ = 32 - lowest;
  }

  int numbersPerElement() const { return TestTypes::numbersIn(*type_); }
  MPI_Count elements() const { return elements_; }
  /// Where the first element is, as a program would give it.
  void* address() {
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(memory_.data()) +
                                   static_cast<std::uintptr_t>(origin_));
  }
  Block block() { return Block::of(address(), elements_, *type_); }
  Block block(MPI_Count first, MPI_Count count) { return block().elements(first, count); }

  /// From an element on.
  void write(MPI_Count first, const Values& values) {
    const auto count = static_cast<MPI_Count>(values.size()) / numbersPerElement();
    const Block target = block(first, count);
    type_->cursor(target.at, count).unpack(0, values.data(), values.size() * sizeof(std::uint32_t));
  }

  const std::vector<std::byte>& memory() const { return memory_; }
  const Datatype& type() const { return *type_; }

private:
  const Datatype* type_;
  MPI_Count elements_;
  MPI_Count origin_ = 0;
  std::vector<std::byte> memory_;
};

/// What rank `rank` contributes: n numbers, different for each salt.
inline Values numbersOf(int rank, int n, int salt = 0) {
  Values values(static_cast<std::size_t>(n));
  std::uint32_t state = static_cast<std::uint32_t>(rank * 7919 + salt * 104729 + 1);
  for (auto& value : values)
    value = state = state * 1664525 + 1013904223;
  return values;
}

} // namespace mpl::test
