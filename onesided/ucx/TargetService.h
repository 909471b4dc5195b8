#pragma once

#include "onesided/ucx/Wire.h"

#include <span>
#include <vector>

namespace mpl {

class Window;

/// Executes what others ask of this process's windows. RmaLock is held.
class TargetService {
public:
  /// Payloads are checked against the header and the window; what does not fit is answered with an error.
  void execute(const MessageHeader& header, std::span<const std::byte> payload);

  /// Others who wait for the lock of a window here. Holders on this node let it go without a word, so one has
  /// to look.
  bool hasWaiters() const noexcept { return !waiters_.empty(); }
  unsigned retryWaiters();
  /// The window goes.
  void forget(const Window& window) noexcept;

private:
  void put(Window& window, const MessageHeader& header, std::span<const std::byte> payload);
  void get(Window& window, const MessageHeader& header);
  void update(Window& window, const MessageHeader& header, std::span<const std::byte> payload);
  void compareAndSwap(Window& window, const MessageHeader& header, std::span<const std::byte> payload);
  void describe(Window& window, const MessageHeader& header);
  void lock(Window& window, const MessageHeader& header);
  void fail(const MessageHeader& header, int errorClass);
  void answerData(const MessageHeader& header, std::span<const std::byte> data);
  void answerDone(const MessageHeader& header);

  struct Waiter {
    Window* window;
    MessageHeader header;
  };
  std::vector<Waiter> waiters_; // in the order of asking
  std::vector<std::byte> results_;
};

/// Never destroyed, see rmaWorker.
extern TargetService& targetService;

} // namespace mpl
