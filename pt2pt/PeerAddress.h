#pragma once

#include "bootstrap/Process.h"
#include "bootstrap/SharedSegment.h"

#include <cstdint>
#include <string>

namespace mpl {

/// What a process publishes for others to connect to it: where UCX finds it, and what decides how its death
/// will be noticed. Both sides of a connection must decide alike, so both look at both addresses.
struct PeerAddress {
  std::uint64_t pidNamespace = 0; ///< in which process ids mean something to others; 0: not known
  std::uint64_t credentials = 0;  ///< those with the same may read each other's memory; 0: nobody may
  bool sharedMemory = false;      ///< UCX may talk through memory that processes share
  std::string worker;             ///< of UCX
  SharedSegment::Key memory;      ///< for messages of the node (pt2pt/node); no key: it takes none

  /// For this process; the rest is UCX's.
  static PeerAddress ofThisProcess(bool sharedMemory, std::string worker, SharedSegment::Key memory = {});

  Bytes encode() const;
  /// Throws MPI_ERR_OTHER when the bytes are no address.
  static PeerAddress decode(std::span<const std::byte> bytes);

  /// Whether two processes of one node see each other's processes, and so each other's deaths, and may read
  /// each other's memory. (UCX 1.13 tries to read it whether it may or not.)
  bool isOpenTo(const PeerAddress& other) const noexcept {
    return sharedMemory && other.sharedMemory && pidNamespace != 0 && pidNamespace == other.pidNamespace &&
           credentials != 0 && credentials == other.credentials;
  }

  bool takesNodeMessages() const noexcept { return memory.bytes != 0; }
};

} // namespace mpl
