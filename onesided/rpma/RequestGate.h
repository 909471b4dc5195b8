#pragma once

#include "onesided/rpma/PrivateData.h"

#include <unordered_map>

namespace mpl {

/// Decides whether a request may come in: for this job, for this process, from a member, and never seen
/// before. Remembers one number for each process that has connected.
class RequestGate {
public:
  RequestGate(const Secret& secret, std::uint64_t job, std::uint32_t self, std::uint32_t jobSize)
      : secret_(secret), job_(job), self_(self), jobSize_(jobSize) {}

  /// hasWindow(id): whether that window is there. A request that a member has made counts as used, whatever
  /// comes of it.
  template <class HasWindow>
  Refusal judge(std::span<const std::byte> data, ConnectRequest& request, HasWindow&& hasWindow) {
    const Refusal refusal = check(data, request);
    if (refusal != Refusal::none)
      return refusal;
    lastNonces_[request.origin] = request.nonce;
    return hasWindow(request.window) ? Refusal::none : Refusal::window;
  }

private:
  Refusal check(std::span<const std::byte> data, ConnectRequest& request) const {
    if (const Refusal refusal = parseRequest(data, secret_, request); refusal != Refusal::none)
      return refusal;
    if (request.job != job_)
      return Refusal::job;
    if (request.target != self_)
      return Refusal::target;
    if (request.origin >= jobSize_)
      return Refusal::origin;
    const auto last = lastNonces_.find(request.origin);
    if (request.nonce == 0 || (last != lastNonces_.end() && request.nonce <= last->second))
      return Refusal::replayed;
    return Refusal::none;
  }

  Secret secret_;
  std::uint64_t job_;
  std::uint32_t self_;
  std::uint32_t jobSize_;
  std::unordered_map<std::uint32_t, std::uint64_t> lastNonces_;
};

} // namespace mpl
