#pragma once

#include "pt2pt/Request.h"
#include "pt2pt/node/Arrival.h"
#include "pt2pt/node/Lane.h"

#include <vector>

namespace mpl {

/// The receives of this process whose data it reads out of the senders' memory. Engine held.
class LongReceives {
public:
  /// Below this a sender's help comes too late.
  static constexpr std::uint64_t leastShared = 192 * 1024;

  /// Copies a message of Carrier::Memory into the buffer of its receive, which completes, perhaps later; or
  /// has UCX bring the data where the memory cannot be read.
  void start(Request& request, const Incoming& message) noexcept;

  bool empty() const noexcept { return joint_.empty(); }
  /// Completes the receives of which the senders have copied their half; returns how many there were.
  unsigned advance() noexcept;
  /// The process is dead: receives that it was helping with fail.
  void forget(ProcessId process) noexcept;
  void clear() noexcept { joint_.clear(); }

private:
  /// One whose sender is copying the second half.
  struct Joint {
    Request* request;
    Lane* sender;
    Incoming message;
    int error; ///< of the first half, an errno or 0
  };

  std::vector<Joint> joint_;
};

} // namespace mpl
