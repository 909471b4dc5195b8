#pragma once

#include "coll/shared/PackedView.h"
#include "mpl/ScratchMemory.h"

#include <cstdint>

namespace mpl {

/// A block as one run of memory that other members may read or write: the block's own where it has no gaps,
/// else packed memory.
class PackedRun {
public:
  enum class Use { source, target };

  /// copies: packed memory in any case.
  PackedRun(const Block& block, Use use, bool copies = false) : block_(block), bytes_(block.bytes()) {
    if (bytes_ == 0)
      return;
    if (block.isOneRun() && !copies) {
      at_ = static_cast<std::byte*>(block.run().at);
      return;
    }
    memory_ = ScratchMemory(bytes_);
    at_ = memory_.get();
    if (use == Use::source)
      PackedView(block).read(0, bytes_, at_);
  }

  std::byte* at() const noexcept { return at_; }
  std::uint64_t address() const noexcept { return reinterpret_cast<std::uintptr_t>(at_); }
  std::size_t bytes() const noexcept { return bytes_; }
  /// Of a target into which so many bytes were written.
  void finish(std::size_t length) const {
    if (memory_.get() != nullptr)
      PackedView(block_).write(0, length, at_);
  }

private:
  Block block_;
  std::size_t bytes_;
  std::byte* at_ = nullptr;
  ScratchMemory memory_;
};

} // namespace mpl
