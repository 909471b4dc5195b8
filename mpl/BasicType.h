#pragma once

#include "mpi.h"

#include <cstddef>
#include <cstdint>

namespace mpl {

/// What the bytes of one element mean to the machine. Several predefined MPI datatypes share one (MPI_INT,
/// MPI_INTEGER and MPI_INT32_T are all int32). `none` stands for bytes of several kinds, or for no bytes at
/// all.
enum class BasicType : std::uint8_t {
  none,
  byte,
  character,
  wideCharacter,
  boolean,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  long32,  ///< C long: 8 bytes here, 4 in external32
  ulong32, ///< C unsigned long: 8 bytes here, 4 in external32
  int128,
  logical1,
  logical2,
  logical4,
  logical8,
  logical16,
  half,
  single,
  real64,
  extended, ///< C long double
  quad,     ///< IEEE binary128
  complexHalf,
  complexSingle,
  complexReal64,
  complexExtended,
  complexQuad,
};

inline constexpr int basicTypeCount = static_cast<int>(BasicType::complexQuad) + 1;

/// Which reductions a predefined datatype takes part in (the classes of section 6.9.2, where a character has
/// none).
enum class TypeClass : std::uint8_t {
  none,
  cInteger,
  fortranInteger,
  floatingPoint,
  logical,
  complex,
  byte,
  multiLanguage,
  valueIndex, ///< the pairs of MPI_MINLOC and MPI_MAXLOC
};

/// Sizes of one element, in bytes.
struct BasicTypeInfo {
  std::uint8_t size;
  std::uint8_t alignment;
  std::uint8_t externalSize; ///< in "external32" (section 14.5.2)
  std::uint8_t part;         ///< size of what is byte-swapped: half of `size` for complex numbers
};

/// All zero for BasicType::none.
const BasicTypeInfo& basicTypeInfo(BasicType type) noexcept;

} // namespace mpl
