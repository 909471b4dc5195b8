#include "coll/shared/Elements.h"
#include "coll/shared/SharedCollectives.h"

namespace mpl::shared {

namespace {

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
  const std::size_t bytes = elements.bytes(count);
  std::memcpy(group.ownSlot(step), input, bytes);
  group.post(step, bytes);
  group.awaitAll(step);
  elements.combine(group.size(), count, result,
                   [&](int rank) -> const std::byte* { return group.slot(rank, step); });
  group.end(step);
}

// Shows the contribution, combines this rank's part of it, and leaves that in the slot of the step, which is
// posted.
std::uint64_t combineOwnPart(SharedGroup& group, const std::byte* input, MPI_Count count,
                             const Elements& elements) {
  const std::uint64_t step = group.begin(true);
  const std::size_t bytes = elements.bytes(count);
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
  const std::size_t bytes = elements.bytes(count);
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

namespace {

// Contributions of some elements, each in the mail or the slot of its rank.
class Contributions {
public:
  Contributions(SharedGroup& group, std::size_t bytes)
      : group_(group), bytes_(bytes), inMail_(bytes <= Mail::room), step_(group.begin(!inMail_)) {}

  void show(const std::byte* input) {
    std::memcpy(inMail_ ? group_.ownMail(step_).data : group_.ownSlot(step_), input, bytes_);
    group_.post(step_, bytes_);
  }
  const std::byte* of(int rank) const noexcept {
    return inMail_ ? group_.mail(rank, step_).data : group_.slot(rank, step_);
  }
  std::uint64_t step() const noexcept { return step_; }

private:
  SharedGroup& group_;
  std::size_t bytes_;
  bool inMail_;
  std::uint64_t step_;
};

// Over the first `ranks` ranks.
void scanPiece(SharedGroup& group, const std::byte* input, std::byte* result, MPI_Count count,
               const Elements& elements, int ranks) {
  Contributions given(group, elements.bytes(count));
  given.show(input);
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
  Contributions given(group, input.bytes());
  given.show(bytesOf(input));
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
