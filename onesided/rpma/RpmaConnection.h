#pragma once

#include "bootstrap/Process.h"
#include "mpl/Group.h"
#include "onesided/rpma/Dial.h"
#include "onesided/rpma/PrivateData.h"
#include "onesided/rpma/RpmaContext.h"
#include "onesided/rpma/SendQueue.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace mpl {

/// The connection from this process to another, for all windows: asked for with the first window, whose
/// description comes with the answer. RmaLock held.
class RpmaConnection final : public EventSource {
public:
  enum class State {
    connecting, ///< for the first time, or anew after something broke it
    ready,
    broken,  ///< something broke it and no window needs it: restart()
    refused, ///< no RDMA to this process
    dead,    ///< the process is gone
  };

  RpmaConnection(RpmaContext& context, ProcessId process, std::uint32_t window);
  ~RpmaConnection() override;

  ProcessId process() const noexcept { return process_; }
  /// Ready, and nothing has failed.
  bool isSound() const noexcept { return state_ == State::ready && queue_->failure() == MPI_SUCCESS; }
  /// Moves it on and tells how far it is.
  State advance();
  /// Asks anew, for this window.
  void restart(std::uint32_t window);
  /// A link to the window goes over this connection, until removeWindow().
  void addWindow(std::uint32_t window) { windows_.push_back(window); }
  void removeWindow(std::uint32_t window) noexcept { std::erase(windows_, window); }
  /// Until it is not connecting any more.
  State waitForAnswer();
  /// What stood in the way.
  const std::string& why() const noexcept { return why_; }

  /// What the answer says of the window that was asked for: once.
  std::optional<WindowRecord> takeAnswer(std::uint32_t window);
  /// Nobody will ask for the answer any more.
  void forgetAnswer(std::uint32_t window) noexcept;

  const Secret& secret() const noexcept { return contact_.secret; }
  rpma_mr_remote* directory() const noexcept { return directory_; }
  /// Once it has been ready.
  SendQueue& queue() noexcept { return *queue_; }
  /// See SendQueue.
  void forget(const int& lost) noexcept {
    if (queue_)
      queue_->forget(lost);
  }

  /// Takes what has ended.
  unsigned poll() {
    if (state_ != State::ready) [[unlikely]] {
      advance();
      return 0;
    }
    const unsigned events = queue_->poll();
    return queue_->failure() == MPI_SUCCESS ? events : events + breakOff();
  }
  void ready() override;
  /// The end: everything under way ends with this error.
  void close(State state, int errorClass) noexcept;

  bool isWatched = false; ///< by the transport

private:
  void findContact();
  void dial();
  void awaitAnswer();
  void establish();
  State refuse(std::string why);
  /// Nobody is there, any more or from the beginning.
  State giveUp(std::string why);
  /// The queue has failed. 1, an event.
  unsigned breakOff();
  void disconnect() noexcept;

  static constexpr std::chrono::seconds patience{20};

  RpmaContext& context_;
  ProcessId process_;
  State state_ = State::connecting;
  std::string why_;
  std::optional<Process::Fetch> fetch_;
  Contact contact_;
  ConnectRequest request_;
  std::optional<Dial> dial_;
  std::chrono::steady_clock::time_point deadline_;
  std::optional<WindowRecord> answer_;
  std::vector<std::uint32_t> windows_; // with links, the oldest first
  rpma_mr_remote* directory_ = nullptr;
  // In this order: the connection goes before the memory that the device writes to.
  std::unique_ptr<SendQueue> queue_;
  rpma_conn* connection_ = nullptr;
  int descriptor_ = -1;
};

} // namespace mpl
