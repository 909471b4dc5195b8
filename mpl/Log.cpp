#include "mpl/Log.h"

#include "mpl/Config.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <unistd.h>

namespace mpl::log {

namespace {

constexpr int unset = -1;
std::atomic<int> knownRank{unset};
std::atomic<int> level{unset};

Level levelFromWord(std::string_view word) {
  if (word == "error")
    return Level::error;
  if (word == "info")
    return Level::info;
  return word == "debug" ? Level::debug : Level::warning;
}

Level currentLevel() {
  const int known = level.load(std::memory_order_relaxed);
  if (known != unset)
    return static_cast<Level>(known);
  const Level fromUser = levelFromWord(Config::get().word(Setting::log));
  level.store(static_cast<int>(fromUser), std::memory_order_relaxed);
  return fromUser;
}

/// Decimal digits of a number at the end of the buffer; async-signal-safe.
template <std::size_t N>
std::string_view digits(std::array<char, N>& buffer, unsigned long long number, unsigned base,
                        bool negative) {
  std::size_t at = N;
  do {
    buffer[--at] = "0123456789abcdef"[number % base];
    number /= base;
  } while (number != 0);
  if (negative)
    buffer[--at] = '-';
  return {buffer.data() + at, N - at};
}

/// A pipe that nobody drains (EAGAIN), or none at all, loses the line: a message must not stop the program.
void writeAll(const char* data, std::size_t length) noexcept {
  const int saved = errno;
  while (length > 0) {
    const ssize_t written = ::write(STDERR_FILENO, data, length);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      break;
    data += written;
    length -= static_cast<std::size_t>(written);
  }
  errno = saved;
}

} // namespace

void setRank(int rank) noexcept {
  knownRank.store(rank < 0 ? unset : rank, std::memory_order_relaxed);
}

bool enabled(Level asked) noexcept {
  try {
    return asked <= currentLevel();
  } catch (...) { // no memory for the settings
    return asked <= Level::warning;
  }
}

void setLevel(Level asked) noexcept {
  level.store(static_cast<int>(asked), std::memory_order_relaxed);
}

void write(std::string_view message) noexcept {
  std::array<char, PIPE_BUF> line;
  const SignalSafeLine prefix;
  do {
    std::size_t used = prefix.view().copy(line.data(), line.size());
    const std::size_t room = line.size() - used - 1;
    const std::size_t end = std::min(message.find('\n'), message.size());
    const std::size_t taken = std::min(end, room);
    used += message.copy(line.data() + used, taken);
    line[used++] = '\n';
    writeAll(line.data(), used);
    message.remove_prefix(taken);
    if (message.starts_with('\n'))
      message.remove_prefix(1);
  } while (!message.empty());
}

SignalSafeLine::SignalSafeLine() noexcept {
  const int rank = knownRank.load(std::memory_order_relaxed);
  if (rank == unset) {
    add("mpl: ");
    return;
  }
  add("mpl[").add(rank).add("]: ");
}

SignalSafeLine& SignalSafeLine::add(std::string_view text) noexcept {
  const std::size_t taken =
      std::min(text.size(), line_.size() - 1 - length_); // one byte stays for the line end
  if (taken > 0)
    std::memcpy(line_.data() + length_, text.data(), taken);
  length_ += taken;
  return *this;
}

SignalSafeLine& SignalSafeLine::add(const char* text) noexcept {
  return add(text != nullptr ? std::string_view(text) : std::string_view("(null)"));
}

SignalSafeLine& SignalSafeLine::add(long long number) noexcept {
  std::array<char, 24> buffer;
  const bool negative = number < 0;
  const auto magnitude =
      negative ? 0ULL - static_cast<unsigned long long>(number) : static_cast<unsigned long long>(number);
  return add(digits(buffer, magnitude, 10, negative));
}

SignalSafeLine& SignalSafeLine::addHex(unsigned long long number) noexcept {
  std::array<char, 24> buffer;
  return add("0x").add(digits(buffer, number, 16, false));
}

void SignalSafeLine::write() noexcept {
  for (std::size_t i = 0; i < length_; ++i)
    if (line_[i] == '\n')
      line_[i] = ' ';
  line_[length_] = '\n';
  writeAll(line_.data(), length_ + 1);
}

} // namespace mpl::log
