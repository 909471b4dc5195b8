#pragma once

#include "coll/shared/DirectAccess.h"
#include "coll/shared/SharedCollectives.h"

namespace mpl {

/// What one rank shows to others in a step: in its mail, in its slot, or where it lies. Its size says which,
/// so that nobody else has to know it before.
class Showing {
public:
  explicit Showing(SharedGroup& group) : group_(group), access_(group), step_(group.beginUnknown()) {}

  void show(const PackedRun& run) {
    const std::size_t bytes = run.bytes();
    if (isDirect(bytes)) {
      const bool wantsRoom = bytes <= SharedGroup::mostSlotBytes && group_.canGrow();
      Offer{run.address(), 0}.postTo(group_, step_, bytes | (wantsRoom ? Mail::wantsRoom : 0));
      return;
    }
    if (bytes != 0)
      std::memcpy(bytes <= Mail::room ? group_.ownMail(step_).data : group_.ownSlot(step_), run.at(), bytes);
    group_.post(step_, bytes);
  }

  /// Waits for a rank and takes what fits.
  void take(int rank, const Block& to) {
    const Mail& mail = rank == group_.rank() ? group_.ownMail(step_) : group_.await(rank, step_);
    const std::size_t bytes = mail.bytes & ~Mail::wantsRoom;
    const std::size_t room = to.bytes();
    const std::size_t length = std::min(bytes, room);
    if (bytes > room && tooLong_ < 0) {
      tooLong_ = rank;
      sent_ = bytes;
      room_ = room;
    }
    if (!isDirect(bytes)) {
      PackedView(to).write(0, length, bytes <= Mail::room ? mail.data : group_.slot(rank, step_));
      return;
    }
    const PackedRun target(to, PackedRun::Use::target);
    access_.read(rank, Offer::in(mail).source, target.at(), length);
    target.finish(length);
  }

  bool isDirect(std::size_t bytes) const noexcept { return bytes > group_.slotBytes(); }
  std::uint64_t step() const noexcept { return step_; }

  void check() const {
    access_.throwFailure();
    if (tooLong_ >= 0)
      checkFits(sent_, room_, tooLong_);
  }

private:
  SharedGroup& group_;
  DirectAccess access_;
  std::uint64_t step_;
  int tooLong_ = -1;
  std::size_t sent_ = 0;
  std::size_t room_ = 0;
};

} // namespace mpl
