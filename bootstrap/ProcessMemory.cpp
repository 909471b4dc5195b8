#include "bootstrap/ProcessMemory.h"

#include <cerrno>
#include <sys/uio.h>

namespace mpl::processMemory {

namespace {

// The system moves less than 2 GiB at a time.
template <class Move>
int moveAll(pid_t process, std::uint64_t there, std::uint64_t here, std::size_t bytes, Move&& move) noexcept {
  while (bytes > 0) {
    const iovec local{reinterpret_cast<void*>(here), bytes};
    const iovec remote{reinterpret_cast<void*>(there), bytes};
    const ssize_t moved = move(process, &local, 1, &remote, 1, 0);
    if (moved < 0 && errno == EINTR)
      continue;
    if (moved <= 0)
      return moved < 0 ? errno : EFAULT;
    there += static_cast<std::uint64_t>(moved);
    here += static_cast<std::uint64_t>(moved);
    bytes -= static_cast<std::size_t>(moved);
  }
  return 0;
}

} // namespace

int read(pid_t process, std::uint64_t from, void* to, std::size_t bytes) noexcept {
  return moveAll(process, from, reinterpret_cast<std::uintptr_t>(to), bytes, ::process_vm_readv);
}

int write(pid_t process, const void* from, std::uint64_t to, std::size_t bytes) noexcept {
  return moveAll(process, to, reinterpret_cast<std::uintptr_t>(from), bytes, ::process_vm_writev);
}

} // namespace mpl::processMemory
