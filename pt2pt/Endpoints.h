#pragma once

#include "mpl/Group.h"
#include "mpl/SparseArray.h"

#include <ucp/api/ucp.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace mpl {

class Process;

/// The UCX endpoints of this process, one for each process it has sent to, made at the first use. Used with
/// the engine held.
class Endpoints {
public:
  void start(Process& process);
  /// The process is a member of its job again; endpoints are kept.
  void rejoin(Process& process) noexcept { process_ = &process; }
  /// Closes all; force: without waiting for what is under way.
  void closeAll(bool force) noexcept;

  /// The endpoint to a process; fetches its address and connects when there is none. Errors:
  /// MPI_ERR_PROC_ABORTED when the process is known to be dead, MPI_ERR_OTHER when its address does not come.
  ucp_ep_h connect(ProcessId process);

  /// nullptr where nothing was sent yet.
  ucp_ep_h find(ProcessId process) const noexcept;

  bool isDead(ProcessId process) const noexcept;
  /// Number of processes known to be dead; a quick way to see that nothing has changed.
  std::size_t deadCount() const noexcept { return deadCount_; }
  std::span<const ProcessId> dead() const noexcept { return dead_; }

  /// Notes a death, however it was found: the endpoint goes, receives from the process fail, a line says so.
  /// how: "process 4711 on node7 ended", for messages.
  void markDead(ProcessId process, const std::string& how) noexcept;
  /// The same for a process that went in good order, of which nothing is said.
  void markGone(ProcessId process, const std::string& how) noexcept;
  /// Looks at the failures that UCX reported meanwhile.
  void handleErrors() noexcept;
  bool hasErrors() const noexcept { return !failed_.empty(); }
  /// The text that was noted with the death.
  const std::string& causeOfDeath(ProcessId process) const noexcept;

  /// From now on endpoints may fail quietly: the others are leaving too.
  void beginClosing() noexcept { closing_ = true; }
  bool isClosing() const noexcept { return closing_; }

private:
  struct Peer {
    ucp_ep_h endpoint = nullptr;
    bool dead = false;
  };

  void note(ProcessId process, const std::string& how);
  static void onError(void* argument, ucp_ep_h endpoint, ucs_status_t status);

  struct Failure {
    ProcessId process;
    ucs_status_t status;
  };

  Process* process_ = nullptr;
  SparseArray<Peer> peers_;
  std::vector<ProcessId> dead_;
  std::vector<std::string> causes_;
  std::vector<Failure> failed_; // reported by UCX, not looked at yet
  std::size_t deadCount_ = 0;
  bool closing_ = false;
};

extern Endpoints endpoints;

} // namespace mpl
