#pragma once

#include <cstddef>
#include <cstdint>

namespace mpl {

/// Room for small data on its way, in a ring of memory: taken in order and given back in the same order. What
/// is taken lies close together, and from the start again where nothing is in use, so that few pages are
/// touched.
class BounceRing {
public:
  static constexpr std::size_t totalBytes = std::size_t{256} << 10;
  /// One piece takes no more than so much.
  static constexpr std::size_t pieceBytes = 8192;

  /// Whether there is room for a piece.
  bool fits(std::size_t bytes) const noexcept { return start(bytes) + rounded(bytes) - given_ <= totalBytes; }
  /// Takes what fits() and tells where it lies.
  std::size_t take(std::size_t bytes) noexcept {
    const std::uint64_t at = start(bytes);
    taken_ = at + rounded(bytes);
    return at % totalBytes;
  }
  /// Behind all that was taken so far: a mark for giveBack().
  std::uint64_t end() const noexcept { return taken_; }
  /// All that was taken before that mark.
  void giveBack(std::uint64_t mark) noexcept { given_ = mark; }
  /// Nothing is in use, and no mark is of interest.
  void clear() noexcept { taken_ = given_ = 0; }

private:
  static constexpr std::size_t line = 64;
  static std::size_t rounded(std::size_t bytes) noexcept { return (bytes + line - 1) / line * line; }
  /// A piece does not go over the end of the memory.
  std::uint64_t start(std::size_t bytes) const noexcept {
    const std::uint64_t left = totalBytes - taken_ % totalBytes;
    return left >= rounded(bytes) ? taken_ : taken_ + left;
  }

  std::uint64_t taken_ = 0; // bytes, as if the memory had no end
  std::uint64_t given_ = 0;
};

} // namespace mpl
