#include "pt2pt/PeerAddress.h"

#include "mpl/Error.h"

#include <cstring>
#include <sys/stat.h>

namespace mpl {

namespace {

constexpr std::size_t numberBytes = sizeof(std::uint64_t);
constexpr std::size_t headBytes = 2 * numberBytes + 1 + sizeof(SharedSegment::Key);

std::uint64_t namespaceOf(const char* path) {
  struct stat status {};
  return ::stat(path, &status) == 0 ? status.st_ino : 0;
}

} // namespace

PeerAddress PeerAddress::ofThisProcess(bool sharedMemory, std::string worker, SharedSegment::Key memory) {
  return {namespaceOf("/proc/self/ns/pid"), namespaceOf("/proc/self/ns/user"), sharedMemory,
          std::move(worker), memory};
}

Bytes PeerAddress::encode() const {
  Bytes bytes(headBytes + worker.size());
  std::memcpy(bytes.data(), &pidNamespace, numberBytes);
  std::memcpy(bytes.data() + numberBytes, &userNamespace, numberBytes);
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
  std::memcpy(&address.userNamespace, bytes.data() + numberBytes, numberBytes);
  address.sharedMemory = bytes[2 * numberBytes] != std::byte{0};
  std::memcpy(&address.memory, bytes.data() + 2 * numberBytes + 1, sizeof address.memory);
  address.worker.assign(reinterpret_cast<const char*>(bytes.data()) + headBytes, bytes.size() - headBytes);
  return address;
}

} // namespace mpl
