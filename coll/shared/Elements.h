#pragma once

#include "coll/Block.h"
#include "mpl/Op.h"

#include <algorithm>
#include <cstring>

namespace mpl {

/// Elements of a reduction, without gaps.
struct Elements {
  const Datatype& type;
  const Op& op;
  std::size_t size;

  Elements(const Block& block, const Op& operation)
      : type(*block.type), op(operation), size(block.type->size()) {}

  std::size_t bytes(MPI_Count count) const noexcept { return static_cast<std::size_t>(count) * size; }

  /// to = contribution(0) op contribution(1) op ..., each `count` elements. The last one may be at `to`.
  template <class Contribution>
  void combine(int ranks, MPI_Count count, std::byte* to, Contribution&& contribution) const {
    const std::byte* const last = contribution(ranks - 1);
    if (last != to)
      std::memcpy(to, last, bytes(count));
    for (int rank = ranks - 2; rank >= 0; --rank)
      op.apply(contribution(rank), to, count, type);
  }
};

/// Some of the elements, one behind the other.
struct Range {
  MPI_Count first;
  MPI_Count count;
};

/// The part of `count` elements that a rank combines for all.
inline Range partOf(int rank, int ranks, MPI_Count count) noexcept {
  const MPI_Count share = count / ranks;
  const MPI_Count more = count % ranks;
  const MPI_Count first = rank * share + std::min<MPI_Count>(rank, more);
  return {first, share + (rank < more ? 1 : 0)};
}

} // namespace mpl
