#pragma once

#include "mpl/Datatype.h"

#include <cstddef>
#include <cstdint>

namespace mpl {

/// Data of a collective in memory: `count` elements of a datatype, or bytes where there is no datatype. Never
/// owns anything.
struct Block {
  void* at = nullptr;
  MPI_Count count = 0;
  const Datatype* type = nullptr;

  static Block of(const void* at, MPI_Count count, const Datatype& type) {
    return {const_cast<void*>(at), count, &type};
  }
  static Block ofBytes(void* at, std::size_t bytes) { return {at, static_cast<MPI_Count>(bytes), nullptr}; }

  bool isInPlace() const noexcept { return at == MPI_IN_PLACE; }
  MPI_Count extent() const noexcept { return type != nullptr ? type->extent() : 1; }
  /// Bytes of data, gaps not counted.
  std::size_t bytes() const noexcept {
    return type != nullptr ? static_cast<std::size_t>(count) * type->size() : static_cast<std::size_t>(count);
  }

  /// Whether the data is one run of memory.
  bool isOneRun() const noexcept {
    return type == nullptr || type->isContiguous() || (count == 1 && type->isOneBlock());
  }
  /// That run.
  Block run() const noexcept {
    return type == nullptr ? *this : ofBytes(shifted(type->trueLowerBound()), bytes());
  }

  /// n elements from the element `first` on.
  Block elements(MPI_Count first, MPI_Count n) const noexcept { return {shifted(first * extent()), n, type}; }
  /// The same elements at another address.
  Block movedTo(void* address) const noexcept { return {address, count, type}; }

private:
  // Integers, since the address may be MPI_BOTTOM and the datatype absolute.
  void* shifted(MPI_Count by) const noexcept {
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(at) + static_cast<std::uintptr_t>(by));
  }
};

/// Copies the data of one block into another of the same type signature, whatever the layouts; the blocks do
/// not overlap. Returns false where `to` is too small: then what fits is copied.
bool copyData(const Block& from, const Block& to) noexcept;

} // namespace mpl
