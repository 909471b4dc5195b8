#include "mpl/LongCopy.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace mpl {
namespace {

constexpr std::size_t guard = 64;

std::vector<std::byte> randomBytes(std::size_t bytes) {
  std::mt19937 random(static_cast<unsigned>(bytes));
  std::vector<std::byte> data(bytes);
  for (std::byte& byte : data)
    byte = static_cast<std::byte>(random());
  return data;
}

template <class Copy>
void expectExact(Copy&& copy, std::size_t bytes, std::size_t toOffset, std::size_t fromOffset) {
  const std::vector<std::byte> from = randomBytes(fromOffset + bytes + 1); // never without memory
  std::vector<std::byte> to(toOffset + bytes + guard, std::byte{0xa5});
  copy(to.data() + toOffset, from.data() + fromOffset, bytes);
  for (std::size_t i = 0; i < to.size(); ++i) {
    const bool inside = i >= toOffset && i < toOffset + bytes;
    ASSERT_EQ(to[i], inside ? from[fromOffset + i - toOffset] : std::byte{0xa5})
        << "byte " << i << " of " << bytes << ", offsets " << toOffset << " and " << fromOffset;
  }
}

// Around the lengths at which another way is taken.
constexpr std::size_t lengths[] = {0,    1,    63,   191,  192,  193,    1022,   1023,   1024,   1025,
                                   2048, 4095, 4096, 4097, 8192, 524287, 524288, 524289, 700001, 1048576};

TEST(LongCopy, CopiesEveryLengthAndNothingBeyond) {
  for (const std::size_t bytes : lengths)
    for (const std::size_t toOffset : {std::size_t{0}, std::size_t{16}, std::size_t{37}})
      for (const std::size_t fromOffset : {std::size_t{0}, std::size_t{5}})
        expectExact([](std::byte* to, const std::byte* from, std::size_t n) { copyLong(to, from, n); }, bytes,
                    toOffset, fromOffset);
}

TEST(LongCopy, FetchingChangesNothing) {
  std::vector<std::byte> data = randomBytes(8192);
  const std::vector<std::byte> before = data;
  for (const std::size_t bytes : lengths)
    for (const std::size_t offset : {std::size_t{0}, std::size_t{16}, std::size_t{100}})
      if (offset + bytes <= data.size())
        fetchToWrite(data.data() + offset, bytes);
  EXPECT_EQ(data, before);
}

} // namespace
} // namespace mpl
