#include "bootstrap/TextFile.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace mpl {

std::string fileText(const std::string& path) {
  std::string out;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return out;
  std::array<char, 4096> block;
  while (true) {
    const ssize_t length = ::read(file, block.data(), block.size());
    if (length > 0)
      out.append(block.data(), static_cast<std::size_t>(length));
    else if (length == 0 || errno != EINTR)
      break;
  }
  ::close(file);
  return out;
}

} // namespace mpl
