#pragma once

#include "mpl/Error.h"

#include <array>
#include <cstddef>
#include <string_view>

/// Lines on standard error, each beginning with "mpl[rank]: " ("mpl: " before the rank is known). A line
/// leaves in one write of at most PIPE_BUF bytes, so that lines of several ranks and threads are never mixed
/// within a line; a longer message, or one with line ends, becomes several such lines. Every thread may call
/// everything here.
namespace mpl::log {

/// MPL_LOG names the last level that is shown; `error` is always shown.
enum class Level { error, warning, info, debug };

/// Puts the rank into the prefix; a negative one takes it out.
void setRank(int rank) noexcept;

bool enabled(Level level) noexcept;
/// Overrides MPL_LOG.
void setLevel(Level level) noexcept;

/// Writes the message, whatever the level in force.
void write(std::string_view message) noexcept;

template <class... Parts> [[gnu::cold]] void error(const Parts&... parts) {
  write(text(parts...));
}
template <class... Parts> [[gnu::cold]] void warning(const Parts&... parts) {
  if (enabled(Level::warning))
    write(text(parts...));
}
template <class... Parts> [[gnu::cold]] void info(const Parts&... parts) {
  if (enabled(Level::info))
    write(text(parts...));
}
template <class... Parts> [[gnu::cold]] void debug(const Parts&... parts) {
  if (enabled(Level::debug))
    write(text(parts...));
}

/// One line put together without memory or locks, for signal handlers and for processes that are about to
/// die:
///   SignalSafeLine().add("rank ").add(3).add(" died").write();
/// What does not fit into the line is cut off. Async-signal-safe throughout.
class SignalSafeLine {
public:
  SignalSafeLine() noexcept;
  SignalSafeLine& add(std::string_view text) noexcept;
  SignalSafeLine& add(const char* text) noexcept;
  SignalSafeLine& add(long long number) noexcept;
  SignalSafeLine& add(int number) noexcept { return add(static_cast<long long>(number)); }
  SignalSafeLine& addHex(unsigned long long number) noexcept;
  void write() noexcept;
  std::string_view view() const noexcept { return {line_.data(), length_}; }

private:
  std::array<char, 1024> line_;
  std::size_t length_ = 0;
};

} // namespace mpl::log
