#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace mpl {

/// Writes whole numbers, the lowest byte first, into a buffer that is large enough by construction.
class WireWriter {
public:
  explicit WireWriter(std::span<std::byte> buffer) : buffer_(buffer) {}

  template <std::integral T> WireWriter& number(T value) {
    auto bits = static_cast<std::make_unsigned_t<T>>(value);
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      buffer_[used_++] = static_cast<std::byte>(bits & 0xff);
      if constexpr (sizeof(T) > 1)
        bits = static_cast<std::make_unsigned_t<T>>(bits >> 8);
    }
    return *this;
  }
  WireWriter& bytes(std::span<const std::byte> data) {
    std::copy(data.begin(), data.end(), buffer_.begin() + static_cast<std::ptrdiff_t>(used_));
    used_ += data.size();
    return *this;
  }

  std::size_t used() const noexcept { return used_; }
  std::span<const std::byte> written() const noexcept { return buffer_.first(used_); }

private:
  std::span<std::byte> buffer_;
  std::size_t used_ = 0;
};

/// Reads them from bytes of any origin: what is not there reads as 0, and ok() tells so.
class WireReader {
public:
  explicit WireReader(std::span<const std::byte> data) : data_(data) {}

  template <std::integral T> T number() {
    std::make_unsigned_t<T> bits = 0;
    if (const std::span<const std::byte> found = bytes(sizeof(T)); !found.empty())
      for (std::size_t i = 0; i < sizeof(T); ++i)
        bits = static_cast<std::make_unsigned_t<T>>(
            bits | static_cast<std::make_unsigned_t<T>>(static_cast<std::uint64_t>(found[i]) << (8 * i)));
    return static_cast<T>(bits);
  }
  /// Empty where there are not so many.
  std::span<const std::byte> bytes(std::size_t count) {
    if (count > data_.size() - used_) {
      ok_ = false;
      used_ = data_.size();
      return {};
    }
    used_ += count;
    return data_.subspan(used_ - count, count);
  }

  bool ok() const noexcept { return ok_; }
  std::size_t used() const noexcept { return used_; }

private:
  std::span<const std::byte> data_;
  std::size_t used_ = 0;
  bool ok_ = true;
};

inline bool isAllZero(std::span<const std::byte> data) {
  return std::all_of(data.begin(), data.end(), [](std::byte b) { return b == std::byte{0}; });
}

} // namespace mpl
