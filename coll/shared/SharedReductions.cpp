#include "coll/shared/Elements.h"
#include "coll/shared/Place.h"
#include "coll/shared/SharedCollectives.h"
#include "mpl/LongCopy.h"

namespace mpl::shared {

namespace {

const std::byte* bytesOf(const Block& block) {
  return static_cast<const std::byte*>(block.at);
}

// Shows this rank's contribution in the next step. Always inline, with what calls it for small data: there a
// call costs as much as the whole step.
[[gnu::always_inline]] inline Place showNext(SharedGroup& group, const std::byte* input, std::size_t bytes) {
  Place place(group, bytes);
  place.begin();
  copyLong(place.toFill(bytes), input, bytes);
  group.post(place.step(), bytes);
  return place;
}

// Every rank combines everything.
[[gnu::always_inline]] inline void allreduceFlat(SharedGroup& group, const std::byte* input,
                                                 std::byte* result, MPI_Count count,
                                                 const Elements& elements) {
  const Place given = showNext(group, input, elements.bytes(count));
  group.awaitAll(given.step());
  elements.combine(group.size(), count, result, [&](int rank) { return given.of(rank); });
  group.end(given.step());
}

// Shows the contribution, combines this rank's part of it, and leaves that in the slot of the step, which is
// posted.
std::uint64_t combineOwnPart(SharedGroup& group, const std::byte* input, MPI_Count count,
                             const Elements& elements) {
  const std::size_t bytes = elements.bytes(count);
  const Place given = showNext(group, input, bytes);
  group.awaitAll(given.step());
  const Range part = partOf(group.rank(), group.size(), count);
  const std::size_t offset = elements.bytes(part.first);
  const std::uint64_t next = group.begin(true);
  elements.combine(group.size(), part.count, group.ownSlot(next),
                   [&](int rank) { return given.of(rank) + offset; });
  group.end(given.step());
  group.post(next, bytes);
  return next;
}

void takePart(const SharedGroup& group, std::uint64_t step, int rank, MPI_Count count, std::byte* result,
              const Elements& elements) {
  const Range part = partOf(rank, group.size(), count);
  std::memcpy(result + elements.bytes(part.first), group.slot(rank, step), elements.bytes(part.count));
}

// Every rank combines a part.
void allreduceByParts(SharedGroup& group, const std::byte* input, std::byte* result, MPI_Count count,
                      const Elements& elements) {
  const std::uint64_t step = combineOwnPart(group, input, count, elements);
  takePart(group, step, group.rank(), count, result, elements);
  group.eachOther([&](int rank) {
    group.await(rank, step);
    takePart(group, step, rank, count, result, elements);
  });
  group.awaitAll(step);
  group.end(step);
}

// Up to this size it costs less to do everything at each rank than to meet twice.
constexpr std::size_t flatBytes = 2048;

// In pieces that fit a slot; none where there are no bytes, though there may be elements.
template <class Piece>
void inPieces(SharedGroup& group, const Block& input, const Elements& elements, Piece&& piece) {
  if (input.bytes() == 0)
    return;
  group.prepare(input.bytes());
  const auto most = static_cast<MPI_Count>(group.slotBytes() / elements.size);
  for (MPI_Count first = 0; first < input.count; first += most)
    piece(elements.bytes(first), std::min(most, input.count - first));
}

} // namespace

void allreduce(SharedGroup& group, const Block& input, void* result, const Op& op) {
  if (input.bytes() == 0)
    return;
  const Elements elements(input, op);
  auto* const to = static_cast<std::byte*>(result);
  if (input.bytes() <= Mail::room) {
    allreduceFlat(group, bytesOf(input), to, input.count, elements);
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
  const std::size_t bytes = elements.bytes(count);
  Place place(group, bytes);
  place.begin();
  const bool isRoot = group.rank() == root;
  const bool stays = isRoot && (input != result || root == group.size() - 1);
  if (!stays)
    copyLong(place.toFill(bytes), input, bytes);
  group.post(place.step(), bytes);
  if (isRoot) {
    group.awaitAll(place.step());
    elements.combine(group.size(), count, result,
                     [&](int rank) { return stays && rank == root ? input : place.of(rank); });
  }
  group.end(place.step());
}

} // namespace

void reduce(SharedGroup& group, const Block& input, void* result, const Op& op, int root) {
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

namespace {

// Over the first `ranks` ranks.
void scanPiece(SharedGroup& group, const std::byte* input, std::byte* result, MPI_Count count,
               const Elements& elements, int ranks) {
  const Place given = showNext(group, input, elements.bytes(count));
  for (int rank = 0; rank < ranks; ++rank)
    if (rank != group.rank())
      group.await(rank, given.step());
  if (ranks > 0)
    elements.combine(ranks, count, result,
                     [&](int rank) { return rank == group.rank() ? input : given.of(rank); });
  group.end(given.step());
}

} // namespace

void reduceScatter(SharedGroup& group, const Block& input, const Parts& parts, void* result, const Op& op) {
  if (input.bytes() == 0)
    return;
  const Elements elements(input, op);
  const Place given = showNext(group, bytesOf(input), input.bytes());
  group.awaitAll(given.step());
  const Range slice = sliceOf(parts, group.rank());
  const std::size_t offset = elements.bytes(slice.first);
  if (slice.count != 0)
    elements.combine(group.size(), slice.count, static_cast<std::byte*>(result),
                     [&](int rank) { return given.of(rank) + offset; });
  group.end(given.step());
}

// In place, a rank's contribution is the last that it combines, and lies where the result goes.
void scan(SharedGroup& group, const Block& input, void* result, const Op& op) {
  const Elements elements(input, op);
  auto* const to = static_cast<std::byte*>(result);
  inPieces(group, input, elements, [&](std::size_t offset, MPI_Count count) {
    scanPiece(group, bytesOf(input) + offset, to + offset, count, elements, group.rank() + 1);
  });
}

void exclusiveScan(SharedGroup& group, const Block& input, void* result, const Op& op) {
  const Elements elements(input, op);
  auto* const to = static_cast<std::byte*>(result);
  inPieces(group, input, elements, [&](std::size_t offset, MPI_Count count) {
    scanPiece(group, bytesOf(input) + offset, to + offset, count, elements, group.rank());
  });
}

} // namespace mpl::shared
