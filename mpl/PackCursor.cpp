#include "mpl/PackCursor.h"

#include "mpl/CopyKernels.h"
#include "mpl/LayoutWalk.h"

#include <algorithm>

namespace mpl {

std::size_t PackCursor::pack(std::size_t offset, void* to, std::size_t maxBytes) const noexcept {
  if (offset >= total_ || maxBytes == 0)
    return 0;
  const std::size_t bytes = std::min(maxBytes, total_ - offset);
  RunCopier<Direction::pack> copier(static_cast<unsigned char*>(to));
  LayoutWalk(copier).loopPart(*root_, base_, extent_, static_cast<MPI_Count>(offset),
                              static_cast<MPI_Count>(offset + bytes));
  return bytes;
}

std::size_t PackCursor::unpack(std::size_t offset, const void* from, std::size_t bytes) const noexcept {
  if (offset >= total_ || bytes == 0)
    return 0;
  bytes = std::min(bytes, total_ - offset);
  RunCopier<Direction::unpack> copier(static_cast<const unsigned char*>(from));
  LayoutWalk(copier).loopPart(*root_, base_, extent_, static_cast<MPI_Count>(offset),
                              static_cast<MPI_Count>(offset + bytes));
  return bytes;
}

} // namespace mpl
