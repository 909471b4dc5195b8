#pragma once

#include "bootstrap/Process.h"
#include "mpl/Group.h"
#include "onesided/Transport.h"
#include "onesided/ucx/Wire.h"

#include <ucp/api/ucp.h>

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace mpl {

/// An answer that somebody waits for. Whoever makes one keeps it until `pending` says that it is there.
struct Awaited {
  Pending* pending = nullptr;
  std::byte* result = nullptr;           ///< where data goes
  std::vector<std::byte>* raw = nullptr; ///< or the whole payload
  std::uint64_t bytesLeft = 0;           ///< of data
  bool ownedHere = false;                ///< deleted with the answer
  Awaited* next = nullptr;
  Awaited** link = nullptr; ///< what points to this one
};

/// A process that messages go to.
class RmaPeer {
public:
  enum class State { fetching, ready, dead };

  explicit RmaPeer(ProcessId process) : process_(process) {}

  ProcessId process() const noexcept { return process_; }
  State state() const noexcept { return state_; }
  ucp_ep_h endpoint() const noexcept { return endpoint_; }

private:
  friend class RmaWorker;

  ProcessId process_;
  State state_ = State::fetching;
  ucp_ep_h endpoint_ = nullptr;
  std::optional<Process::Fetch> fetch_;
  std::vector<struct OutgoingMessage*> queue_; // until the endpoint is there
  Awaited* awaited_ = nullptr;
};

/// The UCX worker of windows, apart from that of messages: windows need other features of UCX, and progress
/// while the program computes, which two-sided communication should not pay for. Started by the first window
/// that has members beyond shared memory. Everything but start() is called with RmaLock held.
class RmaWorker {
public:
  /// Does nothing where it runs already. Publishes the worker's address.
  void start();
  bool isRunning() const noexcept { return worker_ != nullptr; }
  /// So much is on its way that nobody should add to it. Without the lock too.
  bool isCrowded() const noexcept {
    constexpr std::size_t most = 256;
    return inFlight_.load(std::memory_order_relaxed) > most;
  }
  /// All communication is over. Called without the lock.

  ucp_worker_h worker() const noexcept { return worker_; }
  ucp_context_h context() const noexcept { return context_; }

  /// Connects at the first call. State `dead` where the process is known to be dead.
  RmaPeer& peer(ProcessId process);
  void send(RmaPeer& peer, MessageHeader header, std::span<const std::byte> first,
            std::span<const std::byte> second = {});
  /// Registers the awaited answer with the peer and gives the header's token.
  std::uint64_t await(RmaPeer& peer, Awaited& awaited);

  unsigned progress();
  int wakeDescriptor() const noexcept { return descriptor_; }
  bool armed() noexcept { return ucp_worker_arm(worker_) == UCS_OK; }
  /// Something has to be looked at from time to time without any message coming.
  bool needsPolling() const noexcept;

  /// The process is dead: what is awaited from it ends with MPI_ERR_PROC_ABORTED.
  void markDead(ProcessId process) noexcept;
  /// Processes that UCX found dead since the last call.
  std::vector<ProcessId> takeFailures() noexcept { return std::exchange(newlyDead_, {}); }
  bool hasFailures() const noexcept { return !newlyDead_.empty(); }

  static constexpr std::string_view addressKey = "mpl.rma";

private:
  static ucs_status_t onMessage(void* self, const void* header, std::size_t headerLength, void* data,
                                std::size_t length, const ucp_am_recv_param_t* param);
  static void onError(void* process, ucp_ep_h endpoint, ucs_status_t status);
  static void sendDone(void* request, ucs_status_t status, void* message);

  void receive(const MessageHeader& header, std::span<const std::byte> payload);
  void answer(const MessageHeader& header, std::span<const std::byte> payload);
  void advanceConnections();
  void connect(RmaPeer& peer);
  void transmit(RmaPeer& peer, OutgoingMessage& message);
  void markDead(RmaPeer& peer) noexcept;
  static void endAwaited(Awaited& awaited, int errorClass) noexcept;
  OutgoingMessage& takeMessage();
  void throttle();

  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  int descriptor_ = -1;
  std::string address_;
  std::unordered_map<ProcessId, std::unique_ptr<RmaPeer>> peers_;
  std::size_t fetching_ = 0;
  std::vector<RmaPeer*> failed_; // reported by UCX, not looked at yet
  std::vector<ProcessId> newlyDead_;
  OutgoingMessage* freeMessages_ = nullptr;
  std::atomic<std::size_t> inFlight_{0}; // that UCX has not finished
  bool isStuck_ = false;                 // throttle() has given up
  std::vector<std::unique_ptr<OutgoingMessage>> messages_;
  std::deque<std::pair<RmaPeer*, OutgoingMessage*>> outgoing_; // made in callbacks, sent after them
  bool inCallback_ = false;
};

/// Never destroyed: a program may end without MPI_Finalize.
extern RmaWorker& rmaWorker;

} // namespace mpl
