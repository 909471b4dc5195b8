#pragma once

#include "mpl/LayoutNode.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace mpl {

/// Takes one step of a walk over a layout's runs, in packed order. Addresses are integers, so that MPI_BOTTOM
/// and negative displacements need no invalid pointers on the way.
template <class T>
concept RunVisitor = requires(T visitor, std::uintptr_t at, std::size_t bytes, BasicType basic,
                              MPI_Count count, MPI_Count stride, const MPI_Count* offsets) {
  visitor.run(at, bytes, basic);                       // one run
  visitor.strided(at, count, stride, bytes, basic);    // `count` equal runs, `stride` apart
  visitor.scattered(at, offsets, count, bytes, basic); // `count` equal runs, at these offsets
};

/// Walks over layouts. Whole nodes go through tight loops; parts cost a division or a binary search per
/// level.
template <RunVisitor Visitor> class LayoutWalk {
public:
  explicit LayoutWalk(Visitor& visitor) : visitor_(visitor) {}

  void all(const LayoutNode& node, std::uintptr_t at) {
    switch (node.kind) {
    case LayoutNode::Kind::block:
      visitor_.run(at, bytesOf(node), node.basic);
      break;
    case LayoutNode::Kind::loop:
      loop(*node.child, at, node.count, node.stride);
      break;
    case LayoutNode::Kind::blocks:
      visitor_.scattered(at, node.offsets.data(), static_cast<MPI_Count>(node.offsets.size()),
                         static_cast<std::size_t>(node.length), node.basic);
      break;
    case LayoutNode::Kind::runs:
      runs(node, at, 0, node.offsets.size());
      break;
    case LayoutNode::Kind::sequence:
      for (std::size_t i = 0; i < node.children.size(); ++i)
        all(*node.children[i], move(at, node.offsets[i]));
      break;
    }
  }

  /// `count` times the node, `stride` apart.
  void loop(const LayoutNode& node, std::uintptr_t at, MPI_Count count, MPI_Count stride) {
    if (node.kind == LayoutNode::Kind::block) {
      repeat(node, at, count, stride);
    } else if (node.kind == LayoutNode::Kind::loop && node.child->kind == LayoutNode::Kind::block) {
      for (MPI_Count i = 0; i < count; ++i, at = move(at, stride))
        repeat(*node.child, at, node.count, node.stride);
    } else {
      for (MPI_Count i = 0; i < count; ++i, at = move(at, stride))
        all(node, at);
    }
  }

  /// The packed bytes from `from` up to `to` of loop(node, at, any count, stride); from < to.
  void loopPart(const LayoutNode& node, std::uintptr_t at, MPI_Count stride, MPI_Count from, MPI_Count to) {
    MPI_Count index = 0;
    if (from >= node.size) {
      index = from / node.size;
      from -= index * node.size;
      to -= index * node.size;
      at = move(at, stride, index);
    }
    if (from > 0) {
      part(node, at, from, std::min(to, node.size));
      if (to <= node.size)
        return;
      to -= node.size;
      at = move(at, stride);
    }
    MPI_Count whole = to >= node.size ? to / node.size : 0;
    loop(node, at, whole, stride);
    if (const MPI_Count rest = to - whole * node.size; rest > 0)
      part(node, move(at, stride, whole), 0, rest);
  }

private:
  static std::uintptr_t move(std::uintptr_t at, MPI_Count by) { return at + static_cast<std::uintptr_t>(by); }
  static std::uintptr_t move(std::uintptr_t at, MPI_Count stride, MPI_Count count) {
    return at + static_cast<std::uintptr_t>(stride) * static_cast<std::uintptr_t>(count);
  }
  static std::size_t bytesOf(const LayoutNode& node) { return static_cast<std::size_t>(node.size); }

  void run(std::uintptr_t at, MPI_Count from, MPI_Count to, BasicType basic) {
    visitor_.run(move(at, from), static_cast<std::size_t>(to - from), basic);
  }

  /// `count` times a block; of those that follow each other without gaps, one run.
  void repeat(const LayoutNode& block, std::uintptr_t at, MPI_Count count, MPI_Count stride) {
    if (stride == block.size && count > 0)
      run(at, 0, count * block.size, block.basic);
    else
      visitor_.strided(at, count, stride, bytesOf(block), block.basic);
  }

  void runs(const LayoutNode& node, std::uintptr_t at, std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i)
      run(move(at, node.offsets[i]), 0, node.starts[i + 1] - node.starts[i], node.basic);
  }

  /// The packed bytes from `from` up to `to` of one node; from < to <= node.size.
  void part(const LayoutNode& node, std::uintptr_t at, MPI_Count from, MPI_Count to) {
    if (from == 0 && to == node.size)
      return all(node, at);
    switch (node.kind) {
    case LayoutNode::Kind::block:
      return run(at, from, to, node.basic);
    case LayoutNode::Kind::loop:
      return loopPart(*node.child, at, node.stride, from, to);
    case LayoutNode::Kind::blocks:
      return blocksPart(node, at, from, to);
    case LayoutNode::Kind::runs:
    case LayoutNode::Kind::sequence:
      return listPart(node, at, from, to);
    }
  }

  void blocksPart(const LayoutNode& node, std::uintptr_t at, MPI_Count from, MPI_Count to) {
    const MPI_Count length = node.length;
    MPI_Count index = from / length;
    if (const MPI_Count skipped = from - index * length; skipped > 0) {
      const MPI_Count end = std::min(length, skipped + to - from);
      run(move(at, node.offsets[static_cast<std::size_t>(index)]), skipped, end, node.basic);
      from += end - skipped;
      ++index;
    }
    const MPI_Count whole = (to - from) / length;
    visitor_.scattered(at, node.offsets.data() + index, whole, static_cast<std::size_t>(length), node.basic);
    if (const MPI_Count rest = to - from - whole * length; rest > 0)
      run(move(at, node.offsets[static_cast<std::size_t>(index + whole)]), 0, rest, node.basic);
  }

  void listPart(const LayoutNode& node, std::uintptr_t at, MPI_Count from, MPI_Count to) {
    const auto after = std::upper_bound(node.starts.begin(), node.starts.end() - 1, from);
    for (auto i = static_cast<std::size_t>(after - node.starts.begin() - 1); from < to; ++i) {
      const MPI_Count start = node.starts[i];
      const MPI_Count end = std::min(node.starts[i + 1], to);
      const std::uintptr_t place = move(at, node.offsets[i]);
      if (node.kind == LayoutNode::Kind::runs)
        run(place, from - start, end - start, node.basic);
      else
        part(*node.children[i], place, from - start, end - start);
      from = end;
    }
  }

  Visitor& visitor_;
};

} // namespace mpl
