#pragma once

#include "onesided/Transport.h"

#include <memory>
#include <sys/types.h>
#include <sys/uio.h>

namespace mpl {

/// Memory of the program's own in a process of this node, which the kernel copies from and to: puts and gets
/// are over when the call returns, and the target has no part in them.
class CmaLink {
public:
  /// Tries whether this process may reach the other, and whether it is the right one: refused where not.
  CmaLink(pid_t process, const RemoteWindow& remote, std::uint64_t proofAddress, std::uint64_t proof);

  LinkState state() const noexcept { return state_; }
  const RemoteWindow& remote() const noexcept { return remote_; }
  void put(const void* from, std::uint64_t remote, std::size_t bytes, Pending& pending) noexcept;
  void get(void* to, std::uint64_t remote, std::size_t bytes, Pending& pending) noexcept;
  void flush(Pending&) noexcept { std::atomic_thread_fence(std::memory_order_seq_cst); }

private:
  using Copy = ssize_t(pid_t, const iovec*, unsigned long, const iovec*, unsigned long, unsigned long);
  /// 0 or an error number.
  int copyAll(Copy& copy, void* here, std::uint64_t there, std::size_t bytes) const noexcept;

  pid_t process_;
  RemoteWindow remote_;
  LinkState state_ = LinkState::refused;
};

/// Leads to members of windows of MPI_Win_create on this node, where the kernel allows it.
class CmaTransport {
public:
  using Link = CmaLink;
  static constexpr const char* name = "cma";

  void opened(Window&) noexcept {}
  void closing(Window&) noexcept {}
  bool leadsTo(Window& window, int rank);
  std::unique_ptr<CmaLink> connect(Window& window, int rank);
  unsigned progress() noexcept { return 0; }
  int wakeDescriptor() const noexcept { return -1; }
  bool armed() const noexcept { return true; }
};

extern CmaTransport cmaTransport;

} // namespace mpl
