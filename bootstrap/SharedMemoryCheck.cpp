#include "bootstrap/SharedMemoryCheck.h"

#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace mpl {

namespace {

bool posixHasRoom(const std::string& folder, std::uint64_t bytes) {
  struct statvfs room {};
  if (::statvfs(folder.c_str(), &room) != 0 || ::access(folder.c_str(), W_OK | X_OK) != 0)
    return false;
  return static_cast<std::uint64_t>(room.f_bavail) * room.f_frsize >= bytes;
}

bool systemVWorks() {
  const int segment = ::shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
  if (segment < 0)
    return false;
  ::shmctl(segment, IPC_RMID, nullptr); // nobody has attached it: gone at once
  return true;
}

} // namespace

SharedMemoryCheck SharedMemoryCheck::ofThisProcess(int localRanks, std::uint64_t bytesPerRank,
                                                   const std::string& folder) {
  const auto ranks = static_cast<std::uint64_t>(localRanks > 1 ? localRanks : 1);
  return {posixHasRoom(folder, ranks * bytesPerRank), systemVWorks()};
}

} // namespace mpl
