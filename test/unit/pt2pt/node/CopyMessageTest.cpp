#include "pt2pt/node/CopyMessage.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <vector>

namespace mpl {
namespace {

TEST(CopyMessage, CopiesEveryLengthAndNothingBeyond) {
  constexpr std::size_t margin = 32;
  for (std::size_t bytes = 0; bytes <= 300; ++bytes)
    for (std::size_t offset : {0, 1, 3, 8}) {
      std::vector<std::byte> from(bytes + offset);
      for (std::size_t i = 0; i < from.size(); ++i)
        from[i] = static_cast<std::byte>(i * 7 + 1);
      std::vector<std::byte> to(bytes + 2 * margin, std::byte{0xEE});
      copyMessage(to.data() + margin, from.data() + offset, bytes);
      for (std::size_t i = 0; i < to.size(); ++i) {
        const bool isInside = i >= margin && i < margin + bytes;
        ASSERT_EQ(to[i], isInside ? from[offset + i - margin] : std::byte{0xEE})
            << bytes << " bytes from offset " << offset << ", at " << i;
      }
    }
}

} // namespace
} // namespace mpl
