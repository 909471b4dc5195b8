#pragma once

#include "coll/Algorithms.h"

#include <cstdint>

namespace mpl {

/// What all ranks have to give alike in one collective call.
struct CallFacts {
  static constexpr int noRoot = -1;
  static constexpr int noOp = -1;
  static constexpr std::uint64_t anyBytes = UINT64_MAX;
  enum class Manner : int { blocking, inTheBackground, persistent };

  char name[24] = {};
  int root = noRoot;
  int op = noOp;                    ///< Op::Kind
  Manner manner = Manner::blocking; ///< calls of different manners do not match (MPI-5.0, section 6.12)
  std::uint64_t bytes = anyBytes;

  static CallFacts of(const char* name, std::uint64_t bytes = anyBytes, int root = noRoot,
                      const Op* op = nullptr);
};

/// Whether calls are verified: MPL_CHECK=1.
bool isChecking() noexcept;

/// Adds to an empty schedule that all ranks tell each other their facts; where they differ, all fail with a
/// text that names the ranks: MPI_ERR_ROOT, MPI_ERR_OP, MPI_ERR_COUNT, or MPI_ERR_OTHER for different
/// collectives and manners of calling them.
void addVerification(Schedule& schedule, Members me, const CallFacts& facts);

} // namespace mpl
