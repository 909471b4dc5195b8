#pragma once

#include "mpl/LayoutNode.h"

#include <cstddef>
#include <span>
#include <vector>

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
  const LayoutNodePtr& rootPtr() const noexcept { return root_; }

  MPI_Count size() const noexcept { return root_ ? root_->size : 0; }
  BasicType basic() const noexcept { return root_ ? root_->basic : BasicType::none; }
  bool isOneBlock() const noexcept { return root_ == nullptr || root_->kind == LayoutNode::Kind::block; }
  /// How many nodes and list entries the tree holds, shared ones counted once for each use: what it costs to
  /// walk.
  MPI_Count complexity() const noexcept;

private:
  MPI_Count offset_ = 0;
  LayoutNodePtr root_;
};

/// Joins layouts, one behind the other in the packed data, into one.
class LayoutJoiner {
public:
  /// With keepTypes, runs of different basic types stay apart, so that the result tells the type of each
  /// byte.
  explicit LayoutJoiner(bool keepTypes) : keepTypes_(keepTypes) {}

  void reserve(std::size_t entries) { entries_.reserve(entries); }
  void add(const Layout& layout);
  Layout join();

private:
  struct Entry {
    MPI_Count offset;
    MPI_Count length; ///< of a run; 0 where `node` is set
    BasicType basic;
    LayoutNodePtr node;
  };

  void addRun(MPI_Count offset, MPI_Count length, BasicType basic);
  bool addSpliced(MPI_Count offset, const LayoutNode& node);
  void append(Entry entry);
  bool isRegular() const;
  Layout joinRuns();
  Layout joinSequence();
  static LayoutNodePtr nodeOf(const Entry& entry);

  bool keepTypes_;
  std::vector<Entry> entries_;
};

/// How many whole basic elements the first `bytes` bytes of `count` repetitions of a typed layout hold.
/// `rest` is set to the bytes of a last, incomplete element.
MPI_Count elementsInBytes(const Layout& typed, MPI_Count bytes, MPI_Count& rest);
/// How many bytes the first `elements` basic elements of repetitions of a typed layout have.
MPI_Count bytesOfElements(const Layout& typed, MPI_Count elements);
/// Basic elements in one repetition.
inline MPI_Count elementCount(const Layout& typed) noexcept {
  return typed.root() ? typed.root()->elements : 0;
}

} // namespace mpl
