#pragma once

#include "coll/Algorithms.h"

#include <algorithm>

namespace mpl {

/// The binomial tree over ranks counted from the root on. The subtree of a place p that ends in k zero bits
/// holds the places p to p + 2^k - 1 (as far as there are so many), and its children are p + 1, p + 2, p + 4
/// ...
class BinomialTree {
public:
  BinomialTree(Members me, int root)
      : size_(me.size), root_(root), place_(me.rank - root < 0 ? me.rank - root + me.size : me.rank - root) {
    width_ = 1;
    while (width_ < size_ && (place_ & width_) == 0)
      width_ *= 2;
  }

  int place() const noexcept { return place_; }
  bool isRoot() const noexcept { return place_ == 0; }
  int parent() const noexcept { return rankAt(place_ - width_); }
  /// Places in this subtree, this one among them.
  int subtree() const noexcept { return std::min(width_, size_ - place_); }
  bool isLeaf() const noexcept { return subtree() == 1; }

  int rankAt(int place) const noexcept {
    const int sum = place + root_;
    return sum >= size_ ? sum - size_ : sum;
  }

  /// visit(rank, offset, width): a child, how many places it is away, and the places in its subtree. Small
  /// subtrees first, or large ones first.
  template <class Visit> void children(bool largeFirst, Visit&& visit) const {
    const auto one = [&](int offset) {
      if (place_ + offset < size_)
        visit(rankAt(place_ + offset), offset, std::min(offset, size_ - place_ - offset));
    };
    if (largeFirst)
      for (int offset = width_ / 2; offset > 0; offset /= 2)
        one(offset);
    else
      for (int offset = 1; offset < width_; offset *= 2)
        one(offset);
  }

private:
  int size_;
  int root_;
  int place_;
  int width_;
};

} // namespace mpl
