#include "coll/shared/SharedCollectives.h"

namespace mpl::shared {

namespace {

/// Elements of a reduction, without gaps.
struct Elements {
  const Datatype& type;
  const Op& op;
  std::size_t size;

  Elements(const Block& block, const Op& operation)
      : type(*block.type), op(operation), size(block.type->size()) {}

  /// to = contribution(0) op contribution(1) op ..., each `count` elements. The last one may be at `to`.
  template <class Contribution>
  void combine(int ranks, MPI_Count count, std::byte* to, Contribution&& contribution) const {
    const std::byte* const last = contribution(ranks - 1);
    if (last != to)
      std::memcpy(to, last, static_cast<std::size_t>(count) * size);
    for (int rank = ranks - 2; rank >= 0; --rank)
      op.apply(contribution(rank), to, count, type);
  }
};

const std::byte* bytesOf(const Block& block) {
  return static_cast<const std::byte*>(block.at);
}

// All in the mails.
void allreduceSmall(SharedGroup& group, const Block& input, std::byte* result, const Elements& elements) {
  const std::uint64_t step = group.begin(false);
  const std::size_t bytes = input.bytes();
  std::memcpy(group.ownMail(step).data, input.at, bytes);
  group.post(step, bytes);
  group.awaitAll(step);
  elements.combine(group.size(), input.count, result,
                   [&](int rank) -> const std::byte* { return group.mail(rank, step).data; });
  group.end(step);
}

// Every rank combines everything.
void allreduceFlat(SharedGroup& group, const std::byte* input, std::byte* result, MPI_Count count,
                   const Elements& elements) {
  const std::uint64_t step = group.begin(true);
  const std::size_t bytes = static_cast<std::size_t>(count) * elements.size;
  std::memcpy(group.ownSlot(step), input, bytes);
  group.post(step, bytes);
  group.awaitAll(step);
  elements.combine(group.size(), count, result,
                   [&](int rank) -> const std::byte* { return group.slot(rank, step); });
  group.end(step);
}

struct Range {
  MPI_Count first;
  MPI_Count count;
};
// The part of `count` elements that a rank combines for all.
Range partOf(int rank, int ranks, MPI_Count count) {
  const MPI_Count share = count / ranks;
  const MPI_Count more = count % ranks;
  const MPI_Count first = rank * share + std::min<MPI_Count>(rank, more);
  return {first, share + (rank < more ? 1 : 0)};
}

// Shows the contribution, combines this rank's part of it, and leaves that in the slot of the step, which is
// posted.
std::uint64_t combineOwnPart(SharedGroup& group, const std::byte* input, MPI_Count count,
                             const Elements& elements) {
  const std::uint64_t step = group.begin(true);
  const std::size_t bytes = static_cast<std::size_t>(count) * elements.size;
  std::memcpy(group.ownSlot(step), input, bytes);
  group.post(step, bytes);
  group.awaitAll(step);
  const Range part = partOf(group.rank(), group.size(), count);
  const std::size_t offset = static_cast<std::size_t>(part.first) * elements.size;
  const std::uint64_t next = group.begin(true);
  elements.combine(group.size(), part.count, group.ownSlot(next),
                   [&](int rank) -> const std::byte* { return group.slot(rank, step) + offset; });
  group.end(step);
  group.post(next, bytes);
  return next;
}

void takePart(const SharedGroup& group, std::uint64_t step, int rank, MPI_Count count, std::byte* result,
              const Elements& elements) {
  const Range part = partOf(rank, group.size(), count);
  std::memcpy(result + static_cast<std::size_t>(part.first) * elements.size, group.slot(rank, step),
              static_cast<std::size_t>(part.count) * elements.size);
}

// Every rank combines a part.
void allreduceByParts(SharedGroup& group, const std::byte* input, std::byte* result, MPI_Count count,
                      const Elements& elements) {
  const std::uint64_t step = combineOwnPart(group, input, count, elements);
  for (int distance = 0; distance < group.size(); ++distance) {
    const int rank = (group.rank() + distance) % group.size();
    if (distance != 0)
      group.await(rank, step);
    takePart(group, step, rank, count, result, elements);
  }
  group.awaitAll(step);
  group.end(step);
}

// Up to this size it costs less to do everything at each rank than to meet twice.
constexpr std::size_t flatBytes = 2048;

// In pieces that fit a slot.
template <class Piece>
void inPieces(SharedGroup& group, const Block& input, const Elements& elements, Piece&& piece) {
  group.prepare(input.bytes());
  const auto most = static_cast<MPI_Count>(group.slotBytes() / elements.size);
  for (MPI_Count first = 0; first < input.count; first += most)
    piece(static_cast<std::size_t>(first) * elements.size, std::min(most, input.count - first));
}

} // namespace

void allreduce(SharedGroup& group, const Block& input, void* result, const Op& op) {
  if (input.bytes() == 0)
    return;
  const Elements elements(input, op);
  auto* const to = static_cast<std::byte*>(result);
  if (input.bytes() <= Mail::room) {
    allreduceSmall(group, input, to, elements);
    return;
  }
  inPieces(group, input, elements, [&](std::size_t offset, MPI_Count count) {
    if (input.bytes() <= flatBytes)
      allreduceFlat(group, bytesOf(input) + offset, to + offset, count, elements);
    else
      allreduceByParts(group, bytesOf(input) + offset, to + offset, count, elements);
  });
}

namespace {

// The root combines everything. Its own contribution stays where it is, unless the result goes there and is
// begun with another one.
void reduceFlat(SharedGroup& group, const std::byte* input, std::byte* result, MPI_Count count,
                const Elements& elements, int root) {
  const std::size_t bytes = static_cast<std::size_t>(count) * elements.size;
  const bool inMail = bytes <= Mail::room;
  const std::uint64_t step = group.begin(!inMail);
  const auto shown = [&](int rank) -> std::byte* {
    return inMail ? group.mail(rank, step).data : group.slot(rank, step);
  };
  const bool isRoot = group.rank() == root;
  const bool stays = isRoot && (input != result || root == group.size() - 1);
  if (!stays)
    std::memcpy(shown(group.rank()), input, bytes);
  group.post(step, bytes);
  if (isRoot) {
    group.awaitAll(step);
    elements.combine(group.size(), count, result, [&](int rank) -> const std::byte* {
      return stays && rank == root ? input : shown(rank);
    });
  }
  group.end(step);
}

} // namespace

void reduce(SharedGroup& group, const Block& input, void* result, const Op& op, int root) {
  if (input.bytes() == 0)
    return;
  const Elements elements(input, op);
  const bool isRoot = group.rank() == root;
  auto* const to = static_cast<std::byte*>(result);
  // With two ranks the one copies while the other combines.
  const bool flat = input.bytes() <= flatBytes || group.size() == 2;
  inPieces(group, input, elements, [&](std::size_t offset, MPI_Count count) {
    if (flat) {
      reduceFlat(group, bytesOf(input) + offset, to + offset, count, elements, root);
      return;
    }
    const std::uint64_t step = combineOwnPart(group, bytesOf(input) + offset, count, elements);
    if (isRoot) {
      for (int rank = 0; rank < group.size(); ++rank) {
        if (rank != root)
          group.await(rank, step);
        takePart(group, step, rank, count, to + offset, elements);
      }
    }
    group.end(step);
  });
}

} // namespace mpl::shared
