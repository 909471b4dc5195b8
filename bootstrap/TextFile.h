#pragma once

#include <string>

namespace mpl {

/// The whole text of a small file, such as those in /proc; "" when it cannot be read.
std::string fileText(const std::string& path);

} // namespace mpl
