#pragma once

#include <cstddef>
#include <cstdint>

namespace mpl {

/// Memory that processes of one node share. It has no name in any folder: nobody can guess it, and nothing is
/// left of it after any kind of death. All its space is reserved when it is made, so that using it cannot
/// fail. Starts as zeros. Neither copied nor moved.
class SharedSegment {
public:
  /// What another process needs to map it, for as long as the descriptor is open. Plain bytes; all zeros: no
  /// segment.
  struct Key {
    std::int64_t pid = 0;
    std::int64_t descriptor = -1;
    std::uint64_t token = 0; ///< random; stands in the segment too
    std::uint64_t bytes = 0;
  };

  /// Errors: MPI_ERR_NO_MEM, naming what was refused.
  explicit SharedSegment(std::size_t bytes);
  /// Maps that of another process of this node. Errors: MPI_ERR_OTHER where the process cannot be looked into
  /// (containers) or the key is no segment's.
  explicit SharedSegment(const Key& key);
  ~SharedSegment();
  SharedSegment(const SharedSegment&) = delete;
  SharedSegment& operator=(const SharedSegment&) = delete;

  Key key() const noexcept { return key_; }
  /// Room for what was asked for, aligned to a page.
  std::byte* data() const noexcept { return memory_ + headerBytes; }
  /// When nobody will map it any more.
  void closeDescriptor() noexcept;

private:
  static constexpr std::size_t headerBytes = 4096;
  void map(int descriptor);

  Key key_;
  std::byte* memory_ = nullptr;
  int descriptor_ = -1;
};

} // namespace mpl
