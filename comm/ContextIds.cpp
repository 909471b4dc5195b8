#include "comm/ContextIds.h"

#include <algorithm>
#include <bit>

namespace mpl {

namespace {

// splitmix64: all members compute the same.
std::uint64_t scramble(std::uint64_t value) noexcept {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}

bool hasFree(const std::array<std::uint64_t, ContextProposal::words>& free) noexcept {
  return std::any_of(free.begin(), free.end(), [](std::uint64_t word) { return word != 0; });
}

} // namespace

void ContextProposal::combine(const ContextProposal& in, ContextProposal& inout) noexcept {
  if (in.block == inout.block) {
    for (int i = 0; i < words; ++i)
      inout.free[static_cast<std::size_t>(i)] &= in.free[static_cast<std::size_t>(i)];
    inout.unanimous &= in.unanimous;
    return;
  }
  if (in.block > inout.block)
    inout = in;
  inout.unanimous = 0;
}

std::optional<int> ContextProposal::firstFree(unsigned start) const noexcept {
  for (int i = 0; i < idsPerBlock; ++i) {
    const auto index = (start + static_cast<unsigned>(i)) % idsPerBlock;
    if ((free[index / 64] >> index % 64 & 1) != 0)
      return static_cast<int>(index);
  }
  return std::nullopt;
}

ContextIds& ContextIds::get() {
  // Never destroyed: communicators may go in exit handlers.
  static ContextIds* const ids = [] {
    auto* made = new ContextIds();
    Communicator::onDestroy = [](std::uint32_t id) { get().release(id); };
    return made;
  }();
  return *ids;
}

void ContextIds::grow(std::uint32_t block) {
  while (blocks_.size() <= block) {
    Block fresh{};
    fresh.free.fill(~std::uint64_t{0});
    if (blocks_.empty())
      fresh.free[0] <<= firstId / 2;
    blocks_.push_back(fresh);
  }
}

ContextProposal ContextIds::hold(std::uint32_t from) {
  const std::lock_guard guard(mutex_);
  for (std::uint32_t block = from; block < blocks; ++block) {
    grow(block);
    Block& candidate = blocks_[block];
    if (candidate.held || !hasFree(candidate.free))
      continue;
    candidate.held = true;
    return {block, 1, candidate.free};
  }
  return {};
}

void ContextIds::letGo(std::uint32_t block) noexcept {
  const std::lock_guard guard(mutex_);
  blocks_[block].held = false;
}

std::uint32_t ContextIds::take(std::uint32_t block, int index) noexcept {
  const std::lock_guard guard(mutex_);
  blocks_[block].free[static_cast<std::size_t>(index) / 64] &= ~(std::uint64_t{1} << index % 64);
  return 2 * (block * ContextProposal::idsPerBlock + static_cast<std::uint32_t>(index));
}

void ContextIds::release(std::uint32_t id) noexcept {
  if (id < firstId)
    return;
  const std::uint32_t number = id / 2;
  const std::lock_guard guard(mutex_);
  const auto index = number % ContextProposal::idsPerBlock;
  blocks_[number / ContextProposal::idsPerBlock].free[index / 64] |= std::uint64_t{1} << index % 64;
}

std::size_t ContextIds::used() const {
  const std::lock_guard guard(mutex_);
  std::size_t free = 0;
  for (const Block& block : blocks_)
    for (std::uint64_t word : block.free)
      free += static_cast<std::size_t>(std::popcount(word));
  const std::size_t all = blocks_.size() * ContextProposal::idsPerBlock;
  return blocks_.empty() ? 0 : all - firstId / 2 - free;
}

ContextAgreement::ContextAgreement(ContextIds& ids, std::uint64_t key, int wanted)
    : ids_(ids), key_(scramble(key)), proposal_(ids.hold(0)), held_(proposal_.block), wanted_(wanted) {}

ContextAgreement::~ContextAgreement() {
  if (held_ != ContextProposal::noBlock)
    ids_.letGo(held_);
  for (const auto& id : chosen_)
    if (id)
      ids_.release(*id);
}

bool ContextAgreement::choose(const ContextProposal& combined) {
  if (combined.block == ContextProposal::noBlock || combined.unanimous == 0)
    return false;
  std::array<int, mostIds> found{};
  ContextProposal left = combined;
  for (int i = 0; i < wanted_; ++i) {
    const auto index = left.firstFree(static_cast<unsigned>(key_ % ContextProposal::idsPerBlock));
    if (!index)
      return false;
    left.markUsed(*index);
    found[static_cast<std::size_t>(i)] = *index;
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(wanted_); ++i)
    chosen_[i] = ids_.take(combined.block, found[i]);
  return true;
}

bool ContextAgreement::settle() {
  const ContextProposal combined = proposal_;
  const bool settled = choose(combined);
  if (held_ != ContextProposal::noBlock)
    ids_.letGo(held_);
  held_ = ContextProposal::noBlock;
  if (settled)
    return true;
  proposal_ = ids_.hold(nextBlock(combined));
  held_ = proposal_.block;
  return false;
}

// Members may have looked at different blocks because they use different ids: then the highest will do. When
// that happens again, other agreements are in the way, which may be moving up alike: random steps, ever
// longer ones, part them. After a whole sweep every block is looked at.
std::uint32_t ContextAgreement::nextBlock(const ContextProposal& combined) {
  const unsigned round = rounds_++;
  if (combined.block == ContextProposal::noBlock) {
    if (++sweeps_ == sweepsBeforeGivingUp)
      fail(MPI_ERR_OTHER, "no context id is free at all members: too many communicators are alive (",
           ids_.used(), " in this process)");
    return 0;
  }
  if (combined.unanimous != 0)
    return combined.block + 1;
  if (round == 0 || sweeps_ > 0)
    return combined.block;
  const std::uint64_t spread = std::uint64_t{1} << std::min(round, 8U);
  return combined.block + static_cast<std::uint32_t>(scramble(key_ + round) % spread);
}

std::uint32_t ContextAgreement::take(int which) noexcept {
  auto& chosen = chosen_[static_cast<std::size_t>(which)];
  const std::uint32_t id = *chosen;
  chosen.reset();
  return id;
}

} // namespace mpl
