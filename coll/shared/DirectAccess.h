#pragma once

#include "bootstrap/ProcessMemory.h"
#include "coll/shared/PackedView.h"
#include "coll/shared/SharedGroup.h"

#include <memory>

namespace mpl {

/// Reads and writes the memory of other members of a group (SharedGroup::reachesMemory()). A failure is kept,
/// so that the step in which it happens can be ended with the others.
class DirectAccess {
public:
  explicit DirectAccess(const SharedGroup& group) noexcept : group_(group) {}

  void read(int rank, std::uint64_t from, void* to, std::size_t bytes) noexcept {
    note(rank, processMemory::read(group_.process(rank), from, to, bytes));
  }
  void write(int rank, const void* from, std::uint64_t to, std::size_t bytes) noexcept {
    note(rank, processMemory::write(group_.process(rank), from, to, bytes));
  }
  /// Errors: MPI_ERR_BUFFER where a member's buffer is no memory; MPI_ERR_OTHER.
  void throwFailure() const {
    if (error_ != 0) [[unlikely]]
      failAccess();
  }

private:
  void note(int rank, int error) noexcept {
    if (error != 0 && error_ == 0) [[unlikely]] {
      error_ = error;
      rank_ = rank;
    }
  }
  [[noreturn]] void failAccess() const;

  const SharedGroup& group_;
  int error_ = 0;
  int rank_ = 0;
};

/// A block as one run of memory that other members may read or write: the block's own where it has no gaps,
/// else packed memory.
class PackedRun {
public:
  enum class Use { source, target };

  /// copies: packed memory in any case.
  PackedRun(const Block& block, Use use, bool copies = false) : block_(block), bytes_(block.bytes()) {
    if (bytes_ == 0)
      return;
    if (block.isOneRun() && !copies) {
      at_ = static_cast<std::byte*>(block.run().at);
      return;
    }
    memory_.reset(new std::byte[bytes_]);
    at_ = memory_.get();
    if (use == Use::source)
      PackedView(block).read(0, bytes_, at_);
  }

  std::byte* at() const noexcept { return at_; }
  std::uint64_t address() const noexcept { return reinterpret_cast<std::uintptr_t>(at_); }
  std::size_t bytes() const noexcept { return bytes_; }
  /// Of a target into which so many bytes were written.
  void finish(std::size_t length) const {
    if (memory_)
      PackedView(block_).write(0, length, at_);
  }

private:
  Block block_;
  std::size_t bytes_;
  std::byte* at_ = nullptr;
  std::unique_ptr<std::byte[]> memory_;
};

/// What members tell each other in their mails before they reach into each other's memory.
struct Offer {
  std::uint64_t source; ///< addresses at the member; 0: none
  std::uint64_t target;

  void postTo(SharedGroup& group, std::uint64_t step, std::size_t bytes) const noexcept {
    static_assert(sizeof(Offer) <= Mail::room);
    std::memcpy(group.ownMail(step).data, this, sizeof *this);
    group.post(step, bytes);
  }
  static Offer in(const Mail& mail) noexcept {
    Offer offer;
    std::memcpy(&offer, mail.data, sizeof offer);
    return offer;
  }
};

} // namespace mpl
