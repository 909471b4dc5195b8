// Contents that can be told apart: every byte follows from a seed and its place, so a shifted, swapped or
// torn message is seen; and buffers with guard bytes on both sides.
#pragma once

#include "test/mpi/Check.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace check {

inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// A generator with a fixed seed: the same stress on every machine.
class Random {
public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() { return mix(state_++); }
  int below(int bound) { return static_cast<int>(next() % static_cast<std::uint64_t>(bound)); }

private:
  std::uint64_t state_;
};

inline void fill(void* memory, std::size_t bytes, std::uint64_t seed) {
  auto* to = static_cast<unsigned char*>(memory);
  for (std::size_t at = 0; at < bytes; at += 8) {
    const std::uint64_t word = mix(seed * 0x10001 + at / 8);
    std::memcpy(to + at, &word, bytes - at < 8 ? bytes - at : 8);
  }
}

// The place of the first byte that is not as fill() made it, or the length when all are right.
inline std::size_t firstWrong(const void* memory, std::size_t bytes, std::uint64_t seed) {
  const auto* from = static_cast<const unsigned char*>(memory);
  for (std::size_t at = 0; at < bytes; at += 8) {
    const std::uint64_t word = mix(seed * 0x10001 + at / 8);
    const std::size_t part = bytes - at < 8 ? bytes - at : 8;
    if (std::memcmp(from + at, &word, part) != 0) {
      unsigned char wanted[8];
      std::memcpy(wanted, &word, 8);
      std::size_t i = 0;
      while (from[at + i] == wanted[i])
        ++i;
      return at + i;
    }
  }
  return bytes;
}

// Memory of a given length between guard bytes; its contents start as zeros.
class Guarded {
public:
  explicit Guarded(std::size_t bytes) : bytes_(bytes), memory_(bytes + 2 * guard) {
    for (std::size_t i = 0; i < guard; ++i)
      memory_[i] = memory_[guard + bytes_ + i] = mark;
  }
  unsigned char* data() { return memory_.data() + guard; }
  std::size_t bytes() const { return bytes_; }
  int count() const { return static_cast<int>(bytes_); }
  void fillWith(std::uint64_t seed) { fill(data(), bytes_, seed); }
  std::size_t wrongAt(std::uint64_t seed) { return firstWrong(data(), bytes_, seed); }
  void clear() { std::memset(data(), 0, bytes_); }
  bool intact() const {
    for (std::size_t i = 0; i < guard; ++i)
      if (memory_[i] != mark || memory_[guard + bytes_ + i] != mark)
        return false;
    return true;
  }

private:
  static constexpr std::size_t guard = 256;
  static constexpr unsigned char mark = 0xA5;
  std::size_t bytes_;
  std::vector<unsigned char> memory_;
};

// Lengths on both sides of every place where a library may change its way of sending.
inline std::vector<std::size_t> switchSizes(std::size_t largest) {
  std::vector<std::size_t> sizes{0, 1, 2, 3};
  for (std::size_t power = 4; power <= largest; power *= 2)
    for (std::size_t size : {power - 1, power, power + 1})
      if (size <= largest)
        sizes.push_back(size);
  return sizes;
}

// A few of them, for tests that repeat much.
inline std::vector<std::size_t> fewSizes() {
  return {0, 1, 8, 100, 1024, 8192, 8193, 65536, 300000, 1 << 20};
}

} // namespace check
