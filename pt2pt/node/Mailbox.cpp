#include "pt2pt/node/Mailbox.h"

namespace mpl {

void Mailbox::initialise(std::byte* memory) noexcept {
  auto* shared = new (memory) Shared();
  shared->tail.store(0, std::memory_order_relaxed);
  shared->head.store(0, std::memory_order_relaxed);
  for (MailSlot& slot : shared->slots)
    slot.state.store(readyState(0), std::memory_order_relaxed);
}

std::int64_t Mailbox::stuckWriter() const noexcept {
  const std::uint64_t state = next().state.load(std::memory_order_acquire);
  if (state >> turnShift != taken_ / slotCount + 1 || (state & 3) != writing)
    return -1;
  return static_cast<std::int64_t>(state >> 2 & ((std::uint64_t{1} << (turnShift - 2)) - 1));
}

void Mailbox::skip() noexcept {
  shared_->slots[taken_ % slotCount].state.store(nextReady(), std::memory_order_release);
  pop();
}

} // namespace mpl
