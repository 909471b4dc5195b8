#include "coll/shared/SharedCollectives.h"
#include "coll/shared/Showing.h"
#include "coll/shared/SlotData.h"

namespace mpl::shared {

namespace {

// Until the neighbours are done with this rank's memory.
void awaitDestinations(SharedGroup& group, const Neighborhood& neighbors, std::uint64_t step) {
  for (const int destination : neighbors.destinations)
    if (destination != MPI_PROC_NULL && destination != group.rank())
      group.awaitEndOf(destination, step);
}

} // namespace

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
    awaitDestinations(group, neighbors, showing.step());
  showing.check();
}

namespace {

/// What a rank has for one of its neighbours.
struct Entry {
  std::uint64_t rank;
  SlotData::Found data;
};

/// Entries for a rank's destinations, in their order: at the start of its slot, or where they lie if they are
/// many. The mail has their number and, then, their address.
class NeighborTable {
public:
  NeighborTable(SharedGroup& group, const Neighborhood& neighbors, const Parts& send)
      : group_(group), step_(group.beginUnknown()), entries_(static_cast<std::size_t>(neighbors.outdegree())),
        inSlot_(tableBytes() <= group.slotBytes() / 2), data_(group, step_) {
    if (inSlot_)
      data_.reserve(tableBytes());
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      entries_[i].rank = static_cast<std::uint64_t>(neighbors.destinations[i]);
      if (neighbors.destinations[i] != MPI_PROC_NULL)
        entries_[i].data = data_.add(send.block(static_cast<int>(i)));
    }
    data_.wishForRoom();
    if (inSlot_ && !entries_.empty())
      std::memcpy(group.ownSlot(step_), entries_.data(), tableBytes());
    Offer{inSlot_ ? 0 : reinterpret_cast<std::uintptr_t>(entries_.data()), 0}.postTo(group, step_,
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

  /// What fits of it.
  void take(int rank, const Entry& entry, const Block& to, DirectAccess& access) const {
    data_.take(rank, entry.data, to, access);
  }

  void end(const Neighborhood& neighbors) {
    group_.end(step_);
    if (!inSlot_ || data_.hasRuns())
      awaitDestinations(group_, neighbors, step_);
  }

private:
  std::size_t tableBytes() const noexcept { return entries_.size() * sizeof(Entry); }

  SharedGroup& group_;
  std::uint64_t step_;
  std::vector<Entry> entries_;
  std::vector<Entry> theirs_; // those of another rank, where they do not lie in its slot
  bool inSlot_;
  SlotData data_;
};

} // namespace

void neighborAlltoall(SharedGroup& group, const Neighborhood& neighbors, const Parts& send,
                      const Parts& receive) {
  NeighborTable table(group, neighbors, send);
  DirectAccess access(group);
  std::vector<int> met(static_cast<std::size_t>(group.size()));
  Fit fit;
  for (const int i : neighbors.receiveOrder) {
    const int source = neighbors.sources[static_cast<std::size_t>(i)];
    if (source == MPI_PROC_NULL)
      continue;
    const Entry entry = table.entryOf(source, met[static_cast<std::size_t>(source)]++, access);
    const Block to = receive.block(i);
    table.take(source, entry, to, access);
    fit.note(source, entry.data.bytes, to.bytes());
  }
  table.end(neighbors);
  access.throwFailure();
  fit.check();
}

} // namespace mpl::shared
