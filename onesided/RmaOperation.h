#pragma once

#include "mpl/Datatype.h"
#include "onesided/Transport.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace mpl {

/// An operation under way that needs something done when its parts have ended, or that a request waits for.
class RmaOperation {
public:
  Pending pending;

  /// Memory for packed data, kept until the parts have ended.
  std::byte* stage(std::size_t bytes) {
    staging_.resize(bytes);
    return staging_.data();
  }

  /// When the parts have ended, packed data goes from staged memory into the program's.
  void unpackInto(void* buffer, MPI_Count count, const Datatype& type, const std::byte* packed) {
    buffer_ = buffer;
    count_ = count;
    type_ = Ref<Datatype>(const_cast<Datatype*>(&type));
    packed_ = packed;
  }

  /// True when it is over, the first time with what is to be done then. RmaLock held.
  bool finished() {
    if (!pending.isComplete())
      return false;
    if (type_) {
      if (pending.error() == MPI_SUCCESS) {
        const PackCursor cursor = type_->cursor(buffer_, count_);
        cursor.unpack(0, packed_, cursor.totalBytes());
      }
      type_ = {};
    }
    return true;
  }

private:
  std::vector<std::byte> staging_;
  void* buffer_ = nullptr;
  MPI_Count count_ = 0;
  Ref<Datatype> type_;
  const std::byte* packed_ = nullptr;
};

} // namespace mpl
