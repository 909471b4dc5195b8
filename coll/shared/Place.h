#pragma once

#include "coll/shared/SharedGroup.h"
#include "mpl/LongCopy.h"

namespace mpl {

/// Where the members' data of a step is: in the mails where all of it fits one, else in the slots.
class Place {
public:
  /// bytes: of a member's whole data, which may take several steps; the same at all. After
  /// SharedGroup::prepare().
  Place(SharedGroup& group, std::size_t bytes) noexcept : group_(group), inMail_(bytes <= Mail::room) {}

  /// Of a member in each step.
  std::size_t room() const noexcept { return inMail_ ? Mail::room : group_.slotBytes(); }

  /// Begins the next step.
  void begin() {
    step_ = group_.begin(!inMail_);
    first_ = inMail_ ? group_.mail(0, step_).data : group_.slot(0, step_);
    stride_ = (inMail_ ? group_.mail(1, step_).data : group_.slot(1, step_)) - first_;
  }
  std::uint64_t step() const noexcept { return step_; }
  std::byte* of(int rank) const noexcept { return first_ + rank * stride_; }
  std::byte* own() const noexcept { return of(group_.rank()); }
  /// The same for one who is about to write so many bytes and to post them.
  std::byte* toFill(std::size_t bytes) const noexcept {
    std::byte* const place = own();
    if (!inMail_) {
      fetchToWrite(reinterpret_cast<const std::byte*>(&group_.ownMail(step_)), sizeof(Mail));
      fetchToWrite(place, bytes);
    }
    return place;
  }

private:
  SharedGroup& group_;
  bool inMail_;
  std::uint64_t step_ = 0;
  std::byte* first_ = nullptr;
  std::ptrdiff_t stride_ = 0;
};

} // namespace mpl
