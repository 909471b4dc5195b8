#pragma once

#include "mpl/BasicType.h"
#include "mpl/Datatype.h"

#include <cstddef>
#include <cstdint>

namespace mpl {

/// The predefined datatype that an accumulate works on, in two bytes: a basic type, or the value and index of
/// a pair. In memory a pair lies as a C struct of the two; packed, its parts follow each other.
struct ElementType {
  BasicType value = BasicType::none;
  BasicType index = BasicType::none; ///< of pairs only

  bool isPair() const noexcept { return index != BasicType::none; }
  std::size_t packedSize() const noexcept { return sizeOf(value) + (isPair() ? sizeOf(index) : 0); }
  std::size_t indexOffset() const noexcept { return roundUp(sizeOf(value), alignmentOf(index)); }
  std::size_t extent() const noexcept {
    if (!isPair())
      return sizeOf(value);
    const std::size_t strictest =
        alignmentOf(value) > alignmentOf(index) ? alignmentOf(value) : alignmentOf(index);
    return roundUp(indexOffset() + sizeOf(index), strictest);
  }
  friend bool operator==(const ElementType&, const ElementType&) = default;

  /// Of a predefined datatype; none where it has several kinds of data (MPI_PACKED counts as bytes).
  static ElementType of(const Datatype& predefined);

private:
  static std::size_t sizeOf(BasicType type) noexcept { return basicTypeInfo(type).size; }
  static std::size_t alignmentOf(BasicType type) noexcept { return basicTypeInfo(type).alignment; }
  static std::size_t roundUp(std::size_t bytes, std::size_t to) noexcept {
    return (bytes + to - 1) / to * to;
  }
};

/// The one predefined datatype that a datatype is made of, itself where it is predefined; nullptr where there
/// are several (section 12.3.4 allows only one in accumulates) or it has no data.
const Datatype* predefinedIn(const Datatype& type);

} // namespace mpl
