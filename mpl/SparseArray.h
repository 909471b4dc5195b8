#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace mpl {

/// An array of fixed length whose pages of 64 entries come into being when first written: per-rank tables
/// that cost next to nothing until a rank is talked to. Entries never written read as T().
template <class T> class SparseArray {
public:
  explicit SparseArray(std::size_t length = 0) { resize(length); }

  void resize(std::size_t length) {
    length_ = length;
    pages_.resize((length + pageSize - 1) / pageSize);
  }
  std::size_t length() const noexcept { return length_; }

  T get(std::size_t index) const noexcept {
    const Page* page = pages_[index / pageSize].get();
    return page != nullptr ? (*page)[index % pageSize] : T();
  }

  void set(std::size_t index, T value) { at(index) = value; }

  T& at(std::size_t index) {
    auto& page = pages_[index / pageSize];
    if (!page)
      page = std::make_unique<Page>();
    return (*page)[index % pageSize];
  }

  template <class Visit> void forEachPage(Visit&& visit) {
    for (std::size_t p = 0; p < pages_.size(); ++p)
      if (pages_[p])
        for (std::size_t i = 0; i < pageSize && p * pageSize + i < length_; ++i)
          visit(p * pageSize + i, (*pages_[p])[i]);
  }

private:
  static constexpr std::size_t pageSize = 64;
  using Page = std::array<T, pageSize>;

  std::vector<std::unique_ptr<Page>> pages_;
  std::size_t length_ = 0;
};

} // namespace mpl
