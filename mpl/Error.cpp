#include "mpl/Error.h"

#include <array>
#include <cstdio>

namespace mpl {

void detail::appendPointer(std::string& out, const void* pointer) {
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%p", pointer);
  out.append(digits.data());
}

} // namespace mpl
