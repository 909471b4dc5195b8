#include "coll/shared/SharedCollectives.h"
#include "coll/shared/Showing.h"
#include "coll/shared/SlotData.h"

namespace mpl::shared {

namespace {

/// What a rank has for another one, and where it wants what comes from it.
struct Entry {
  SlotData::Found data;
  std::uint64_t room;
  std::uint64_t target; ///< address; 0: this rank reads for itself
};

/// What a mail of an exchange stands for.
enum Kind : std::uint64_t {
  inMail, ///< all blocks are in the mail, in equal shares: a byte with the length, then the data
  inTable ///< the slot has a table of entries, and data behind it
};

Block emptyBlock(int) {
  return {};
}

std::size_t tableBytes(const SharedGroup& group) noexcept {
  return (static_cast<std::size_t>(group.size()) - 1) * sizeof(Entry);
}

/// Blocks of one rank for the others, who are told by their mails. Rank `distance` places behind this one has
/// share and entry number distance-1.
class Table {
public:
  explicit Table(SharedGroup& group)
      : group_(group), step_(group.beginUnknown()), data_(group, step_), access_(group) {}

  std::uint64_t step() const noexcept { return step_; }

  /// block(rank): what this rank has for it; target(rank): where it wants that one's. copies: the blocks are
  /// written to while others may still read them.
  template <class Source, class Target> void show(Source&& block, Target&& target, bool copies) {
    std::size_t largest = 0;
    group_.eachOther([&](int rank) { largest = std::max(largest, block(rank).bytes()); });
    if (const std::size_t room = shareOf(group_); largest < room) {
      std::byte* share = group_.ownMail(step_).data;
      group_.eachOther([&](int rank) {
        const Block given = block(rank);
        share[0] = static_cast<std::byte>(given.bytes());
        PackedView(given).read(0, given.bytes(), share + 1);
        share += room;
      });
      group_.post(step_, inMail);
      return;
    }
    hasTable_ = true;
    data_.reserve(tableBytes(group_));
    std::byte* at = group_.ownSlot(step_);
    group_.eachOther([&](int rank) {
      const Block to = target(rank);
      Entry entry{data_.add(block(rank), copies), to.bytes(), 0};
      if (to.isOneRun() && entry.room != 0)
        entry.target = reinterpret_cast<std::uintptr_t>(to.run().at);
      std::memcpy(at, &entry, sizeof entry);
      at += sizeof entry;
    });
    data_.wishForRoom();
    group_.post(step_, inTable);
  }

  /// Takes what a rank, whose mail is there, has for this one.
  void take(int rank, const Block& to) {
    const Mail& mail = group_.mail(rank, step_);
    const int distance = group_.distanceFrom(rank);
    if (mail.bytes == inMail) {
      const std::byte* const share = mail.data + static_cast<std::size_t>(distance - 1) * shareOf(group_);
      const auto bytes = static_cast<std::size_t>(share[0]);
      PackedView(to).write(0, bytes, share + 1);
      fit_.note(rank, bytes, to.bytes());
      return;
    }
    const Entry theirs = entryAt(group_.slot(rank, step_), distance);
    fit_.note(rank, theirs.data.bytes, to.bytes());
    if (theirs.data.address != 0)
      await(rank);
    if (theirs.data.address == 0 || !hasTable_ || ownEntry(rank).target == 0) // else the other one writes it
      data_.take(rank, theirs.data, to, access_);
  }

  /// Writes to a rank, whose mail is there, what does not go through the slot, if it lets this one.
  void give(int rank) {
    if (!hasTable_)
      return;
    const Entry mine = ownEntry(rank);
    if (mine.data.address == 0)
      return;
    await(rank);
    if (group_.mail(rank, step_).bytes != inTable)
      return;
    const Entry theirs = entryAt(group_.slot(rank, step_), group_.distanceFrom(rank));
    if (theirs.target != 0)
      access_.write(rank, reinterpret_cast<const void*>(mine.data.address), theirs.target,
                    std::min(mine.data.bytes, theirs.room));
  }
  void copyOwn(const Block& from, const Block& to) noexcept { fit_.copyOwn(group_.rank(), from, to); }

  bool hasRuns() const noexcept { return data_.hasRuns(); }
  /// Until the others are done with what is not in slots.
  void awaitPartners() {
    for (const int rank : partners_)
      group_.awaitEndOf(rank, step_);
  }
  /// Errors: MPI_ERR_TRUNCATE; those of DirectAccess.
  void check() const {
    access_.throwFailure();
    fit_.check();
  }

private:
  static std::size_t shareOf(const SharedGroup& group) noexcept {
    return Mail::room / static_cast<std::size_t>(group.size() - 1);
  }
  static Entry entryAt(const std::byte* slot, int distance) noexcept {
    Entry entry;
    std::memcpy(&entry, slot + static_cast<std::size_t>(distance - 1) * sizeof entry, sizeof entry);
    return entry;
  }
  Entry ownEntry(int rank) const noexcept {
    return entryAt(group_.ownSlot(step_), group_.size() - group_.distanceFrom(rank));
  }

  void await(int rank) {
    if (partners_.empty() || partners_.back() != rank)
      partners_.push_back(rank);
  }

  SharedGroup& group_;
  std::uint64_t step_;
  SlotData data_;
  DirectAccess access_;
  Fit fit_;
  bool hasTable_ = false;
  std::vector<int> partners_;
};

} // namespace

bool hasRoomForTables(const SharedGroup& group) noexcept {
  return tableBytes(group) <= SharedGroup::firstSlotBytes / 2;
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
  group.eachOther([&](int rank) { showing.take(rank, receive.block(rank)); });
  group.end(showing.step());
  showing.copyOwn(send, receive.block(root));
  showing.check();
}

void allgatherVarying(SharedGroup& group, const Block& send, const Parts& receive) {
  const Block mine = receive.block(group.rank());
  const PackedRun run(send.isInPlace() ? mine : send, PackedRun::Use::source);
  Showing showing(group);
  showing.show(run);
  showing.copyOwn(send, mine);
  group.eachOther([&](int rank) { showing.take(rank, receive.block(rank)); });
  group.awaitAll(showing.step());
  group.end(showing.step());
  if (showing.isDirect(run.bytes()))
    group.awaitAllEnds(showing.step());
  showing.check();
}

void scatterVarying(SharedGroup& group, const Parts& send, const Block& receive, int root) {
  Table table(group);
  if (group.rank() != root) {
    group.await(root, table.step());
    table.take(root, receive);
    group.end(table.step());
  } else {
    table.show([&](int rank) { return send.block(rank); }, emptyBlock, false);
    group.end(table.step());
    table.copyOwn(send.block(root), receive);
    if (table.hasRuns())
      group.awaitAllEnds(table.step());
  }
  table.check();
}

void exchange(SharedGroup& group, const Parts& send, const Parts& receive) {
  const int me = group.rank();
  const bool inPlace = send.isInPlace();
  Table table(group);
  table.show([&](int rank) { return (inPlace ? receive : send).block(rank); },
             [&](int rank) { return receive.block(rank); }, inPlace);
  group.awaitAll(table.step());
  if (!inPlace)
    table.copyOwn(send.block(me), receive.block(me));
  group.eachOther([&](int rank) {
    table.give(rank);
    table.take(rank, receive.block(rank));
  });
  group.end(table.step());
  table.awaitPartners();
  table.check();
}

} // namespace mpl::shared
