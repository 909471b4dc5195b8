#pragma once

#include "mpl/Group.h"
#include "mpl/SparseArray.h"
#include "pt2pt/PeerAddress.h"
#include "pt2pt/Route.h"

#include <ucp/api/ucp.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace mpl {

class Request;

/// The UCX endpoints of this process, one for each process it has sent to, made at the first use. Used with
/// the engine held.
class Endpoints {
public:
  /// The end of a process.
  struct Death {
    ProcessId process;
    std::string cause; ///< for messages
    bool inGoodOrder;
  };

  /// self: as published.
  void start(Process& process, PeerAddress self);
  /// The process is a member of its job again; endpoints are kept, for nobody's address changes.
  void rejoin(Process& process) noexcept {
    process_ = &process;
    fetches_.clear(); // none of them ends any more
  }

  /// The way to a process; fetches its address and connects when there is none. Errors: MPI_ERR_PROC_ABORTED
  /// when the process is known to be dead, MPI_ERR_OTHER when its address does not come.
  Route connect(ProcessId process);

  /// The way that messages from a process come, which is known at once where it is on another node; else,
  /// when its address is known, for which this asks without waiting.
  Route source(ProcessId process);

  /// The UCX endpoint of a lane's process, for large data; errors as of connect().
  ucp_ep_h transportOf(Lane& lane);

  /// Whether the process is on this node.
  bool isLocal(ProcessId process) const { return process_->isLocal(static_cast<int>(process)); }

  /// Whether it has ended, in whatever way.
  bool isDead(ProcessId process) const noexcept { return find(process) != nullptr; }
  /// Whether it has ended, and not in good order.
  bool hasDied(ProcessId process) const noexcept {
    const Death* death = find(process);
    return death != nullptr && !death->inGoodOrder;
  }
  /// Number of processes known to be dead; a quick way to see that nothing has changed.
  std::size_t deadCount() const noexcept { return deadCount_; }
  std::span<const Death> deaths() const noexcept { return dead_; }

  /// Notes a death, however it was found: the endpoint goes, operations with the process fail, a line says
  /// so. how: "process 4711 on node7 ended", for messages.
  void markDead(ProcessId process, const std::string& how) noexcept;
  /// The same for a process that went in good order, of which nothing is said: whoever waits for a message of
  /// any of several processes goes on waiting while others of them are there.
  void markGone(ProcessId process, const std::string& how) noexcept;
  /// One of the two, for a process that cannot be reached any more: in the World Model it has died, outside
  /// it processes come and go.
  void noteFailure(ProcessId process, const std::string& how) noexcept;
  /// Takes a request over that UCX ended for a reason which may be the death of the process, for that is not
  /// always known yet: the request completes with MPI_ERR_PROC_ABORTED when the death is noted, and as it is
  /// when the process seems to live on. False where nobody would find out: the request stays the caller's.
  bool suspect(Request& request, ProcessId process);
  /// Completes requests whose processes have not been found dead in due time.
  void settleSuspects() noexcept;
  /// Looks at the failures that UCX reported meanwhile.
  void handleErrors() noexcept;
  /// Ends operations with the dead that UCX has not ended in due time.
  void giveUpOverdue() noexcept;
  /// A receive was started of a message that came before its sender died: it ends, in due time, even if the
  /// data does not come.
  void expectEnd(ProcessId process) { overdue_.push_back({process, std::chrono::steady_clock::now()}); }
  /// The text that was noted with the death.
  const std::string& causeOfDeath(ProcessId process) const noexcept;

  /// Until endClosing() endpoints may fail quietly: the others are leaving too.
  void beginClosing() noexcept { closing_ = true; }
  void endClosing() noexcept { closing_ = false; }
  bool isClosing() const noexcept { return closing_; }

private:
  struct Peer {
    ucp_ep_h endpoint = nullptr;
    bool reportsDeath = false; // by UCX; else PeerWatch finds it out
    Lane* lane = nullptr;
  };

  const Death* find(ProcessId process) const noexcept;
  void note(Death death);
  static void onError(void* process, ucp_ep_h endpoint, ucs_status_t status);

  // A death whose operations UCX may still end by itself.
  struct Overdue {
    ProcessId process;
    std::chrono::steady_clock::time_point at;
  };

  // A request that failed, of a process that may be dead.
  struct Suspect {
    Request* request;
    ProcessId process;
    std::chrono::steady_clock::time_point since;
  };

  Route known(ProcessId process);
  std::optional<PeerAddress> fetchAddress(ProcessId process);
  Route settle(ProcessId process, PeerAddress address);
  void failIfDead(ProcessId process);
  ucp_ep_h endpointTo(ProcessId process, const std::string& address, bool reportsDeath);
  void close(Peer& peer) noexcept;
  bool watchesItself(int rank, const PeerAddress& other);
  void cancelReceives(ProcessId process) noexcept;
  /// Ends what waits for the process although UCX still has it. anySource: receives of any source too.
  void giveUp(ProcessId process, bool anySource) noexcept;

  struct Failure {
    ProcessId process;
    ucp_ep_h endpoint;
    ucs_status_t status;
  };

  Process* process_ = nullptr;
  PeerAddress self_;
  SparseArray<Peer> peers_;
  std::vector<Death> dead_;
  std::vector<Failure> failed_; // reported by UCX, not looked at yet
  std::vector<Overdue> overdue_;
  std::vector<Suspect> suspects_;
  std::unordered_map<ProcessId, Process::Fetch> fetches_; // for receives, which do not wait for them
  std::size_t deadCount_ = 0;
  bool closing_ = false;
};

extern Endpoints endpoints;

} // namespace mpl
