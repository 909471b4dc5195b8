#include "coll/Schedule.h"

#include <algorithm>

namespace mpl {

namespace {

constexpr std::size_t line = 64;
// What a schedule keeps for its next use: enough for small collectives never to allocate.
constexpr std::size_t keptBytes = 16384;
constexpr std::size_t keptSteps = 512;

constexpr std::uintptr_t alignUp(std::uintptr_t value) {
  return (value + line - 1) / line * line;
}

} // namespace

std::byte* Schedule::scratch(std::size_t bytes) {
  const auto fits = [&](const ScratchMemory& chunk) {
    const auto start = reinterpret_cast<std::uintptr_t>(chunk.get());
    const std::uintptr_t aligned = alignUp(start + used_) - start;
    return aligned <= chunk.size() && bytes <= chunk.size() - aligned;
  };
  if (chunks_.empty() || !fits(chunks_.back())) {
    chunks_.emplace_back(std::max(bytes + line, chunks_.empty() ? keptBytes : 4 * keptBytes));
    used_ = 0;
  }
  const ScratchMemory& chunk = chunks_.back();
  const auto start = reinterpret_cast<std::uintptr_t>(chunk.get());
  const std::uintptr_t offset = alignUp(start + used_) - start;
  used_ = offset + bytes;
  return chunk.get() + offset;
}

Block Schedule::scratchLike(const Block& block) {
  if (block.type == nullptr)
    return scratchBlock(block.bytes());
  MPI_Count lowest = 0;
  const MPI_Count span = block.type->span(block.count, lowest);
  // The address must be aligned as the program's own elements are, and that holds for the first element, not
  // for the lowest byte.
  const std::byte* memory = scratch(static_cast<std::size_t>(span) + line);
  const auto wanted = reinterpret_cast<std::uintptr_t>(memory) - static_cast<std::uintptr_t>(lowest);
  return {reinterpret_cast<void*>(alignUp(wanted)), block.count, block.type};
}

void Schedule::keep(const Datatype& type) {
  if (!type.isPredefined())
    types_.emplace_back(&type);
}

void Schedule::keep(const Op& op) {
  if (!op.isPredefined())
    ops_.emplace_back(&op);
}

void Schedule::clear() noexcept {
  steps_.clear();
  if (steps_.capacity() > keptSteps)
    std::vector<Step>().swap(steps_);
  slots_ = 0;
  used_ = 0;
  if (chunks_.size() > 1)
    chunks_.resize(1);
  if (!chunks_.empty() && chunks_.front().size() > keptBytes)
    chunks_.clear();
  types_.clear();
  ops_.clear();
}

} // namespace mpl
