#pragma once

#include "coll/Block.h"
#include "mpl/LongCopy.h"

#include <algorithm>
#include <cstring>

namespace mpl {

/// A block's data as a run of packed bytes, read and written in pieces.
class PackedView {
public:
  explicit PackedView(const Block& block) : bytes_(block.bytes()) {
    if (block.isOneRun())
      run_ = static_cast<std::byte*>(block.run().at);
    else
      cursor_ = block.type->cursor(block.at, block.count);
  }

  std::size_t bytes() const noexcept { return bytes_; }

  /// Pieces behind the end are cut.
  void read(std::size_t from, std::size_t length, std::byte* to) const noexcept {
    length = from < bytes_ ? std::min(length, bytes_ - from) : 0;
    if (length == 0)
      return;
    if (run_ != nullptr)
      copyLong(to, run_ + from, length);
    else
      cursor_.pack(from, to, length);
  }
  void write(std::size_t at, std::size_t length, const std::byte* from) const noexcept {
    length = at < bytes_ ? std::min(length, bytes_ - at) : 0;
    if (length == 0)
      return;
    if (run_ != nullptr)
      std::memcpy(run_ + at, from, length);
    else
      cursor_.unpack(at, from, length);
  }

private:
  std::byte* run_ = nullptr;
  PackCursor cursor_;
  std::size_t bytes_;
};

} // namespace mpl
