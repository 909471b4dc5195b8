#pragma once

#include "onesided/Transport.h"

#include <cstring>
#include <memory>

namespace mpl {

/// A target's part of a window that this process maps, or its own: load and store. Puts are in the target's
/// memory when the call returns, in the order of the processor; windows add the fences.
class ShmLink {
public:
  /// remote: as this process maps it.
  explicit ShmLink(const RemoteWindow& remote) : remote_(remote) {}

  LinkState state() const noexcept { return LinkState::ready; }
  const RemoteWindow& remote() const noexcept { return remote_; }
  void put(const void* from, std::uint64_t remote, std::size_t bytes, Pending&) noexcept {
    std::memmove(reinterpret_cast<void*>(remote), from, bytes);
  }
  void get(void* to, std::uint64_t remote, std::size_t bytes, Pending&) noexcept {
    std::memmove(to, reinterpret_cast<const void*>(remote), bytes);
  }
  void flush(Pending&) noexcept { std::atomic_thread_fence(std::memory_order_seq_cst); }

private:
  RemoteWindow remote_;
};

/// Leads to members on this node whose memory lies in the window's node memory, and to this process itself.
class ShmTransport {
public:
  using Link = ShmLink;
  static constexpr const char* name = "shm";

  void opened(Window&) noexcept {}
  void closing(Window&) noexcept {}
  bool leadsTo(Window& window, int rank);
  std::unique_ptr<ShmLink> connect(Window& window, int rank);
  unsigned progress() noexcept { return 0; }
  int wakeDescriptor() const noexcept { return -1; }
  bool armed() const noexcept { return true; }
};

extern ShmTransport shmTransport;

} // namespace mpl
