#pragma once

#include "mpl/Layout.h"

#include <cstddef>
#include <cstdint>

namespace mpl {

/// Copies between `count` elements of a datatype in the user's memory and the packed form, in any pieces and
/// any order: a piece is named by its offset in the packed data. Finding the place costs O(depth * log
/// entries); nothing is allocated and nothing is remembered between calls, so one cursor may serve several
/// threads. The layout must outlive the cursor.
///
/// `base` may be MPI_BOTTOM (null) for layouts of absolute addresses.
class PackCursor {
public:
  PackCursor() = default;
  PackCursor(const Layout& layout, MPI_Count extent, const void* base, MPI_Count count) noexcept
      : root_(layout.root()),
        base_(reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(layout.offset())),
        extent_(extent),
        total_(root_ != nullptr ? static_cast<std::size_t>(root_->size) * static_cast<std::size_t>(count)
                                : 0) {}

  /// Bytes of data.
  std::size_t totalBytes() const noexcept { return total_; }

  /// Packs up to maxBytes bytes from `offset` on; fewer are left only at the end. Returns how many were
  /// packed.
  std::size_t pack(std::size_t offset, void* to, std::size_t maxBytes) const noexcept;
  /// Unpacks `bytes` packed bytes that begin at `offset`; bytes behind the end are left alone. Returns how
  /// many were unpacked.
  std::size_t unpack(std::size_t offset, const void* from, std::size_t bytes) const noexcept;

private:
  const LayoutNode* root_ = nullptr;
  std::uintptr_t base_ = 0;
  MPI_Count extent_ = 0;
  std::size_t total_ = 0;
};

} // namespace mpl
