#pragma once

#include <cstddef>
#include <cstdint>
#include <sys/types.h>

namespace mpl {

/// Memory of another process of this node, by its address there, read and written without that process's
/// help (cross memory attach). Gives 0, or the errno of the failure: EPERM where the system does not allow
/// it, ESRCH where the process is gone, EFAULT where there is no such memory. Any thread.
namespace processMemory {

int read(pid_t process, std::uint64_t from, void* to, std::size_t bytes) noexcept;
int write(pid_t process, const void* from, std::uint64_t to, std::size_t bytes) noexcept;

} // namespace processMemory
} // namespace mpl
