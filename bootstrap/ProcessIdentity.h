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

/// What /proc says of a process; nothing when there is no such process or /proc does not show it.
struct ProcessState {
  std::uint64_t startTime = 0;
  std::uint64_t threads = 0; ///< that have not ended, and the first one
  char state = '?';          ///< of the first thread: 'R', 'S', 'Z' ...

  /// The first thread may end before the others, and looks like a dead process then.
  bool hasEnded() const noexcept { return (state == 'Z' || state == 'X') && threads <= 1; }
};
std::optional<ProcessState> processState(pid_t pid);

/// By /proc, or by kill where /proc shows nothing: a zombie is dead, and so is a process that was born at
/// another time, for its number was given to someone else. startTime: 0 where it is not known.
bool isAlive(pid_t pid, std::uint64_t startTime = 0);

} // namespace mpl
