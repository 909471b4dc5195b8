#pragma once

#include "mpl/BasicType.h"
#include "mpl/LongCopy.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace mpl {

/// Which way data moves between the user's memory and the packed form.
enum class Direction { pack, unpack };

/// Copies runs between the user's memory and one packed stretch, in the order of its visits (see RunVisitor).
/// Short runs of usual sizes are moved by loops with a fixed size, which compile to a load and a store.
template <Direction direction> class RunCopier {
public:
  using Packed = std::conditional_t<direction == Direction::pack, unsigned char*, const unsigned char*>;

  explicit RunCopier(Packed packed) : packed_(packed) {}

  void run(std::uintptr_t at, std::size_t bytes, BasicType) {
    if (bytes <= 32)
      copyShort(at, bytes);
    else
      copy(at, packed_, bytes);
    packed_ += bytes;
  }

  void strided(std::uintptr_t at, MPI_Count count, MPI_Count stride, std::size_t bytes, BasicType) {
    const auto step = static_cast<std::uintptr_t>(stride);
    withSize(bytes, [&](auto size) {
      Packed packed = packed_;
      MPI_Count i = 0;
      for (; i + 4 <= count; i += 4) {
        copy(at, packed, size);
        copy(at + step, packed + size, size);
        copy(at + 2 * step, packed + 2 * size, size);
        copy(at + 3 * step, packed + 3 * size, size);
        at += 4 * step;
        packed += 4 * size;
      }
      for (; i < count; ++i, at += step, packed += size)
        copy(at, packed, size);
      packed_ = packed;
    });
  }

  void scattered(std::uintptr_t at, const MPI_Count* offsets, MPI_Count count, std::size_t bytes, BasicType) {
    withSize(bytes, [&](auto size) {
      Packed packed = packed_;
      for (MPI_Count i = 0; i < count; ++i, packed += size)
        copy(at + static_cast<std::uintptr_t>(offsets[i]), packed, size);
      packed_ = packed;
    });
  }

private:
  template <std::size_t n> using Fixed = std::integral_constant<std::size_t, n>;

  /// Calls loop with the size, as a compile-time constant where it is a usual one.
  template <class Loop> static void withSize(std::size_t bytes, Loop&& loop) {
    switch (bytes) {
    case 1:
      return loop(Fixed<1>());
    case 2:
      return loop(Fixed<2>());
    case 3:
      return loop(Fixed<3>());
    case 4:
      return loop(Fixed<4>());
    case 6:
      return loop(Fixed<6>());
    case 8:
      return loop(Fixed<8>());
    case 12:
      return loop(Fixed<12>());
    case 16:
      return loop(Fixed<16>());
    case 24:
      return loop(Fixed<24>());
    case 32:
      return loop(Fixed<32>());
    case 48:
      return loop(Fixed<48>());
    case 64:
      return loop(Fixed<64>());
    default:
      return loop(bytes);
    }
  }

  static void copy(std::uintptr_t at, Packed packed, std::size_t bytes) {
    if constexpr (direction == Direction::pack)
      copyLong(packed, reinterpret_cast<const void*>(at), bytes);
    else
      copyLong(reinterpret_cast<void*>(at), packed, bytes);
  }

  /// Up to 32 bytes, by two moves that may overlap.
  void copyShort(std::uintptr_t at, std::size_t bytes) {
    if (bytes >= 16)
      return copyTwice(at, bytes, Fixed<16>());
    if (bytes >= 8)
      return copyTwice(at, bytes, Fixed<8>());
    if (bytes >= 4)
      return copyTwice(at, bytes, Fixed<4>());
    for (std::size_t i = 0; i < bytes; ++i)
      copy(at + i, packed_ + i, 1);
  }

  template <class Size> void copyTwice(std::uintptr_t at, std::size_t bytes, Size size) {
    copy(at, packed_, size);
    copy(at + bytes - size, packed_ + bytes - size, size);
  }

  Packed packed_;
};

} // namespace mpl
