#include "onesided/cma/CmaTransport.h"

#include "onesided/Window.h"

#include <cerrno>

namespace mpl {

static_assert(WindowTransport<CmaTransport>);

CmaTransport cmaTransport;

namespace {

int errorClassOfCopy(int error) noexcept {
  switch (error) {
  case 0:
    return MPI_SUCCESS;
  case ESRCH:
    return MPI_ERR_PROC_ABORTED;
  case EFAULT: // the program has given the memory back
    return MPI_ERR_RMA_RANGE;
  default:
    return MPI_ERR_OTHER;
  }
}

} // namespace

CmaLink::CmaLink(pid_t process, const RemoteWindow& remote, std::uint64_t proofAddress, std::uint64_t proof)
    : process_(process), remote_(remote) {
  // A process id of another namespace may name another process here.
  std::uint64_t found = 0;
  if (copyAll(::process_vm_readv, &found, proofAddress, sizeof found) == 0 && found == proof)
    state_ = LinkState::ready;
}

int CmaLink::copyAll(Copy& copy, void* here, std::uint64_t there, std::size_t bytes) const noexcept {
  auto* at = static_cast<std::byte*>(here);
  while (bytes != 0) {
    const iovec local{at, bytes};
    const iovec remote{reinterpret_cast<void*>(there), bytes};
    const ssize_t done = copy(process_, &local, 1, &remote, 1, 0);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return done < 0 ? errno : EFAULT;
    at += done;
    there += static_cast<std::uint64_t>(done);
    bytes -= static_cast<std::size_t>(done);
  }
  return 0;
}

void CmaLink::put(const void* from, std::uint64_t remote, std::size_t bytes, Pending& pending) noexcept {
  const int error = copyAll(::process_vm_writev, const_cast<void*>(from), remote, bytes);
  if (error != 0)
    pending.fail(errorClassOfCopy(error));
}

void CmaLink::get(void* to, std::uint64_t remote, std::size_t bytes, Pending& pending) noexcept {
  const int error = copyAll(::process_vm_readv, to, remote, bytes);
  if (error != 0)
    pending.fail(errorClassOfCopy(error));
}

bool CmaTransport::leadsTo(Window& window, int rank) {
  return window.flavor() == Window::Flavor::create && window.blockOf(rank) != nullptr;
}

std::unique_ptr<CmaLink> CmaTransport::connect(Window& window, int rank) {
  const MemberBlock& block = *window.blockOf(rank);
  return std::make_unique<CmaLink>(static_cast<pid_t>(block.process),
                                   RemoteWindow{block.base, block.bytes, block.dispUnit}, block.proofAddress,
                                   block.proof);
}

} // namespace mpl
