#pragma once

#include <cstddef>
#include <memory>

namespace mpl {

/// Zeroed memory aligned to a cache line, in place of what processes share.
class SharedLines {
public:
  explicit SharedLines(std::size_t bytes) : lines_(std::make_unique<Line[]>(bytes / sizeof(Line) + 1)) {}

  std::byte* memory() { return reinterpret_cast<std::byte*>(lines_.get()); }

private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::unique_ptr<Line[]> lines_;
};

} // namespace mpl
