#include "pt2pt/node/ChunkPool.h"

namespace mpl {

std::uint32_t ChunkPool::take(std::int64_t receiver) noexcept {
  for (std::uint32_t tried = 0; tried < chunkCount; ++tried) {
    const std::uint32_t chunk = next_;
    next_ = (next_ + 1) % chunkCount;
    if (shared_->chunks[chunk].used.load(std::memory_order_acquire) != 0)
      continue;
    shared_->chunks[chunk].used.store(1, std::memory_order_relaxed);
    receivers_[chunk] = receiver;
    return chunk;
  }
  return none;
}

void ChunkPool::takeBack(std::int64_t receiver) noexcept {
  for (std::uint32_t chunk = 0; chunk < chunkCount; ++chunk)
    if (receivers_[chunk] == receiver)
      giveBack(chunk);
}

} // namespace mpl
