#include "pt2pt/PeerAddress.h"

#include "mpl/Error.h"

#include <cstring>

namespace mpl {

namespace {
constexpr std::size_t headBytes = sizeof(std::uint64_t) + 1;
} // namespace

Bytes PeerAddress::encode() const {
  Bytes bytes(headBytes + worker.size());
  std::memcpy(bytes.data(), &pidNamespace, sizeof(pidNamespace));
  bytes[sizeof(pidNamespace)] = std::byte{sharedMemory};
  std::memcpy(bytes.data() + headBytes, worker.data(), worker.size());
  return bytes;
}

PeerAddress PeerAddress::decode(std::span<const std::byte> bytes) {
  if (bytes.size() <= headBytes)
    fail(MPI_ERR_OTHER, "the address of a peer has ", bytes.size(), " bytes: more than ", headBytes,
         " are expected");
  PeerAddress address;
  std::memcpy(&address.pidNamespace, bytes.data(), sizeof(address.pidNamespace));
  address.sharedMemory = bytes[sizeof(address.pidNamespace)] != std::byte{0};
  address.worker.assign(reinterpret_cast<const char*>(bytes.data()) + headBytes, bytes.size() - headBytes);
  return address;
}

} // namespace mpl
