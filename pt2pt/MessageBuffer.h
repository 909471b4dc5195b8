#pragma once

#include "mpl/Datatype.h"

#include <ucp/api/ucp.h>

#include <cstddef>
#include <cstdint>

namespace mpl {

/// A buffer of the program as UCX takes it: one run of bytes wherever the layout allows that, else elements
/// of a UCX generic datatype that packs through the layout.
struct MessageBuffer {
  void* address = nullptr;
  std::size_t count = 0;   // in units of `type`
  std::uint64_t bytes = 0; // of data
  ucp_datatype_t type = 0; // meaningful where !plain
  bool plain = true;       // one run: count == bytes
};

/// Longer messages are always packed (see messageBufferFor).
constexpr std::uint64_t largestDirect = UINT32_MAX;

/// The general case; count is not negative. Errors: MPI_ERR_COUNT where count * size leaves 64 bits.
MessageBuffer messageBufferFor(const void* buffer, MPI_Count count, const Datatype& datatype);

/// The same data as elements that UCX packs: it would read a run of bytes out of this process's memory from
/// the other side. Errors: MPI_ERR_NO_MEM.
MessageBuffer packedBuffer(const MessageBuffer& run);

/// Resolves (buffer, count, datatype).
inline MessageBuffer messageBuffer(const void* buffer, MPI_Count count, const Datatype& datatype) {
  if (datatype.isPlain()) [[likely]] {
    std::uint64_t bytes = 0;
    if (!__builtin_mul_overflow(static_cast<std::uint64_t>(count), datatype.size(), &bytes) &&
        bytes <= largestDirect) [[likely]]
      return {const_cast<void*>(buffer), bytes, bytes, 0, true};
  }
  return messageBufferFor(buffer, count, datatype);
}

} // namespace mpl
