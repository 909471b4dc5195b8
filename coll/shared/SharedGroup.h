#pragma once

#include "bootstrap/SharedSegment.h"
#include "coll/Algorithms.h"
#include "coll/Choice.h"
#include "coll/shared/RoomWish.h"
#include "pt2pt/Communicator.h"
#include "pt2pt/CpuPause.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <vector>

namespace mpl {

/// What a rank shows the others in one step: one cache line, whose number is written last.
struct alignas(64) Mail {
  static constexpr std::size_t room = 48;

  std::atomic<std::uint64_t> step;
  std::uint64_t bytes; ///< of the sender's whole data
  std::byte data[room];
};
static_assert(sizeof(Mail) == 64);

/// Members of a communicator who share memory, and the steps in which they meet. In a step a rank may post a
/// mail, with a slot of larger data, and wait for the mails of others; all members take the same steps in the
/// same order. Every mail and slot has one writer. Memory of a step is written again some steps later, when
/// all have ended it; who has waited for all mails of a step knows that all have ended the steps before.
///
/// Waiting spins, then yields and drives progress; errors: MPI_ERR_PROC_ABORTED where a member died, after
/// which the group is of no use. One thread at a time, without the engine.
class SharedGroup {
public:
  static constexpr std::size_t firstSlotBytes = 8 * 1024;
  static constexpr std::size_t mostSlotBytes = 68 * 1024; // 64 KiB with what describes them

  /// Collective over the members (ranks of the communicator, in order, this process's among them): nullptr,
  /// at all of them, where one cannot map the memory. tag: of the communicator's collectives. The
  /// communicator must outlive the group.
  static std::unique_ptr<SharedGroup> make(Communicator& comm, std::vector<int> ranks, int tag);

  int rank() const noexcept { return me_.rank; }
  int size() const noexcept { return me_.size; }
  std::size_t slotBytes() const noexcept { return slotBytes_; }
  bool isBroken() const noexcept { return broken_; }
  /// Whether every member can read and write the memory of every other one (DirectAccess); the same at all.
  bool reachesMemory() const noexcept { return reachesMemory_; }
  /// Whether members have to share processors, as one of them sees it; the same at all.
  bool isCrowded() const noexcept { return crowded_; }
  Reach reach() const noexcept { return reachesMemory_ ? Reach::processes : Reach::segment; }
  pid_t process(int rank) const noexcept { return static_cast<pid_t>(ends_[rank].process); }

  /// Calls each(rank) for every other member, beginning behind this one, so that members do not all turn to
  /// the same one at once.
  template <class Each> void eachOther(Each&& each) const {
    for (int rank = behind(me_.rank); rank != me_.rank; rank = behind(rank))
      each(rank);
  }
  /// How many places this member is behind another one, in the circle of members: from 1.
  int distanceFrom(int rank) const noexcept {
    const int distance = me_.rank - rank;
    return distance < 0 ? distance + me_.size : distance;
  }

  /// Makes slots larger where data of so many bytes is to go through them and they can grow; collective, and
  /// with the same number at all members.
  void prepare(std::size_t bytes) {
    if (bytes > slotBytes_ && canGrow()) [[unlikely]]
      grow();
  }
  /// The same for a later step, where not every member knows of the data. Before the step, begun by
  /// beginUnknown(), is posted; its own data goes another way.
  void wish(std::size_t bytes, std::uint64_t step) noexcept {
    if (bytes <= mostSlotBytes && canGrow()) [[unlikely]]
      wish_->make(step + slotDepth);
  }

  /// Begins the next step; the mail, and the slot where it is used, may be written afterwards.
  std::uint64_t begin(bool usesSlot) {
    const std::uint64_t step = ++step_;
    const std::uint64_t depth = usesSlot ? slotDepth : mailDepth;
    if (step > depth && step - depth > allEnded_) [[unlikely]]
      awaitEnd(step - depth);
    return step;
  }
  /// Begins a step with slots for data whose size not every member knows. Slots become larger when a member
  /// wished for that in a step that all have ended now: all see such a wish, and none heeds a later one. Nor
  /// does anyone heed it again after slots that could not grow.
  std::uint64_t beginUnknown() {
    const std::uint64_t step = begin(true);
    if (!wish_->isDueAt(step) || !canGrow()) [[likely]]
      return step;
    end(step);
    grow();
    return begin(true);
  }
  Mail& mail(int rank, std::uint64_t step) const noexcept {
    return mails_[static_cast<std::size_t>(rank) * mailDepth + step % mailDepth];
  }
  std::byte* slot(int rank, std::uint64_t step) const noexcept {
    return slots_ + (static_cast<std::size_t>(rank) * slotDepth + step % slotDepth) * slotBytes_;
  }

  Mail& ownMail(std::uint64_t step) const noexcept { return mail(me_.rank, step); }
  std::byte* ownSlot(std::uint64_t step) const noexcept { return slot(me_.rank, step); }
  /// Shows mail and slot to the others. bytes: of the whole data, for those who compare.
  void post(std::uint64_t step, std::size_t bytes) noexcept {
    Mail& own = ownMail(step);
    own.bytes = bytes;
    own.step.store(step, std::memory_order_release);
  }

  const Mail& await(int rank, std::uint64_t step) {
    const Mail& other = mail(rank, step);
    awaitValue(other.step, step);
    return other;
  }
  void awaitAll(std::uint64_t step) {
    eachOther([&](int rank) { await(rank, step); });
    allEnded_ = std::max(allEnded_, step - 1);
  }
  /// This rank reads nothing more of the step.
  void end(std::uint64_t step) noexcept { ends_[me_.rank].step.store(step, std::memory_order_release); }
  /// Until a member, or all, have ended the step: what it reads elsewhere than in mails and slots must stay
  /// until then.
  void awaitEndOf(int rank, std::uint64_t step) { awaitValue(ends_[rank].step, step); }
  void awaitAllEnds(std::uint64_t step) {
    eachOther([&](int rank) { awaitEndOf(rank, step); });
    allEnded_ = std::max(allEnded_, step);
  }

private:
  static constexpr std::size_t mailDepth = 4;
  static constexpr std::size_t slotDepth = 2;

  struct alignas(64) End {
    std::atomic<std::uint64_t> step;
    std::int64_t process;
    std::uint64_t probe; ///< the address at the process of its probe_
  };

  SharedGroup(Communicator& comm, std::vector<int> ranks, Members me, int tag)
      : comm_(comm), ranks_(std::move(ranks)), me_(me), tag_(tag) {}

  int behind(int rank) const noexcept { return rank + 1 == me_.size ? 0 : rank + 1; }

  bool share(std::size_t slotBytes);
  bool canGrow() const noexcept { return slotBytes_ < mostSlotBytes && canGrow_; }
  void grow();
  void learnOfMembers();

  void awaitValue(const std::atomic<std::uint64_t>& value, std::uint64_t least) {
    for (unsigned turn = 0; turn < spins_; ++turn) {
      if (value.load(std::memory_order_acquire) >= least)
        return;
      cpuPause();
    }
    awaitLonger(value, least);
  }
  void awaitLonger(const std::atomic<std::uint64_t>& value, std::uint64_t least);
  void awaitEnd(std::uint64_t step);

  Communicator& comm_;
  std::vector<int> ranks_;
  Members me_;
  int tag_; // for all that is agreed on, ever
  unsigned spins_ = 0;
  std::uint64_t step_ = 0;
  std::uint64_t allEnded_ = 0; ///< all members have ended the steps up to this one
  Mail* mails_ = nullptr;
  End* ends_ = nullptr;
  RoomWish* wish_ = nullptr;
  std::byte* slots_ = nullptr;
  std::size_t slotBytes_ = 0;
  bool canGrow_ = true;
  bool broken_ = false;
  bool reachesMemory_ = false;
  bool crowded_ = false;
  std::uint64_t probe_ = 0; // others try to read it
  std::unique_ptr<SharedSegment> segment_;
};

} // namespace mpl
