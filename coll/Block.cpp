#include "coll/Block.h"

#include "mpl/LongCopy.h"

#include <algorithm>
#include <array>

namespace mpl {

namespace {

PackCursor cursorOf(const Block& block) {
  return block.type->cursor(block.at, block.count);
}

// Both sides have gaps: through a small buffer that stays in the cache.
void copyThroughBuffer(const Block& from, const Block& to, std::size_t bytes) noexcept {
  std::array<std::byte, 16384> buffer;
  const PackCursor source = cursorOf(from);
  const PackCursor target = cursorOf(to);
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t piece = source.pack(done, buffer.data(), std::min(buffer.size(), bytes - done));
    target.unpack(done, buffer.data(), piece);
    done += piece;
  }
}

} // namespace

bool copyData(const Block& from, const Block& to) noexcept {
  const std::size_t bytes = std::min(from.bytes(), to.bytes());
  const bool fits = from.bytes() <= to.bytes();
  if (bytes == 0)
    return fits;
  if (from.isOneRun() && to.isOneRun()) {
    copyLong(to.run().at, from.run().at, bytes);
  } else if (to.isOneRun()) {
    cursorOf(from).pack(0, to.run().at, bytes);
  } else if (from.isOneRun()) {
    cursorOf(to).unpack(0, from.run().at, bytes);
  } else {
    copyThroughBuffer(from, to, bytes);
  }
  return fits;
}

} // namespace mpl
