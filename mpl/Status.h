#pragma once

#include "mpi.h"

#include <cstdint>
#include <cstring>

namespace mpl {

/// How MPL uses the five hidden words of the ABI's MPI_Status: words 0 and 1 hold the number of bytes
/// received (64 bits), word 2 whether the operation was cancelled.
namespace statusWords {

inline void setBytes(MPI_Status& status, std::uint64_t bytes) noexcept {
  std::memcpy(&status.MPI_internal[0], &bytes, sizeof bytes);
}

inline std::uint64_t bytes(const MPI_Status& status) noexcept {
  std::uint64_t value = 0;
  std::memcpy(&value, &status.MPI_internal[0], sizeof value);
  return value;
}

inline void setCancelled(MPI_Status& status, bool cancelled) noexcept {
  status.MPI_internal[2] = cancelled ? 1 : 0;
}

inline bool cancelled(const MPI_Status& status) noexcept {
  return status.MPI_internal[2] != 0;
}

} // namespace statusWords

/// What a completed operation tells about itself; copied into the user's MPI_Status.
struct Outcome {
  int source = MPI_ANY_SOURCE;
  int tag = MPI_ANY_TAG;
  int error = MPI_SUCCESS;
  bool cancelled = false;
  std::uint64_t bytes = 0;

  /// The empty status of the standard (section 3.7.3): what null and inactive requests report.
  static constexpr Outcome empty() noexcept { return {}; }
  /// What every operation with MPI_PROC_NULL reports.
  static constexpr Outcome noProcess() noexcept {
    return {MPI_PROC_NULL, MPI_ANY_TAG, MPI_SUCCESS, false, 0};
  }

  /// Writes all fields but MPI_ERROR, which calls that complete one operation must leave alone
  /// (section 3.2.5).
  void writeTo(MPI_Status* status) const noexcept {
    if (status == MPI_STATUS_IGNORE)
      return;
    status->MPI_SOURCE = source;
    status->MPI_TAG = tag;
    statusWords::setBytes(*status, bytes);
    statusWords::setCancelled(*status, cancelled);
  }
};

} // namespace mpl
