#include "coll/shared/PackedView.h"
#include "coll/shared/SharedCollectives.h"

namespace mpl {

void checkFits(std::size_t sent, std::size_t room, int from) {
  if (sent > room) [[unlikely]]
    fail(MPI_ERR_TRUNCATE, sent, " bytes from rank ", from, " do not fit the ", room,
         " bytes of room for them");
}

} // namespace mpl

namespace mpl::shared {

namespace {

// Where a rank's data of a step is: in its mail where all of it fits, else in its slot.
struct Place {
  bool inMail;
  std::size_t room; // in each step

  Place(const SharedGroup& group, std::size_t bytes)
      : inMail(bytes <= Mail::room), room(inMail ? Mail::room : group.slotBytes()) {}

  std::byte* own(const SharedGroup& group, std::uint64_t step) const {
    return inMail ? group.ownMail(step).data : group.ownSlot(step);
  }
  const std::byte* of(const SharedGroup& group, int rank, std::uint64_t step) const {
    return inMail ? group.mail(rank, step).data : group.slot(rank, step);
  }
};

// How many ranks behind another one this rank is, in the circle of ranks.
int distanceFrom(const SharedGroup& group, int rank) noexcept {
  return (group.rank() - rank + group.size()) % group.size();
}

} // namespace

void barrier(SharedGroup& group) {
  constexpr int flatRanks = 16;
  const std::uint64_t step = group.begin(false);
  if (group.size() <= flatRanks && (group.size() == 2 || !group.isCrowded())) {
    group.post(step, 0);
    group.awaitAll(step);
    group.end(step);
    return;
  }
  // Many ranks that all look at all lines would be in each other's way. Where ranks take turns on the
  // processors, the rank that lets the others go, often the root of what comes next, is to be the first to go
  // on.
  if (group.rank() != 0) {
    group.post(step, 0);
    group.await(0, step);
  } else {
    for (int rank = 1; rank < group.size(); ++rank)
      group.await(rank, step);
    group.post(step, 0);
  }
  group.end(step);
}

void broadcast(SharedGroup& group, const Block& data, int root) {
  const PackedView view(data);
  group.prepare(view.bytes());
  const Place place(group, view.bytes());
  std::size_t sent = view.bytes();
  for (std::size_t from = 0; from == 0 || from < view.bytes(); from += place.room) {
    const std::uint64_t step = group.begin(!place.inMail);
    const std::size_t length = std::min(place.room, view.bytes() - from);
    if (group.rank() == root) {
      view.read(from, length, place.own(group, step));
      group.post(step, view.bytes());
    } else {
      sent = group.await(root, step).bytes;
      view.write(from, length, place.of(group, root, step));
    }
    group.end(step);
  }
  checkFits(sent, view.bytes(), root);
}

void gather(SharedGroup& group, const Block& send, const Parts& receive, int root) {
  const bool isRoot = group.rank() == root;
  const std::size_t bytes = isRoot ? receive.block(root).bytes() : send.bytes();
  group.prepare(bytes);
  const Place place(group, bytes);
  std::size_t largest = 0;
  int largestRank = root;
  for (std::size_t from = 0; from == 0 || from < bytes; from += place.room) {
    const std::uint64_t step = group.begin(!place.inMail);
    const std::size_t length = std::min(place.room, bytes - from);
    if (!isRoot) {
      PackedView(send).read(from, length, place.own(group, step));
      group.post(step, bytes);
    } else {
      for (int distance = 1; distance < group.size(); ++distance) {
        const int rank = (root + distance) % group.size();
        if (const std::size_t sent = group.await(rank, step).bytes; sent > largest) {
          largest = sent;
          largestRank = rank;
        }
        PackedView(receive.block(rank)).write(from, length, place.of(group, rank, step));
      }
    }
    group.end(step);
  }
  if (isRoot && !send.isInPlace() && !copyData(send, receive.block(root)))
    checkFits(send.bytes(), bytes, root);
  if (isRoot)
    checkFits(largest, bytes, largestRank);
}

void scatter(SharedGroup& group, const Parts& send, const Block& receive, int root) {
  const bool isRoot = group.rank() == root;
  const auto size = static_cast<std::size_t>(group.size());
  const std::size_t bytes = isRoot ? send.block(root).bytes() : receive.bytes();
  group.prepare(bytes * (size - 1));
  // The root's mail or slot has a piece for each other rank.
  const Place place(group, bytes * (size - 1));
  const std::size_t piece = std::max<std::size_t>(place.room / (size - 1), 1);
  std::size_t sent = bytes;
  for (std::size_t from = 0; from == 0 || from < bytes; from += piece) {
    const std::uint64_t step = group.begin(!place.inMail);
    const std::size_t length = std::min(piece, bytes - from);
    if (isRoot) {
      std::byte* const own = place.own(group, step);
      for (int distance = 1; distance < group.size(); ++distance)
        PackedView(send.block((root + distance) % group.size()))
            .read(from, length, own + static_cast<std::size_t>(distance - 1) * length);
      group.post(step, bytes);
    } else {
      sent = group.await(root, step).bytes;
      const std::byte* const mine =
          place.of(group, root, step) + static_cast<std::size_t>(distanceFrom(group, root) - 1) * length;
      PackedView(receive).write(from, length, mine);
    }
    group.end(step);
  }
  if (isRoot && !receive.isInPlace() && !copyData(send.block(root), receive))
    checkFits(bytes, receive.bytes(), root);
  checkFits(sent, isRoot ? sent : bytes, root);
}

void allgather(SharedGroup& group, const Block& send, const Parts& receive) {
  const Block mine = receive.block(group.rank());
  const Block given = send.isInPlace() ? mine : send;
  const std::size_t bytes = mine.bytes();
  group.prepare(bytes);
  const Place place(group, bytes);
  const PackedView view(given);
  std::size_t largest = 0;
  int largestRank = 0;
  for (std::size_t from = 0; from == 0 || from < bytes; from += place.room) {
    const std::uint64_t step = group.begin(!place.inMail);
    const std::size_t length = std::min(place.room, bytes - from);
    view.read(from, length, place.own(group, step));
    group.post(step, view.bytes());
    if (!send.isInPlace())
      PackedView(mine).write(from, length, place.own(group, step));
    for (int distance = 1; distance < group.size(); ++distance) {
      const int rank = (group.rank() + distance) % group.size();
      if (const std::size_t sent = group.await(rank, step).bytes; sent > largest) {
        largest = sent;
        largestRank = rank;
      }
      PackedView(receive.block(rank)).write(from, length, place.of(group, rank, step));
    }
    group.awaitAll(step);
    group.end(step);
  }
  checkFits(std::max(largest, given.bytes()), bytes, largestRank);
}

void alltoall(SharedGroup& group, const Parts& send, const Parts& receive) {
  const auto size = static_cast<std::size_t>(group.size());
  const Parts& out = send.isInPlace() ? receive : send;
  const std::size_t bytes = receive.block(group.rank()).bytes();
  group.prepare(bytes * (size - 1));
  const Place place(group, bytes * (size - 1));
  const std::size_t piece = std::max<std::size_t>(place.room / (size - 1), 1);
  std::size_t largest = 0;
  int largestRank = 0;
  for (std::size_t from = 0; from == 0 || from < bytes; from += piece) {
    const std::uint64_t step = group.begin(!place.inMail);
    const std::size_t length = std::min(piece, bytes - from);
    std::byte* const own = place.own(group, step);
    for (int distance = 1; distance < group.size(); ++distance)
      PackedView(out.block((group.rank() + distance) % group.size()))
          .read(from, length, own + static_cast<std::size_t>(distance - 1) * length);
    group.post(step, out.block(group.rank()).bytes());
    for (int distance = 1; distance < group.size(); ++distance) {
      const int rank = (group.rank() + distance) % group.size();
      if (const std::size_t sent = group.await(rank, step).bytes; sent > largest) {
        largest = sent;
        largestRank = rank;
      }
      const std::byte* const mine =
          place.of(group, rank, step) + static_cast<std::size_t>(distanceFrom(group, rank) - 1) * length;
      PackedView(receive.block(rank)).write(from, length, mine);
    }
    group.awaitAll(step);
    group.end(step);
  }
  if (!send.isInPlace() && !copyData(send.block(group.rank()), receive.block(group.rank())))
    largest = std::max(largest, send.block(group.rank()).bytes());
  checkFits(largest, bytes, largestRank);
}

} // namespace mpl::shared
