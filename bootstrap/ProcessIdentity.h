#pragma once

#include "bootstrap/Process.h"

#include <cstdint>
#include <sys/types.h>

namespace mpl {

/// What the others on the node need to know of a process to see whether it lives and where it runs. Pinned on
/// the board under Process::identityKey by Process::start().
struct ProcessIdentity {
  std::int64_t pid = 0;
  std::uint64_t startTime = 0;    ///< clock ticks after boot, field 22 of /proc/PID/stat; 0: not known
  std::uint64_t pidNamespace = 0; ///< inode of /proc/self/ns/pid; 0: not known
  std::string hostName;
  std::string cpus; ///< allowed processors at start, as "0-3,8"

  static ProcessIdentity ofThisProcess();
  Bytes encode() const;
  /// Throws MPI_ERR_OTHER when the bytes are not an identity.
  static ProcessIdentity decode(std::span<const std::byte> bytes);
  bool operator==(const ProcessIdentity&) const = default;
};

/// The start time of a process and its state letter ('R', 'S', 'Z' ...); nothing when there is no such
/// process or /proc does not show it.
struct ProcessState {
  std::uint64_t startTime = 0;
  char state = '?';
};
std::optional<ProcessState> processState(pid_t pid);

} // namespace mpl
