#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

namespace mpl {

/// Takes the elements for which which() is true out of a vector; both parts keep their order. For lists that
/// may change while something is done with these elements.
template <class T, class Which> std::vector<T> takeOut(std::vector<T>& from, Which which) {
  const auto taken =
      std::stable_partition(from.begin(), from.end(), [&](const T& one) { return !which(one); });
  std::vector<T> out(std::make_move_iterator(taken), std::make_move_iterator(from.end()));
  from.erase(taken, from.end());
  return out;
}

} // namespace mpl
