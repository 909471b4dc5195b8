#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace mpl {

/// Memory for intermediate results; not zeroed. Large pieces are kept for the next one who needs such: the
/// system hands out new memory page by page, which takes longer than to copy what goes into it. A process
/// keeps at most `keptBytes`. All threads may have some of their own at the same time.
class ScratchMemory {
public:
  /// Smaller pieces come from the heap and go back there.
  static constexpr std::size_t leastKept = 64 * 1024;
  static constexpr std::size_t keptBytes = 8 * 1024 * 1024;

  ScratchMemory() = default;
  /// Errors: std::bad_alloc.
  explicit ScratchMemory(std::size_t bytes);
  ~ScratchMemory() { giveBack(); }
  ScratchMemory(ScratchMemory&& other) noexcept
      : memory_(std::move(other.memory_)), size_(std::exchange(other.size_, 0)) {}
  ScratchMemory& operator=(ScratchMemory&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
    return *this;
  }

  /// nullptr where there is none.
  std::byte* get() const noexcept { return memory_.get(); }
  /// At least what was asked for.
  std::size_t size() const noexcept { return size_; }

private:
  void giveBack() noexcept;

  std::unique_ptr<std::byte[]> memory_;
  std::size_t size_ = 0;
};

} // namespace mpl
