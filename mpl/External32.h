#pragma once

#include "mpl/Datatype.h"

#include <cstddef>

namespace mpl {

/// The portable data representation "external32" (section 14.5.2): big-endian, every predefined datatype of a
/// fixed size, no gaps. The caller checks that the buffers are large enough.
namespace external32 {

/// Bytes that `count` elements take.
MPI_Count size(const Datatype& type, MPI_Count count);
/// Packs; returns the number of bytes written. Integers that do not fit (a long of more than 32 bits) lose
/// their upper bytes, as the standard says.
MPI_Count pack(const Datatype& type, MPI_Count count, const void* from, void* to);
/// Unpacks; returns the number of bytes read.
MPI_Count unpack(const Datatype& type, MPI_Count count, const void* from, void* to);

} // namespace external32

} // namespace mpl
