#include "pt2pt/PeerAddress.h"

#include "mpl/Error.h"

#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mpl {

namespace {

constexpr std::size_t numberBytes = sizeof(std::uint64_t);
constexpr std::size_t headBytes = 2 * numberBytes + 1 + sizeof(SharedSegment::Key);

std::uint64_t namespaceOf(const char* path) {
  struct stat status {};
  return ::stat(path, &status) == 0 ? status.st_ino : 0;
}

// What the system looks at when a process wants to read the memory of another one (ptrace(2), "access mode
// checking"): both must have the same user, group and capabilities, and a program whose file others may not
// read, or that has said so itself, is closed to all.
std::uint64_t ownCredentials() {
  if (::prctl(PR_GET_DUMPABLE) != 1)
    return 0;
  std::ostringstream all;
  all << namespaceOf("/proc/self/ns/user") << ' ' << ::getuid() << ' ' << ::geteuid() << ' ' << ::getgid()
      << ' ' << ::getegid();
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("CapPrm:"))
      all << ' ' << line;
  return std::hash<std::string>()(all.str()) | 1;
}

} // namespace

PeerAddress PeerAddress::ofThisProcess(bool sharedMemory, std::string worker, SharedSegment::Key memory) {
  return {namespaceOf("/proc/self/ns/pid"), ownCredentials(), sharedMemory, std::move(worker), memory};
}

Bytes PeerAddress::encode() const {
  Bytes bytes(headBytes + worker.size());
  std::memcpy(bytes.data(), &pidNamespace, numberBytes);
  std::memcpy(bytes.data() + numberBytes, &credentials, numberBytes);
  bytes[2 * numberBytes] = std::byte{sharedMemory};
  std::memcpy(bytes.data() + 2 * numberBytes + 1, &memory, sizeof memory);
  std::memcpy(bytes.data() + headBytes, worker.data(), worker.size());
  return bytes;
}

PeerAddress PeerAddress::decode(std::span<const std::byte> bytes) {
  if (bytes.size() <= headBytes)
    fail(MPI_ERR_OTHER, "the address of a peer has ", bytes.size(), " bytes: more than ", headBytes,
         " are expected");
  PeerAddress address;
  std::memcpy(&address.pidNamespace, bytes.data(), numberBytes);
  std::memcpy(&address.credentials, bytes.data() + numberBytes, numberBytes);
  address.sharedMemory = bytes[2 * numberBytes] != std::byte{0};
  std::memcpy(&address.memory, bytes.data() + 2 * numberBytes + 1, sizeof address.memory);
  address.worker.assign(reinterpret_cast<const char*>(bytes.data()) + headBytes, bytes.size() - headBytes);
  return address;
}

} // namespace mpl
