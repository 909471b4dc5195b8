#pragma once

#include "mpl/Error.h"
#include "pt2pt/EngineLock.h"
#include "pt2pt/node/NodeChannel.h"

#include <ucp/api/ucp.h>

#include <cstdint>
#include <string>
#include <vector>

namespace mpl {

/// Something that has work to do whenever the engine makes progress: a running collective schedule, say.
/// Hooks are called with the engine held.
class ProgressHook {
public:
  /// Moves on as far as possible without waiting; true when it is done and wants to be taken off the list.
  virtual bool advance() = 0;

protected:
  ~ProgressHook() = default;
};

/// The UCX worker of this process and what belongs to it. One object, `engine`, alive from MPI_Init (or the
/// first session) to the end of the process.
class Engine {
public:
  /// Makes context and worker and publishes the worker's address. threaded: MPI_THREAD_MULTIPLE was asked
  /// for.
  void start(bool threaded, int localRanks);
  bool isRunning() const noexcept { return worker_ != nullptr; }

  ucp_worker_h worker() const noexcept { return worker_; }
  ucp_context_h context() const noexcept { return context_; }

  /// Moves communication on; engine held. Returns how much happened (0: nothing).
  unsigned progress() {
    unsigned events = nodeChannel.poll();
    // UCX has little to do where memory carries the messages, and looking costs it long.
    if ((++turns_ & idleTurns_) == 0 || nodeChannel.needsTransport())
      events += ucp_worker_progress(worker_);
    if (!hooks_.empty()) [[unlikely]]
      events += runHooks();
    return events;
  }

  /// onlyNode: no process of the job is elsewhere, so that UCX has messages only where one of them needs it.
  void setIdleTransport(bool onlyNode) noexcept { idleTurns_ = onlyNode ? 15 : 0; }

  /// Starts, at the first call, to wait until all that was sent has left, and looks for it; engine held. True
  /// when it has; the next call starts anew.
  bool flush() noexcept;
  /// For hooks: so much has happened that a wait had better go on without rest.
  void countEvents(unsigned events) noexcept { hookEvents_ += events; }

  void addHook(ProgressHook& hook) { hooks_.push_back(&hook); }
  void removeHook(ProgressHook& hook) noexcept;
  bool hasHooks() const noexcept { return !hooks_.empty(); }

  /// UCX's address of the worker.
  const std::string& address() const noexcept { return address_; }
  /// Whether UCX may talk to processes of this node through memory that they share.
  bool usesSharedMemory() const noexcept { return usesSharedMemory_; }
  std::size_t transportRequestBytes() const noexcept { return requestBytes_; }

private:
  unsigned runHooks();

  ucp_worker_h worker_ = nullptr;
  unsigned turns_ = 0;
  unsigned idleTurns_ = 0; // of progress for one of UCX, less one
  void* flushing_ = nullptr;
  std::vector<ProgressHook*> hooks_;
  bool runningHooks_ = false;
  unsigned hookEvents_ = 0;
  bool usesSharedMemory_ = false;
  ucp_context_h context_ = nullptr;
  std::size_t requestBytes_ = 0;
  std::string address_;
};

[[gnu::visibility("hidden")]] extern Engine engine;

/// fail() with a text for a UCX status where status is an error.
void checkUcx(ucs_status_t status, const char* what);

} // namespace mpl
