#pragma once

#include "mpl/IntrusiveList.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace mpl {

struct ByEnvelope;

/// Objects found by their envelope() in constant time, those of one envelope in the order in which they were
/// added. Grows with what it holds and never shrinks. Owns nothing; an object leaves by remove().
template <class T> class EnvelopeTable {
public:
  EnvelopeTable() : buckets_(std::make_unique<Bucket[]>(std::size_t{1} << bits_)) {}

  void add(T& object) {
    if (++count_ > std::size_t{2} << bits_) [[unlikely]]
      grow();
    bucket(object.envelope()).append(object);
  }
  void remove(T& object) noexcept {
    unlist<ByEnvelope>(object);
    --count_;
  }

  /// The oldest one; nullptr where there is none.
  T* find(std::uint64_t envelope) noexcept {
    return bucket(envelope).find([envelope](const T& object) { return object.envelope() == envelope; });
  }

private:
  using Bucket = IntrusiveList<T, ByEnvelope>;

  Bucket& bucket(std::uint64_t envelope) noexcept {
    // Fibonacci hashing: neighbouring tags and sources fall far apart.
    return buckets_[envelope * 0x9E3779B97F4A7C15U >> (64 - bits_)];
  }

  void grow() {
    const std::unique_ptr<Bucket[]> old = std::move(buckets_);
    const std::size_t oldCount = std::size_t{1} << bits_;
    bits_ += 2;
    buckets_ = std::make_unique<Bucket[]>(std::size_t{1} << bits_);
    for (std::size_t i = 0; i < oldCount; ++i)
      while (T* object = old[i].first()) {
        unlist<ByEnvelope>(*object);
        bucket(object->envelope()).append(*object);
      }
  }

  unsigned bits_ = 8;
  std::size_t count_ = 0;
  std::unique_ptr<Bucket[]> buckets_;
};

} // namespace mpl
