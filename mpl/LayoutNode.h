#pragma once

#include "mpl/BasicType.h"

#include <memory>
#include <vector>

namespace mpl {

struct LayoutNode;
using LayoutNodePtr = std::shared_ptr<const LayoutNode>;

/// One node of the tree that says where a datatype's bytes lie. Immutable once made; derived datatypes share
/// the nodes of the datatypes they are made of, so a tree is never larger than the description it came from.
/// Offsets are relative to where the node is placed.
struct LayoutNode {
  enum class Kind : std::uint8_t {
    block,    ///< `size` bytes in one run
    loop,     ///< `count` times `child`, `stride` bytes apart
    blocks,   ///< a run of `length` bytes at each of `offsets`
    runs,     ///< a run at each of `offsets`; run i is starts[i+1] - starts[i] bytes long
    sequence, ///< children[i] at offsets[i]
  };

  Kind kind = Kind::block;
  BasicType basic = BasicType::none; ///< of every byte below, or none where they differ
  MPI_Count size = 0;                ///< bytes of data
  MPI_Count elements = 0; ///< basic elements; 0 where `basic` is none and the node is not of a typed tree
  MPI_Count count = 0;
  MPI_Count stride = 0;
  MPI_Count length = 0;
  LayoutNodePtr child;
  std::vector<MPI_Count> offsets;
  std::vector<MPI_Count> starts; ///< runs, sequence: where entry i begins in the packed data, and the end
  std::vector<MPI_Count> firsts; ///< sequence of a typed tree: how many basic elements lie before entry i
  std::vector<LayoutNodePtr> children;
};

} // namespace mpl
