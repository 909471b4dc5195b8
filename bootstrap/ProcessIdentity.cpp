#include "bootstrap/ProcessIdentity.h"

#include "bootstrap/CpuList.h"
#include "mpl/Error.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mpl {

namespace {

constexpr std::uint32_t magic = 0x4d504c31; // "MPL1": the layout below

template <class T> void append(Bytes& out, const T& value) {
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  out.insert(out.end(), first, first + sizeof value);
}

void append(Bytes& out, const std::string& text) {
  append(out, static_cast<std::uint32_t>(text.size()));
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  out.insert(out.end(), first, first + text.size());
}

/// Takes values off the front of bytes from elsewhere; every length is checked.
class Reader {
public:
  explicit Reader(std::span<const std::byte> bytes) : left_(bytes) {}
  template <class T> T number() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string string() {
    const auto bytes = take(number<std::uint32_t>());
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  bool atEnd() const { return left_.empty(); }

private:
  std::span<const std::byte> take(std::size_t size) {
    if (size > left_.size())
      fail(MPI_ERR_OTHER, "the identity of a process is cut off: ", size, " bytes expected, ", left_.size(),
           " there");
    const auto front = left_.first(size);
    left_ = left_.subspan(size);
    return front;
  }
  std::span<const std::byte> left_;
};

} // namespace

std::optional<ProcessState> processState(pid_t pid) {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%ld/stat", static_cast<long>(pid));
  const int file = ::open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return std::nullopt;
  std::array<char, 1024> line{};
  const ssize_t length = ::read(file, line.data(), line.size() - 1);
  ::close(file);
  if (length <= 0)
    return std::nullopt;
  // The name, field 2, stands in parentheses and may hold anything: what follows the last one is well-formed.
  const char* at = std::strrchr(line.data(), ')');
  if (at == nullptr || at[1] != ' ')
    return std::nullopt;
  at += 2;
  ProcessState state;
  state.state = *at; // field 3
  for (int field = 4; field <= 22; ++field) {
    at = std::strchr(at, ' ');
    if (at == nullptr)
      return std::nullopt;
    ++at;
    if (field == 20)
      state.threads = std::strtoull(at, nullptr, 10);
  }
  state.startTime = std::strtoull(at, nullptr, 10);
  return state;
}

ProcessIdentity ProcessIdentity::ofThisProcess() {
  ProcessIdentity identity;
  identity.pid = ::getpid();
  if (const auto state = processState(::getpid()))
    identity.startTime = state->startTime;
  struct stat space {};
  if (::stat("/proc/self/ns/pid", &space) == 0)
    identity.pidNamespace = space.st_ino;
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) == 0)
    identity.hostName = host.data();
  identity.cpus = formatCpuList(allowedCpus());
  return identity;
}

Bytes ProcessIdentity::encode() const {
  Bytes out;
  append(out, magic);
  append(out, pid);
  append(out, startTime);
  append(out, pidNamespace);
  append(out, hostName);
  append(out, cpus);
  return out;
}

ProcessIdentity ProcessIdentity::decode(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  if (reader.number<std::uint32_t>() != magic)
    fail(MPI_ERR_OTHER, "the identity of a process has another layout: was it built with another version?");
  ProcessIdentity identity;
  identity.pid = reader.number<std::int64_t>();
  identity.startTime = reader.number<std::uint64_t>();
  identity.pidNamespace = reader.number<std::uint64_t>();
  identity.hostName = reader.string();
  identity.cpus = reader.string();
  if (!reader.atEnd())
    fail(MPI_ERR_OTHER, "the identity of a process is longer than it should be");
  return identity;
}

bool isAlive(pid_t pid, std::uint64_t startTime) {
  if (const auto state = processState(pid))
    return !state->hasEnded() && (startTime == 0 || state->startTime == startTime);
  if (startTime != 0 && processState(::getpid()))
    return false; // /proc works and does not show it
  return ::kill(pid, 0) == 0 || errno == EPERM;
}

} // namespace mpl
