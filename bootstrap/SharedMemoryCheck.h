#pragma once

#include <cstdint>
#include <string>

namespace mpl {

/// Which kinds of shared memory this process can make. Containers deny one or the other, and give /dev/shm
/// little room; a transport that finds out by itself gives up loudly. Costs three or four system calls.
struct SharedMemoryCheck {
  bool posix = true; ///< files in /dev/shm, with room for localRanks processes
  bool systemV = true;

  /// bytesPerRank: what each of the localRanks processes of this node needs in /dev/shm.
  static SharedMemoryCheck ofThisProcess(int localRanks, std::uint64_t bytesPerRank = std::uint64_t{8} << 20,
                                         const std::string& folder = "/dev/shm");
};

} // namespace mpl
