#pragma once

#include "mpl/LayoutNode.h"

#include <utility>

namespace mpl {

/// Where the bytes of a datatype lie, in the order in which they are sent: a tree of loops and runs, at an
/// offset. Adjacent runs are merged, regular lists become loops, loops that continue each other become one.
/// Values are cheap to copy (the tree is shared) and safe to read from any thread.
class Layout {
public:
  Layout() = default;
  Layout(MPI_Count offset, LayoutNodePtr root) : offset_(offset), root_(std::move(root)) {}

  /// `bytes` bytes of one kind in one run.
  static Layout block(MPI_Count bytes, BasicType basic);

  /// This layout `count` times (at least 0), `stride` bytes apart.
  /// Throws MPI_ERR_COUNT where the size goes beyond what an MPI_Count holds.
  Layout repeated(MPI_Count count, MPI_Count stride) const;

  Layout moved(MPI_Count by) const { return {offset_ + by, root_}; }

  bool isEmpty() const noexcept { return root_ == nullptr; }
  MPI_Count offset() const noexcept { return offset_; }
  const LayoutNode* root() const noexcept { return root_.get(); }
  const LayoutNodePtr& rootPointer() const noexcept { return root_; }

  MPI_Count size() const noexcept { return root_ ? root_->size : 0; }
  BasicType basic() const noexcept { return root_ ? root_->basic : BasicType::none; }
  bool isOneBlock() const noexcept { return root_ == nullptr || root_->kind == LayoutNode::Kind::block; }

private:
  MPI_Count offset_ = 0;
  LayoutNodePtr root_;
};

/// Basic elements in one repetition of a typed layout (see TypeMap).
inline MPI_Count elementCount(const Layout& typed) noexcept {
  return typed.root() != nullptr ? typed.root()->elements : 0;
}

/// How many whole basic elements the first `bytes` bytes of repetitions of a typed layout hold, which is not
/// empty. `rest` is set to the bytes of a last, incomplete element.
MPI_Count elementsInBytes(const Layout& typed, MPI_Count bytes, MPI_Count& rest) noexcept;

/// How many bytes the first `elements` basic elements of repetitions of a typed layout have, which is not
/// empty. Throws MPI_ERR_COUNT where an MPI_Count does not hold it.
MPI_Count bytesOfElements(const Layout& typed, MPI_Count elements);

} // namespace mpl
