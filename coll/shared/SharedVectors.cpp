#include "coll/shared/DirectAccess.h"
#include "coll/shared/SharedCollectives.h"

#include <vector>

namespace mpl::shared {

namespace {

/// What one rank shows to others in a step: in its mail, in its slot, or where it lies. Its size says which,
/// so that nobody else has to know it before.
class Showing {
public:
  explicit Showing(SharedGroup& group) : group_(group), access_(group), step_(group.begin(true)) {}

  void show(const PackedRun& run) {
    const std::size_t bytes = run.bytes();
    if (isDirect(bytes)) {
      Offer{run.address(), 0}.postTo(group_, step_, bytes);
      return;
    }
    if (bytes != 0)
      std::memcpy(bytes <= Mail::room ? group_.ownMail(step_).data : group_.ownSlot(step_), run.at(), bytes);
    group_.post(step_, bytes);
  }

  /// Waits for a rank and takes what fits.
  void take(int rank, const Block& to) {
    const Mail& mail = group_.await(rank, step_);
    const std::size_t bytes = mail.bytes;
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

/// What a rank has for one other: in its slot, or where it lies.
struct Entry {
  std::uint64_t bytes;
  std::uint64_t offset;  ///< in the slot
  std::uint64_t address; ///< 0: it is in the slot
};

/// Blocks of one rank for the others, with a table of entries at the start of its slot.
class Table {
public:
  Table(SharedGroup& group, std::uint64_t step, const Parts& parts, bool copies)
      : group_(group), step_(step), slot_(group.ownSlot(step)),
        used_(static_cast<std::size_t>(group.size()) * sizeof(Entry)) {
    for (int distance = 1; distance < group.size(); ++distance) {
      const int rank = (group.rank() + distance) % group.size();
      add(rank, parts.block(rank), copies);
    }
    group.post(step, 0);
  }

  /// Until the others have what did not fit into the slot.
  void awaitReaders() {
    for (const int rank : readers_)
      group_.awaitEndOf(rank, step_);
  }

private:
  void add(int rank, const Block& block, bool copies) {
    Entry entry{block.bytes(), used_, 0};
    if (entry.bytes <= group_.slotBytes() - used_) {
      PackedView(block).read(0, entry.bytes, slot_ + used_);
      used_ += entry.bytes;
    } else {
      runs_.emplace_back(block, PackedRun::Use::source, copies);
      readers_.push_back(rank);
      entry.address = runs_.back().address();
    }
    std::memcpy(slot_ + static_cast<std::size_t>(rank) * sizeof entry, &entry, sizeof entry);
  }

  SharedGroup& group_;
  std::uint64_t step_;
  std::byte* slot_;
  std::size_t used_;
  std::vector<PackedRun> runs_;
  std::vector<int> readers_;
};

// Waits for a rank and takes this rank's entry of its table. Gives how many bytes it had.
std::size_t takeEntry(SharedGroup& group, std::uint64_t step, int rank, const Block& to,
                      DirectAccess& access) {
  group.await(rank, step);
  const std::byte* const slot = group.slot(rank, step);
  Entry entry;
  std::memcpy(&entry, slot + static_cast<std::size_t>(group.rank()) * sizeof entry, sizeof entry);
  const std::size_t length = std::min<std::size_t>(entry.bytes, to.bytes());
  if (entry.address == 0) {
    PackedView(to).write(0, length, slot + entry.offset);
  } else {
    const PackedRun target(to, PackedRun::Use::target);
    access.read(rank, entry.address, target.at(), length);
    target.finish(length);
  }
  return entry.bytes;
}

} // namespace

bool hasRoomForTables(const SharedGroup& group) noexcept {
  return static_cast<std::size_t>(group.size()) * sizeof(Entry) <= SharedGroup::firstSlotBytes / 2;
}

void gatherVarying(SharedGroup& group, const Block& send, const Parts& receive, int root) {
  if (group.rank() != root) {
    const PackedRun run(send, PackedRun::Use::source);
    Showing showing(group);
    showing.show(run);
    group.end(showing.step());
    if (showing.isDirect(run.bytes()))
      group.awaitEndOf(root, showing.step());
    return;
  }
  Showing showing(group);
  for (int distance = 1; distance < group.size(); ++distance) {
    const int rank = (root + distance) % group.size();
    showing.take(rank, receive.block(rank));
  }
  group.end(showing.step());
  if (!send.isInPlace() && !copyData(send, receive.block(root)))
    checkFits(send.bytes(), receive.block(root).bytes(), root);
  showing.check();
}

void allgatherVarying(SharedGroup& group, const Block& send, const Parts& receive) {
  const Block mine = receive.block(group.rank());
  const PackedRun run(send.isInPlace() ? mine : send, PackedRun::Use::source);
  Showing showing(group);
  showing.show(run);
  const bool fits = send.isInPlace() || copyData(send, mine);
  for (int distance = 1; distance < group.size(); ++distance) {
    const int rank = (group.rank() + distance) % group.size();
    showing.take(rank, receive.block(rank));
  }
  group.awaitAll(showing.step());
  group.end(showing.step());
  if (showing.isDirect(run.bytes()))
    group.awaitAllEnds(showing.step());
  if (!fits)
    checkFits(send.bytes(), mine.bytes(), group.rank());
  showing.check();
}

void scatterVarying(SharedGroup& group, const Parts& send, const Block& receive, int root) {
  const std::uint64_t step = group.begin(true);
  if (group.rank() != root) {
    DirectAccess access(group);
    const std::size_t sent = takeEntry(group, step, root, receive, access);
    group.end(step);
    access.throwFailure();
    checkFits(sent, receive.bytes(), root);
    return;
  }
  Table table(group, step, send, false);
  group.end(step);
  const bool fits = receive.isInPlace() || copyData(send.block(root), receive);
  table.awaitReaders();
  if (!fits)
    checkFits(send.block(root).bytes(), receive.bytes(), root);
}

void exchange(SharedGroup& group, const Parts& send, const Parts& receive) {
  const std::uint64_t step = group.begin(true);
  Table table(group, step, send.isInPlace() ? receive : send, send.isInPlace());
  const int me = group.rank();
  int tooLong = -1;
  std::size_t sent = 0;
  if (!send.isInPlace() && !copyData(send.block(me), receive.block(me))) {
    tooLong = me;
    sent = send.block(me).bytes();
  }
  DirectAccess access(group);
  for (int distance = 1; distance < group.size(); ++distance) {
    const int rank = (me + distance) % group.size();
    const Block to = receive.block(rank);
    const std::size_t came = takeEntry(group, step, rank, to, access);
    if (came > to.bytes() && tooLong < 0) {
      tooLong = rank;
      sent = came;
    }
  }
  group.awaitAll(step);
  group.end(step);
  table.awaitReaders();
  access.throwFailure();
  if (tooLong >= 0)
    checkFits(sent, receive.block(tooLong).bytes(), tooLong);
}

} // namespace mpl::shared
