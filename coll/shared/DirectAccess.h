#pragma once

#include "bootstrap/ProcessMemory.h"
#include "coll/shared/PackedRun.h"
#include "coll/shared/SharedGroup.h"

namespace mpl {

/// Reads and writes the memory of other members of a group (SharedGroup::reachesMemory()). A failure is kept,
/// so that the step in which it happens can be ended with the others.
class DirectAccess {
public:
  explicit DirectAccess(const SharedGroup& group) noexcept : group_(group) {}

  void read(int rank, std::uint64_t from, void* to, std::size_t bytes) noexcept {
    note(rank, processMemory::read(group_.process(rank), from, to, bytes));
  }
  /// Into a block, which may have gaps, from packed data.
  void readInto(int rank, std::uint64_t from, const Block& to, std::size_t bytes) {
    const PackedRun target(to, PackedRun::Use::target);
    read(rank, from, target.at(), bytes);
    target.finish(bytes);
  }
  void write(int rank, const void* from, std::uint64_t to, std::size_t bytes) noexcept {
    note(rank, processMemory::write(group_.process(rank), from, to, bytes));
  }
  /// Errors: MPI_ERR_BUFFER where a member's buffer is no memory; MPI_ERR_OTHER.
  void throwFailure() const {
    if (error_ != 0) [[unlikely]]
      failAccess();
  }

private:
  void note(int rank, int error) noexcept {
    if (error != 0 && error_ == 0) [[unlikely]] {
      error_ = error;
      rank_ = rank;
    }
  }
  [[noreturn]] void failAccess() const;

  const SharedGroup& group_;
  int error_ = 0;
  int rank_ = 0;
};

/// What members tell each other in their mails before they reach into each other's memory.
struct Offer {
  std::uint64_t source; ///< addresses at the member; 0: none
  std::uint64_t target;

  void postTo(SharedGroup& group, std::uint64_t step, std::size_t bytes) const noexcept {
    static_assert(sizeof(Offer) <= Mail::room);
    std::memcpy(group.ownMail(step).data, this, sizeof *this);
    group.post(step, bytes);
  }
  static Offer in(const Mail& mail) noexcept {
    Offer offer;
    std::memcpy(&offer, mail.data, sizeof offer);
    return offer;
  }
};

} // namespace mpl
