#include "coll/shared/DirectAccess.h"
#include "coll/shared/Elements.h"
#include "coll/shared/SharedCollectives.h"
#include "mpl/LongCopy.h"
#include "mpl/ScratchMemory.h"

#include <memory>
#include <new>

namespace mpl::direct {

namespace {

// Several contributions of this size stay in a processor's cache, and it is large enough for what each reach
// into another process costs.
constexpr std::size_t chunkBytes = 128 * 1024;

// Memory for two chunks of elements that are not larger than a slot; kept, since pages cost much to get.
struct Workspace {
  std::byte* arriving;
  std::byte* collected;

  static Workspace get() {
    struct Freed {
      void operator()(std::byte* memory) const { ::operator delete (memory, std::align_val_t{64}); }
    };
    thread_local const std::unique_ptr<std::byte, Freed> memory(
        static_cast<std::byte*>(::operator new (2 * chunkBytes, std::align_val_t{64})));
    return {memory.get(), memory.get() + chunkBytes};
  }
};

/// One reduction of which each rank combines a part.
class Combining {
public:
  Combining(SharedGroup& group, const Block& input, const Op& op)
      : group_(group), access_(group), elements_(input, op), input_(static_cast<const std::byte*>(input.at)),
        workspace_(Workspace::get()) {}

  /// result: address at this rank that others may write to, or 0.
  void begin(const Block& input, const void* result) {
    step_ = group_.begin(false);
    Offer{reinterpret_cast<std::uintptr_t>(input_), reinterpret_cast<std::uintptr_t>(result)}.postTo(
        group_, step_, input.bytes());
    group_.awaitAll(step_);
  }

  /// Combines these elements of all, puts them to `result` (for the first of them; nullptr: nowhere), and
  /// gives each chunk to deliver(offset in bytes from the first of all elements, bytes, address).
  template <class Deliver> void combine(Range part, std::byte* result, Deliver&& deliver) {
    const auto most = static_cast<MPI_Count>(chunkBytes / elements_.size);
    const std::size_t start = elements_.bytes(part.first);
    for (MPI_Count done = 0; done < part.count; done += most) {
      const MPI_Count count = std::min(most, part.count - done);
      const std::size_t offset = elements_.bytes(part.first + done);
      const std::size_t bytes = elements_.bytes(count);
      std::byte* const place = result != nullptr ? result + (offset - start) : nullptr;
      std::byte* const at = combineChunk(offset, count, place);
      if (place != nullptr && at != place)
        std::memcpy(place, at, bytes);
      deliver(offset, bytes, at);
    }
  }

  void writeTo(int rank, std::size_t offset, std::size_t bytes, const std::byte* from) noexcept {
    access_.write(rank, from, Offer::in(group_.mail(rank, step_)).target + offset, bytes);
  }

  void end() {
    group_.end(step_);
    group_.awaitAllEnds(step_);
    access_.throwFailure();
  }

private:
  // Gives where the result is: at `place`, unless that is this rank's contribution, which is still needed.
  std::byte* combineChunk(std::size_t offset, MPI_Count count, std::byte* place) {
    const std::byte* const own = input_ + offset;
    const int last = group_.size() - 1;
    const bool mayUsePlace = place != nullptr && (place != own || group_.rank() == last);
    std::byte* const to = mayUsePlace ? place : workspace_.collected;
    elements_.combine(group_.size(), count, to, [&](int rank) -> const std::byte* {
      if (rank == group_.rank())
        return own;
      std::byte* const room = rank == last ? to : workspace_.arriving;
      access_.read(rank, Offer::in(group_.mail(rank, step_)).source + offset, room, elements_.bytes(count));
      return room;
    });
    return to;
  }

  SharedGroup& group_;
  DirectAccess access_;
  Elements elements_;
  const std::byte* input_;
  Workspace workspace_;
  std::uint64_t step_ = 0;
};

} // namespace

void reduce(SharedGroup& group, const Block& input, void* result, const Op& op, int root) {
  if (input.bytes() == 0)
    return;
  const bool isRoot = group.rank() == root;
  Combining run(group, input, op);
  run.begin(input, isRoot ? result : nullptr);
  const Range part = partOf(group.rank(), group.size(), input.count);
  std::byte* const place =
      isRoot ? static_cast<std::byte*>(result) + static_cast<std::size_t>(part.first) * input.type->size()
             : nullptr;
  run.combine(part, place, [&](std::size_t offset, std::size_t bytes, const std::byte* at) {
    if (!isRoot)
      run.writeTo(root, offset, bytes, at);
  });
  run.end();
}

void allreduce(SharedGroup& group, const Block& input, void* result, const Op& op) {
  if (input.bytes() == 0)
    return;
  Combining run(group, input, op);
  run.begin(input, result);
  const Range part = partOf(group.rank(), group.size(), input.count);
  std::byte* const place =
      static_cast<std::byte*>(result) + static_cast<std::size_t>(part.first) * input.type->size();
  run.combine(part, place, [&](std::size_t offset, std::size_t bytes, const std::byte* at) {
    group.eachOther([&](int rank) { run.writeTo(rank, offset, bytes, at); });
  });
  run.end();
}

void reduceScatter(SharedGroup& group, const Block& input, const Parts& parts, void* result, const Op& op) {
  if (input.bytes() == 0)
    return;
  const Range slice = sliceOf(parts, group.rank());
  const std::size_t bytes = static_cast<std::size_t>(slice.count) * input.type->size();
  // In place, others still read where the result goes.
  const bool inPlace = input.at == result;
  const ScratchMemory apart = inPlace ? ScratchMemory(bytes) : ScratchMemory();
  Combining run(group, input, op);
  run.begin(input, nullptr);
  run.combine(slice, inPlace ? apart.get() : static_cast<std::byte*>(result),
              [](std::size_t, std::size_t, const std::byte*) {});
  run.end();
  if (inPlace)
    copyLong(result, apart.get(), bytes);
}

} // namespace mpl::direct
