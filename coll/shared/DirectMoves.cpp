#include "coll/shared/DirectAccess.h"
#include "coll/shared/Fit.h"
#include "coll/shared/SharedCollectives.h"

namespace mpl::direct {

namespace {

// How much of so many bytes the ranks other than the root copy: among few ranks the root does its share,
// unless they take turns on the processors, where waiting for it costs more.
std::size_t cutOf(const SharedGroup& group, std::size_t bytes) noexcept {
  constexpr int few = 4;
  constexpr std::size_t page = 4096;
  const auto size = static_cast<std::size_t>(group.size());
  return group.size() <= few && !group.isCrowded() ? bytes / size * (size - 1) / page * page : bytes;
}

} // namespace

void broadcast(SharedGroup& group, const Block& data, int root) {
  const bool isRoot = group.rank() == root;
  const PackedRun run(data, isRoot ? PackedRun::Use::source : PackedRun::Use::target);
  const std::uint64_t step = group.begin(false);
  Offer{run.address(), run.address()}.postTo(group, step, run.bytes());
  DirectAccess access(group);
  Fit fit;
  if (isRoot) {
    group.eachOther([&](int rank) {
      const Mail& other = group.await(rank, step);
      const std::size_t length = std::min<std::size_t>(run.bytes(), other.bytes);
      const std::size_t cut = cutOf(group, length);
      access.write(rank, run.at() + cut, Offer::in(other).target + cut, length - cut);
    });
    group.end(step);
    group.awaitAllEnds(step);
  } else {
    const Mail& other = group.await(root, step);
    fit.note(root, other.bytes, run.bytes());
    const std::size_t length = std::min<std::size_t>(other.bytes, run.bytes());
    const std::size_t cut = cutOf(group, length);
    access.read(root, Offer::in(other).source, run.at(), cut);
    group.end(step);
    if (cut != length)
      group.awaitEndOf(root, step);
    run.finish(length);
  }
  access.throwFailure();
  fit.check();
}

void scatter(SharedGroup& group, const Parts& send, const Block& receive, int root) {
  const bool isRoot = group.rank() == root;
  const PackedRun all(isRoot ? send.blocks(0, group.size()) : Block{}, PackedRun::Use::source);
  const PackedRun run(isRoot ? Block{} : receive, PackedRun::Use::target);
  const std::size_t bytes = isRoot ? send.block(root).bytes() : run.bytes();
  const std::uint64_t step = group.begin(false);
  Offer{all.address(), run.address()}.postTo(group, step, bytes);
  DirectAccess access(group);
  Fit fit;
  if (!isRoot) {
    const Mail& other = group.await(root, step);
    const std::size_t sent = other.bytes;
    const std::size_t length = std::min(sent, bytes);
    const std::size_t cut = cutOf(group, length);
    access.read(root, Offer::in(other).source + static_cast<std::size_t>(group.rank()) * sent, run.at(), cut);
    group.end(step);
    if (cut != length)
      group.awaitEndOf(root, step);
    run.finish(length);
    fit.note(root, sent, bytes);
  } else {
    group.eachOther([&](int rank) {
      const Mail& other = group.await(rank, step);
      const std::size_t length = std::min<std::size_t>(bytes, other.bytes);
      const std::size_t cut = cutOf(group, length);
      access.write(rank, all.at() + static_cast<std::size_t>(rank) * bytes + cut,
                   Offer::in(other).target + cut, length - cut);
    });
    group.end(step);
    fit.copyOwn(root, send.block(root), receive);
    group.awaitAllEnds(step);
  }
  access.throwFailure();
  fit.check();
}

// The others write into the root's memory where the root says that its blocks have no gaps.
void gather(SharedGroup& group, const Block& send, const Parts& receive, int root) {
  const bool isRoot = group.rank() == root;
  const PackedRun run(isRoot ? Block{} : send, PackedRun::Use::source);
  const Block all = isRoot ? receive.blocks(0, group.size()) : Block{};
  const bool open = isRoot && all.isOneRun();
  const std::size_t bytes = isRoot ? receive.block(root).bytes() : run.bytes();
  const std::uint64_t target = open ? reinterpret_cast<std::uintptr_t>(all.run().at) : 0;
  const std::uint64_t step = group.begin(false);
  Offer{run.address(), target}.postTo(group, step, bytes);
  DirectAccess access(group);
  if (!isRoot) {
    const Mail& other = group.await(root, step);
    const std::uint64_t there = Offer::in(other).target;
    const std::size_t length = std::min<std::size_t>(bytes, other.bytes);
    const std::size_t cut = there != 0 ? cutOf(group, length) : 0;
    access.write(root, run.at(), there + static_cast<std::uint64_t>(group.rank()) * other.bytes, cut);
    group.end(step);
    if (cut != length)
      group.awaitEndOf(root, step);
    access.throwFailure();
    return;
  }
  Fit fit;
  fit.copyOwn(root, send, receive.block(root));
  group.eachOther([&](int rank) {
    const Mail& other = group.await(rank, step);
    fit.note(rank, other.bytes, bytes);
    const std::size_t length = std::min<std::size_t>(bytes, other.bytes);
    const std::size_t cut = open ? cutOf(group, length) : 0;
    if (cut == length)
      return;
    const PackedRun to(receive.block(rank), PackedRun::Use::target);
    access.read(rank, Offer::in(other).source + cut, to.at() + cut, length - cut);
    to.finish(length);
  });
  group.end(step);
  group.awaitAllEnds(step);
  access.throwFailure();
  fit.check();
}

// Every rank writes into the memory of those whose blocks have no gaps, and reads for itself otherwise.
void allgather(SharedGroup& group, const Block& send, const Parts& receive) {
  const Block mine = receive.block(group.rank());
  const Block given = send.isInPlace() ? mine : send;
  const PackedRun run(given, PackedRun::Use::source);
  const Block all = receive.blocks(0, group.size());
  const bool open = all.isOneRun();
  const std::size_t bytes = mine.bytes();
  const std::uint64_t step = group.begin(false);
  Offer{run.address(), open ? reinterpret_cast<std::uintptr_t>(all.run().at) : 0}.postTo(group, step,
                                                                                         run.bytes());
  Fit fit;
  fit.copyOwn(group.rank(), send, mine);
  DirectAccess access(group);
  group.eachOther([&](int rank) {
    const Mail& other = group.await(rank, step);
    const Offer offer = Offer::in(other);
    fit.note(rank, other.bytes, bytes);
    const std::size_t length = std::min({run.bytes(), bytes, static_cast<std::size_t>(other.bytes)});
    if (offer.target != 0)
      access.write(rank, run.at(), offer.target + static_cast<std::uint64_t>(group.rank()) * bytes, length);
    if (!open)
      access.readInto(rank, offer.source, receive.block(rank), length);
  });
  group.end(step);
  group.awaitAllEnds(step);
  access.throwFailure();
  fit.check();
}

} // namespace mpl::direct
