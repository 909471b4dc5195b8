#pragma once

#include <string>
#include <sys/types.h>
#include <unistd.h>

namespace mpl {

/// The process that started this one on its node: the nearest ancestor that is not a wrapper, that is, whose
/// environment lacks the launcher's variables.
struct Launcher {
  pid_t pid = 0;    ///< 0: not found
  std::string name; ///< its command name, as "mpirun.openmpi"
  int allowed = 0;  ///< processors it may run on; 0: not known

  static Launcher find() { return of(::getpid()); }
  /// That of another process.
  static Launcher of(pid_t process);

  /// True when the launcher lets a job go on, and ends with status 0, whatever becomes of its processes (Open
  /// MPI's mpirun with --enable-recovery).
  static bool forgivesEverything();
};

} // namespace mpl
