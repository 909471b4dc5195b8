#include "onesided/shm/ShmTransport.h"

#include "onesided/Window.h"

namespace mpl {

static_assert(WindowTransport<ShmTransport>);

ShmTransport shmTransport;

bool ShmTransport::leadsTo(Window& window, int rank) {
  if (window.isDynamic())
    return false; // only the member itself knows what is attached
  const MemberBlock* block = window.blockOf(rank);
  return rank == window.comm().rank() || (block != nullptr && block->offset != MemberBlock::notShared);
}

std::unique_ptr<ShmLink> ShmTransport::connect(Window& window, int rank) {
  if (rank == window.comm().rank()) {
    const Window::Memory& own = window.memory();
    return std::make_unique<ShmLink>(
        RemoteWindow{reinterpret_cast<std::uint64_t>(own.base), own.bytes, own.dispUnit});
  }
  const MemberBlock& block = *window.blockOf(rank);
  return std::make_unique<ShmLink>(RemoteWindow{
      reinterpret_cast<std::uint64_t>(window.nodeMemory() + block.offset), block.bytes, block.dispUnit});
}

} // namespace mpl
