#pragma once

#include "coll/shared/DirectAccess.h"

#include <vector>

namespace mpl {

/// Blocks of different sizes that a member shows to others in a step with slots
/// (SharedGroup::beginUnknown()): in its slot as far as there is room, else where they lie, to be read from
/// there.
class SlotData {
public:
  /// Where another member finds a block.
  struct Found {
    std::uint64_t bytes;
    std::uint64_t offset;  ///< in the slot
    std::uint64_t address; ///< 0: it is in the slot
  };

  SlotData(SharedGroup& group, std::uint64_t step) noexcept : group_(group), step_(step) {}

  /// Keeps bytes at the start of the slot for something else; before any block.
  void reserve(std::size_t bytes) noexcept { used_ = wholeLines(bytes); }
  /// copies: what does not lie in the slot is copied, since the block is written to while others may still
  /// read it.
  Found add(const Block& block, bool copies = false) {
    const std::size_t bytes = block.bytes();
    if (bytes <= group_.slotBytes() - used_) {
      const std::size_t offset = used_;
      PackedView(block).read(0, bytes, group_.ownSlot(step_) + offset);
      used_ += wholeLines(bytes);
      return {bytes, offset, 0};
    }
    missing_ += wholeLines(bytes);
    runs_.emplace_back(block, PackedRun::Use::source, copies);
    return {bytes, 0, runs_.back().address()};
  }
  /// When all blocks were added, before the step is posted.
  void wishForRoom() {
    if (!runs_.empty())
      group_.wish(used_ + missing_, step_);
  }
  bool hasRuns() const noexcept { return !runs_.empty(); }

  /// Takes what fits of a block that a member shows, whose mail is there.
  void take(int rank, const Found& found, const Block& to, DirectAccess& access) const {
    const std::size_t length = std::min<std::size_t>(found.bytes, to.bytes());
    if (found.address == 0)
      PackedView(to).write(0, length, group_.slot(rank, step_) + found.offset);
    else
      access.readInto(rank, found.address, to, length);
  }

private:
  // Each block begins a line: the processor copies aligned data faster.
  static std::size_t wholeLines(std::size_t bytes) noexcept {
    return (bytes + alignof(Mail) - 1) / alignof(Mail) * alignof(Mail);
  }

  SharedGroup& group_;
  std::uint64_t step_;
  std::size_t used_ = 0;
  std::size_t missing_ = 0; // what the slot has no room for
  std::vector<PackedRun> runs_;
};

} // namespace mpl
