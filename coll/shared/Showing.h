#pragma once

#include "coll/shared/DirectAccess.h"
#include "coll/shared/Fit.h"

namespace mpl {

/// What one rank shows to others in a step: in its mail, in its slot, or where it lies. Its size says which,
/// so that nobody else has to know it before.
class Showing {
public:
  explicit Showing(SharedGroup& group) : group_(group), access_(group), step_(group.beginUnknown()) {}

  void show(const PackedRun& run) {
    const std::size_t bytes = run.bytes();
    if (isDirect(bytes)) {
      group_.wish(bytes, step_);
      Offer{run.address(), 0}.postTo(group_, step_, bytes);
      return;
    }
    if (bytes != 0)
      copyLong(bytes <= Mail::room ? group_.ownMail(step_).data : group_.ownSlot(step_), run.at(), bytes);
    group_.post(step_, bytes);
  }

  /// Waits for a rank and takes what fits.
  void take(int rank, const Block& to) {
    const Mail& mail = rank == group_.rank() ? group_.ownMail(step_) : group_.await(rank, step_);
    const std::size_t bytes = mail.bytes;
    const std::size_t room = to.bytes();
    const std::size_t length = std::min(bytes, room);
    fit_.note(rank, bytes, room);
    if (isDirect(bytes))
      access_.readInto(rank, Offer::in(mail).source, to, length);
    else
      PackedView(to).write(0, length, bytes <= Mail::room ? mail.data : group_.slot(rank, step_));
  }
  void copyOwn(const Block& from, const Block& to) noexcept { fit_.copyOwn(group_.rank(), from, to); }

  bool isDirect(std::size_t bytes) const noexcept { return bytes > group_.slotBytes(); }
  std::uint64_t step() const noexcept { return step_; }

  /// Errors: MPI_ERR_TRUNCATE; those of DirectAccess.
  void check() const {
    access_.throwFailure();
    fit_.check();
  }

private:
  SharedGroup& group_;
  DirectAccess access_;
  std::uint64_t step_;
  Fit fit_;
};

} // namespace mpl
