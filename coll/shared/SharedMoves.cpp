#include "coll/shared/Fit.h"
#include "coll/shared/PackedView.h"
#include "coll/shared/Place.h"
#include "coll/shared/SharedCollectives.h"

namespace mpl::shared {

namespace {

/// A rank's blocks for the others, some bytes of each at a time: they share its place, in which the rank that
/// is `distance` places behind has piece number distance-1.
class Pieces {
public:
  /// bytes: of a block, the same at all.
  Pieces(SharedGroup& group, std::size_t bytes)
      : group_(group), bytes_(bytes), place_(group, bytes * others()) {
    group.prepare(bytes * others());
    most_ = std::max<std::size_t>(place_.room() / others(), 1);
  }

  /// Calls each() in one step for each piece.
  template <class Each> void forEach(Each&& each) {
    for (from_ = 0; from_ == 0 || from_ < bytes_; from_ += most_) {
      place_.begin();
      length_ = std::min(most_, bytes_ - from_);
      each();
      group_.end(place_.step());
    }
  }

  /// Shows pieces of this rank's blocks.
  void show(const Parts& blocks) {
    std::byte* to = place_.toFill(length_ * static_cast<std::size_t>(group_.size() - 1));
    group_.eachOther([&](int rank) {
      PackedView(blocks.block(rank)).read(from_, length_, to);
      to += length_;
    });
    group_.post(place_.step(), blocks.block(group_.rank()).bytes());
  }
  /// Waits for a rank and takes the piece that it shows for this one.
  void take(int rank, const Block& to) {
    fit_.note(rank, group_.await(rank, place_.step()).bytes, bytes_);
    const auto before = static_cast<std::size_t>(group_.distanceFrom(rank)) - 1;
    PackedView(to).write(from_, length_, place_.of(rank) + before * length_);
  }

  std::uint64_t step() const noexcept { return place_.step(); }
  Fit& fit() noexcept { return fit_; }

private:
  std::size_t others() const noexcept { return static_cast<std::size_t>(group_.size()) - 1; }

  SharedGroup& group_;
  std::size_t bytes_;
  Place place_;
  std::size_t most_;
  std::size_t from_ = 0;
  std::size_t length_ = 0;
  Fit fit_;
};

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
    group.eachOther([&](int rank) { group.await(rank, step); });
    group.post(step, 0);
  }
  group.end(step);
}

void broadcast(SharedGroup& group, const Block& data, int root) {
  const PackedView view(data);
  group.prepare(view.bytes());
  Place place(group, view.bytes());
  std::size_t sent = view.bytes();
  for (std::size_t from = 0; from == 0 || from < view.bytes(); from += place.room()) {
    place.begin();
    const std::size_t length = std::min(place.room(), view.bytes() - from);
    if (group.rank() == root) {
      view.read(from, length, place.toFill(length));
      group.post(place.step(), view.bytes());
    } else {
      sent = group.await(root, place.step()).bytes;
      view.write(from, length, place.of(root));
    }
    group.end(place.step());
  }
  Fit fit;
  fit.note(root, sent, view.bytes());
  fit.check();
}

void gather(SharedGroup& group, const Block& send, const Parts& receive, int root) {
  const bool isRoot = group.rank() == root;
  const std::size_t bytes = isRoot ? receive.block(root).bytes() : send.bytes();
  group.prepare(bytes);
  Place place(group, bytes);
  Fit fit;
  for (std::size_t from = 0; from == 0 || from < bytes; from += place.room()) {
    place.begin();
    const std::size_t length = std::min(place.room(), bytes - from);
    if (!isRoot) {
      PackedView(send).read(from, length, place.toFill(length));
      group.post(place.step(), bytes);
    } else {
      group.eachOther([&](int rank) {
        fit.note(rank, group.await(rank, place.step()).bytes, bytes);
        PackedView(receive.block(rank)).write(from, length, place.of(rank));
      });
    }
    group.end(place.step());
  }
  if (isRoot)
    fit.copyOwn(root, send, receive.block(root));
  fit.check();
}

void scatter(SharedGroup& group, const Parts& send, const Block& receive, int root) {
  const bool isRoot = group.rank() == root;
  Pieces pieces(group, isRoot ? send.block(root).bytes() : receive.bytes());
  pieces.forEach([&] {
    if (isRoot)
      pieces.show(send);
    else
      pieces.take(root, receive);
  });
  if (isRoot)
    pieces.fit().copyOwn(root, send.block(root), receive);
  pieces.fit().check();
}

void allgather(SharedGroup& group, const Block& send, const Parts& receive) {
  const Block mine = receive.block(group.rank());
  const Block given = send.isInPlace() ? mine : send;
  const std::size_t bytes = mine.bytes();
  group.prepare(bytes);
  Place place(group, bytes);
  const PackedView view(given);
  Fit fit;
  fit.note(group.rank(), view.bytes(), bytes);
  for (std::size_t from = 0; from == 0 || from < bytes; from += place.room()) {
    place.begin();
    const std::size_t length = std::min(place.room(), bytes - from);
    view.read(from, length, place.toFill(length));
    group.post(place.step(), view.bytes());
    if (!send.isInPlace())
      PackedView(mine).write(from, length, place.own());
    group.eachOther([&](int rank) {
      fit.note(rank, group.await(rank, place.step()).bytes, bytes);
      PackedView(receive.block(rank)).write(from, length, place.of(rank));
    });
    group.awaitAll(place.step());
    group.end(place.step());
  }
  fit.check();
}

void alltoall(SharedGroup& group, const Parts& send, const Parts& receive) {
  const int me = group.rank();
  Pieces pieces(group, receive.block(me).bytes());
  pieces.forEach([&] {
    pieces.show(send.isInPlace() ? receive : send);
    group.eachOther([&](int rank) { pieces.take(rank, receive.block(rank)); });
    group.awaitAll(pieces.step());
  });
  if (!send.isInPlace())
    pieces.fit().copyOwn(me, send.block(me), receive.block(me));
  pieces.fit().check();
}

} // namespace mpl::shared
