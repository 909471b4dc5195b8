#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace mpl {

/// A flat array that starts as zeros. Large ones are virtual memory only until they are written (calloc takes
/// them from the kernel), so a table over a million ranks costs what is used of it; reading is one load.
template <class T>
requires std::is_trivially_copyable_v<T>
class ZeroedArray {
public:
  explicit ZeroedArray(std::size_t length)
      : data_(static_cast<T*>(std::calloc(length != 0 ? length : 1, sizeof(T)))) {
    if (!data_)
      throw std::bad_alloc();
  }

  T operator[](std::size_t index) const noexcept { return data_.get()[index]; }
  T& operator[](std::size_t index) noexcept { return data_.get()[index]; }

private:
  struct Free {
    void operator()(T* memory) const noexcept { std::free(memory); }
  };
  std::unique_ptr<T, Free> data_;
};

} // namespace mpl
