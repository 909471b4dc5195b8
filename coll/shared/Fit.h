#pragma once

#include "coll/Block.h"

namespace mpl {

/// Whether what came to a rank fits the room for it: remembers the first that does not, so that a collective
/// can be ended with the others before it fails.
class Fit {
public:
  void note(int from, std::size_t sent, std::size_t room) noexcept {
    if (sent > room && from_ < 0) [[unlikely]] {
      from_ = from;
      sent_ = sent;
      room_ = room;
    }
  }
  /// Copies a rank's data for itself, unless it is in its place already.
  void copyOwn(int rank, const Block& from, const Block& to) noexcept {
    if (!from.isInPlace() && !to.isInPlace() && !copyData(from, to)) [[unlikely]]
      note(rank, from.bytes(), to.bytes());
  }
  /// Errors: MPI_ERR_TRUNCATE.
  void check() const {
    if (from_ >= 0) [[unlikely]]
      failTooLong();
  }

private:
  [[noreturn]] void failTooLong() const;

  int from_ = -1;
  std::size_t sent_ = 0;
  std::size_t room_ = 0;
};

} // namespace mpl
