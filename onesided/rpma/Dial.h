#pragma once

#include "onesided/rpma/RpmaContext.h"

#include <memory>
#include <string>
#include <vector>

namespace mpl {

/// Asks a target for a connection. Finding the way to an address may take librpma minutes, so a thread of its
/// own does it; what comes of one that is given up is thrown away there.
class Dial {
public:
  Dial(RpmaDevice& device, const Contact& contact, std::vector<std::byte> privateData);
  ~Dial();
  Dial(const Dial&) = delete;
  Dial& operator=(const Dial&) = delete;

  bool isOver() const;
  /// The connection that was asked for (its first event tells the target's answer), or nullptr, and why. Once
  /// it is over; the caller's from then on.
  rpma_conn* take(std::string& why);

  /// Threads that are still at it.
  static unsigned running() noexcept;

private:
  struct State;
  std::shared_ptr<State> state_;
};

} // namespace mpl
