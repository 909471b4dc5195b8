#include "coll/shared/DirectAccess.h"
#include "coll/shared/SharedCollectives.h"
#include "coll/shared/Showing.h"

#include <vector>

namespace mpl::shared {

void neighborAllgather(SharedGroup& group, const Neighborhood& neighbors, const Block& send,
                       const Parts& receive) {
  const PackedRun run(send, PackedRun::Use::source);
  Showing showing(group);
  showing.show(run);
  for (int i = 0; i < neighbors.indegree(); ++i)
    if (const int source = neighbors.sources[static_cast<std::size_t>(i)]; source != MPI_PROC_NULL)
      showing.take(source, receive.block(i));
  group.end(showing.step());
  if (showing.isDirect(run.bytes()))
    for (const int destination : neighbors.destinations)
      if (destination != MPI_PROC_NULL && destination != group.rank())
        group.awaitEndOf(destination, showing.step());
  showing.check();
}

namespace {

/// What a rank has for one of its neighbours.
struct Entry {
  std::uint64_t rank;
  std::uint64_t bytes;
  std::uint64_t offset;  ///< in the slot
  std::uint64_t address; ///< 0: it is in the slot
};

/// Entries for a rank's destinations, in their order: at the start of its slot, or where they lie if they are
/// many. The mail has their number and, then, their address.
class NeighborTable {
public:
  NeighborTable(SharedGroup& group, const Neighborhood& neighbors, const Parts& send)
      : group_(group), step_(group.begin(true)), entries_(static_cast<std::size_t>(neighbors.outdegree())) {
    const std::size_t tableBytes = entries_.size() * sizeof(Entry);
    const bool inSlot = tableBytes <= group.slotBytes() / 2;
    std::byte* const slot = group.ownSlot(step_);
    std::size_t used = inSlot ? tableBytes : 0;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const Block block = send.block(static_cast<int>(i));
      Entry& entry = entries_[i];
      entry = {static_cast<std::uint64_t>(neighbors.destinations[i]), block.bytes(), used, 0};
      if (neighbors.destinations[i] == MPI_PROC_NULL)
        continue;
      if (entry.bytes <= group.slotBytes() - used) {
        PackedView(block).read(0, entry.bytes, slot + used);
        used += entry.bytes;
      } else {
        runs_.emplace_back(block, PackedRun::Use::source);
        entry.address = runs_.back().address();
      }
    }
    if (inSlot && tableBytes != 0)
      std::memcpy(slot, entries_.data(), tableBytes);
    isRead_ = !inSlot || !runs_.empty();
    Offer{inSlot ? 0 : reinterpret_cast<std::uintptr_t>(entries_.data()), 0}.postTo(group, step_,
                                                                                    entries_.size());
  }

  /// The entry number `index` of those that a rank has for this one; all zeros where there is none.
  Entry entryOf(int rank, int index, DirectAccess& access) {
    const Mail& mail = rank == group_.rank() ? group_.ownMail(step_) : group_.await(rank, step_);
    const std::byte* entries = group_.slot(rank, step_);
    if (const std::uint64_t address = Offer::in(mail).source; address != 0) {
      theirs_.resize(mail.bytes);
      access.read(rank, address, theirs_.data(), mail.bytes * sizeof(Entry));
      entries = reinterpret_cast<const std::byte*>(theirs_.data());
    }
    for (std::uint64_t i = 0; i < mail.bytes; ++i) {
      Entry entry;
      std::memcpy(&entry, entries + i * sizeof entry, sizeof entry);
      if (entry.rank == static_cast<std::uint64_t>(group_.rank()) && index-- == 0)
        return entry;
    }
    return {};
  }

  /// Gives false where not all fits.
  bool take(int rank, const Entry& entry, const Block& to, DirectAccess& access) {
    const std::size_t length = std::min<std::size_t>(entry.bytes, to.bytes());
    if (entry.address == 0) {
      PackedView(to).write(0, length, group_.slot(rank, step_) + entry.offset);
    } else {
      const PackedRun target(to, PackedRun::Use::target);
      access.read(rank, entry.address, target.at(), length);
      target.finish(length);
    }
    return entry.bytes <= to.bytes();
  }

  void end(const Neighborhood& neighbors) {
    group_.end(step_);
    if (isRead_)
      for (const int destination : neighbors.destinations)
        if (destination != MPI_PROC_NULL && destination != group_.rank())
          group_.awaitEndOf(destination, step_);
  }

private:
  SharedGroup& group_;
  std::uint64_t step_;
  std::vector<Entry> entries_;
  std::vector<Entry> theirs_;
  std::vector<PackedRun> runs_;
  bool isRead_ = false; // by others, from this process's memory
};

} // namespace

void neighborAlltoall(SharedGroup& group, const Neighborhood& neighbors, const Parts& send,
                      const Parts& receive) {
  NeighborTable table(group, neighbors, send);
  DirectAccess access(group);
  std::vector<int> met(static_cast<std::size_t>(group.size()));
  int tooLong = -1;
  std::size_t sent = 0;
  std::size_t room = 0;
  for (const int i : neighbors.receiveOrder) {
    const int source = neighbors.sources[static_cast<std::size_t>(i)];
    if (source == MPI_PROC_NULL)
      continue;
    const Entry entry = table.entryOf(source, met[static_cast<std::size_t>(source)]++, access);
    const Block to = receive.block(i);
    if (!table.take(source, entry, to, access) && tooLong < 0) {
      tooLong = source;
      sent = entry.bytes;
      room = to.bytes();
    }
  }
  table.end(neighbors);
  access.throwFailure();
  if (tooLong >= 0)
    checkFits(sent, room, tooLong);
}

} // namespace mpl::shared
