#include "onesided/rpma/RpmaCounters.h"

#include "mpl/Error.h"

#include <numeric>

namespace mpl {

RpmaCounters rpmaCounters;

std::uint64_t RpmaCounters::rejectedInAll() const noexcept {
  return std::accumulate(rejected.begin(), rejected.end(), std::uint64_t{0});
}

std::string RpmaCounters::describe() const {
  if (connections + refused + accepted + rejectedInAll() == 0)
    return {};
  return text("rpma device: ", connections, " connections made, ", refused, " refused, ", accepted,
              " accepted, ", rejectedInAll(), " rejected; ", writes, " writes of ", writtenBytes, " bytes, ",
              reads, " reads of ", readBytes, " bytes, ", flushes, " flushes, ", lookups,
              " directory lookups; private data: requests of ", requestBytesSent, " bytes sent, ",
              requestBytesReceived, " received, replies of ", replyBytesSent, " bytes sent, ",
              replyBytesReceived, " received; ", registrations, " registrations, ", registrationHits,
              " found, ", throttled, " waits for room");
}

} // namespace mpl
