#include "coll/shared/DirectAccess.h"
#include "coll/shared/SharedCollectives.h"
#include "coll/shared/Showing.h"

#include <vector>

namespace mpl::shared {

namespace {

/// What a rank has for another one, and where it wants what comes from it.
struct Entry {
  std::uint64_t bytes;
  std::uint64_t offset;  ///< in the slot
  std::uint64_t address; ///< 0: it is in the slot
  std::uint64_t room;
  std::uint64_t target; ///< address; 0: this rank reads for itself
};

/// What a mail of an exchange stands for.
enum Kind : std::uint64_t {
  inMail,     ///< all blocks are in the mail, in equal shares: a byte with the length, then the data
  inTable,    ///< the slot has a table of entries, and data behind it
  asksForRoom ///< nothing: the slots should grow first
};

// Each block begins a line: the processor copies aligned data faster.
std::size_t wholeLines(std::size_t bytes) noexcept {
  return (bytes + alignof(Mail) - 1) / alignof(Mail) * alignof(Mail);
}

Block emptyBlock(int) {
  return {};
}

/// Blocks of one rank for the others, who are told by their mails. Rank `distance` places behind this one has
/// share and entry number distance-1.
class Table {
public:
  Table(SharedGroup& group, std::uint64_t step) : group_(group), step_(step) {}

  /// block(rank): what this rank has for it; target(rank): where it wants that one's. copies: the blocks are
  /// written to while others may still read them.
  template <class Source, class Target> void show(Source&& block, Target&& target, bool copies) {
    std::size_t largest = 0;
    std::size_t total = 0;
    eachOther([&](int rank, std::size_t) {
      const std::size_t bytes = block(rank).bytes();
      largest = std::max(largest, bytes);
      total += wholeLines(bytes);
    });
    if (largest < shareOf(group_)) {
      eachOther([&](int rank, std::size_t index) { addToMail(index, block(rank)); });
      group_.post(step_, inMail);
      return;
    }
    const std::size_t used = wholeLines(others() * sizeof(Entry));
    if (used + total > group_.slotBytes() && used + total <= SharedGroup::mostSlotBytes && group_.canGrow()) {
      group_.post(step_, asksForRoom);
      return;
    }
    hasTable_ = true;
    used_ = used;
    eachOther([&](int rank, std::size_t index) { addEntry(index, block(rank), target(rank), copies); });
    group_.post(step_, inTable);
  }

  /// Takes what a rank, whose mail is there, has for this one. Gives how much that is.
  std::size_t take(int rank, const Block& to, DirectAccess& access) {
    const Mail& mail = group_.mail(rank, step_);
    const auto index = static_cast<std::size_t>((group_.rank() - rank + group_.size()) % group_.size() - 1);
    if (mail.bytes == inMail) {
      const std::byte* const share = mail.data + index * shareOf(group_);
      const auto bytes = static_cast<std::size_t>(share[0]);
      PackedView(to).write(0, bytes, share + 1);
      return bytes;
    }
    const Entry theirs = entryAt(group_.slot(rank, step_), index);
    const std::size_t length = std::min<std::size_t>(theirs.bytes, to.bytes());
    if (theirs.address == 0) {
      PackedView(to).write(0, length, group_.slot(rank, step_) + theirs.offset);
      return theirs.bytes;
    }
    await(rank);
    if (hasTable_ && ownEntry(rank).target != 0)
      return theirs.bytes; // it is written by the other
    const PackedRun target(to, PackedRun::Use::target);
    access.read(rank, theirs.address, target.at(), length);
    target.finish(length);
    return theirs.bytes;
  }

  /// Writes to a rank, whose mail is there, what does not go through the slot, if it lets this one.
  void give(int rank, DirectAccess& access) {
    if (!hasTable_)
      return;
    const Entry mine = ownEntry(rank);
    if (mine.address == 0)
      return;
    await(rank);
    const Mail& mail = group_.mail(rank, step_);
    if (mail.bytes != inTable)
      return;
    const auto index = static_cast<std::size_t>((group_.rank() - rank + group_.size()) % group_.size() - 1);
    const Entry theirs = entryAt(group_.slot(rank, step_), index);
    if (theirs.target != 0)
      access.write(rank, reinterpret_cast<const void*>(mine.address), theirs.target,
                   std::min(mine.bytes, theirs.room));
  }

  bool hasRuns() const noexcept { return !runs_.empty(); }
  /// Until the others are done with what is not in slots.
  void awaitPartners() {
    for (const int rank : partners_)
      group_.awaitEndOf(rank, step_);
  }

private:
  static std::size_t shareOf(const SharedGroup& group) noexcept {
    return Mail::room / static_cast<std::size_t>(group.size() - 1);
  }
  static Entry entryAt(const std::byte* slot, std::size_t index) noexcept {
    Entry entry;
    std::memcpy(&entry, slot + index * sizeof entry, sizeof entry);
    return entry;
  }
  Entry ownEntry(int rank) const noexcept {
    const int distance = (rank - group_.rank() + group_.size()) % group_.size();
    return entryAt(group_.ownSlot(step_), static_cast<std::size_t>(distance) - 1);
  }
  std::size_t others() const noexcept { return static_cast<std::size_t>(group_.size()) - 1; }
  template <class Each> void eachOther(Each&& each) const {
    for (std::size_t index = 0; index < others(); ++index)
      each((group_.rank() + static_cast<int>(index) + 1) % group_.size(), index);
  }

  void addToMail(std::size_t index, const Block& block) {
    std::byte* const share = group_.ownMail(step_).data + index * shareOf(group_);
    share[0] = static_cast<std::byte>(block.bytes());
    PackedView(block).read(0, block.bytes(), share + 1);
  }

  void addEntry(std::size_t index, const Block& block, const Block& target, bool copies) {
    Entry entry{block.bytes(), used_, 0, target.bytes(), 0};
    std::byte* const slot = group_.ownSlot(step_);
    if (target.isOneRun() && entry.room != 0)
      entry.target = reinterpret_cast<std::uintptr_t>(target.run().at);
    if (entry.bytes <= group_.slotBytes() - used_) {
      PackedView(block).read(0, entry.bytes, slot + used_);
      used_ += wholeLines(entry.bytes);
    } else {
      runs_.emplace_back(block, PackedRun::Use::source, copies);
      entry.address = runs_.back().address();
    }
    std::memcpy(slot + index * sizeof entry, &entry, sizeof entry);
  }

  void await(int rank) {
    if (partners_.empty() || partners_.back() != rank)
      partners_.push_back(rank);
  }

  SharedGroup& group_;
  std::uint64_t step_;
  bool hasTable_ = false;
  std::size_t used_ = 0;
  std::vector<PackedRun> runs_;
  std::vector<int> partners_;
};

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
  for (;;) {
    const std::uint64_t step = group.begin(true);
    Table table(group, step);
    DirectAccess access(group);
    std::size_t sent = 0;
    const bool isRoot = group.rank() == root;
    if (isRoot)
      table.show([&](int rank) { return send.block(rank); }, emptyBlock, false);
    else
      group.await(root, step);
    if (group.mail(root, step).bytes == asksForRoom) {
      group.end(step);
      group.prepare(SharedGroup::mostSlotBytes);
      continue;
    }
    if (!isRoot)
      sent = table.take(root, receive, access);
    group.end(step);
    if (isRoot) {
      const bool fits = receive.isInPlace() || copyData(send.block(root), receive);
      if (table.hasRuns())
        group.awaitAllEnds(step);
      if (!fits)
        checkFits(send.block(root).bytes(), receive.bytes(), root);
      return;
    }
    access.throwFailure();
    checkFits(sent, receive.bytes(), root);
    return;
  }
}

void exchange(SharedGroup& group, const Parts& send, const Parts& receive) {
  const int me = group.rank();
  const bool inPlace = send.isInPlace();
  for (;;) {
    const std::uint64_t step = group.begin(true);
    Table table(group, step);
    table.show([&](int rank) { return (inPlace ? receive : send).block(rank); },
               [&](int rank) { return receive.block(rank); }, inPlace);
    group.awaitAll(step);
    bool grows = false;
    for (int rank = 0; rank < group.size(); ++rank)
      grows = grows || group.mail(rank, step).bytes == asksForRoom;
    if (grows) {
      group.end(step);
      group.prepare(SharedGroup::mostSlotBytes);
      continue;
    }
    int tooLong = -1;
    std::size_t sent = 0;
    if (!inPlace && !copyData(send.block(me), receive.block(me))) {
      tooLong = me;
      sent = send.block(me).bytes();
    }
    DirectAccess access(group);
    for (int distance = 1; distance < group.size(); ++distance) {
      const int rank = (me + distance) % group.size();
      table.give(rank, access);
      const Block to = receive.block(rank);
      const std::size_t came = table.take(rank, to, access);
      if (came > to.bytes() && tooLong < 0) {
        tooLong = rank;
        sent = came;
      }
    }
    group.end(step);
    table.awaitPartners();
    access.throwFailure();
    if (tooLong >= 0)
      checkFits(sent, receive.block(tooLong).bytes(), tooLong);
    return;
  }
}

} // namespace mpl::shared
