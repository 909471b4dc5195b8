#pragma once

#include <cstddef>
#include <cstring>

namespace mpl {

/// std::memcpy for messages, which mostly are short: a call of the library and its search for the best way
/// cost more than to copy a few words here. The first and the last word may overlap; nothing beyond is
/// touched.
inline void copyMessage(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  constexpr std::size_t word = 8;
  constexpr std::size_t pair = 16;
  if (bytes - word <= pair - word) { // from one word to two
    std::byte last[word];
    std::memcpy(last, from + bytes - word, word);
    std::memcpy(to, from, word);
    std::memcpy(to + bytes - word, last, word);
  } else if (bytes == 4) {
    std::memcpy(to, from, 4);
  } else if (bytes - pair <= 3 * pair) { // from two words to eight
    std::byte last[pair];
    std::memcpy(last, from + bytes - pair, pair);
    std::size_t at = 0;
    do {
      std::memcpy(to + at, from + at, pair);
      at += pair;
    } while (at + pair < bytes);
    std::memcpy(to + bytes - pair, last, pair);
  } else if (bytes != 0) { // else there may be no buffer
    std::memcpy(to, from, bytes);
  }
}

} // namespace mpl
