#pragma once

#include "onesided/Transport.h"
#include "onesided/ucx/RmaWorker.h"

#include <ucp/api/ucp.h>

namespace mpl {

/// How UCX itself puts to a target and gets from there: what the common case needs to know of a link, and no
/// more. RmaLock held.
class UcxWay {
public:
  UcxWay() = default;
  /// key: with the peer's endpoint; nullptr where the way leads nowhere.
  UcxWay(RmaPeer& peer, ucp_rkey_h key) : peer_(&peer), key_(key) {}

  bool leads() const noexcept { return key_ != nullptr; }
  ucp_rkey_h key() const noexcept { return key_; }

  // As of TransportLink, where it leads.

  [[gnu::always_inline]] void put(const void* from, std::size_t bytes, std::uint64_t remote,
                                  Pending& pending) const {
    const ucp_ep_h endpoint = peer_->endpoint();
    if (endpoint == nullptr) [[unlikely]]
      return failDead(pending);
    parameters.user_data = &pending;
    take(ucp_put_nbx(endpoint, from, bytes, remote, key_, &parameters));
  }
  [[gnu::always_inline]] void get(void* to, std::size_t bytes, std::uint64_t remote, Pending& pending) const {
    const ucp_ep_h endpoint = peer_->endpoint();
    if (endpoint == nullptr) [[unlikely]]
      return failDead(pending);
    parameters.user_data = &pending;
    take(ucp_get_nbx(endpoint, to, bytes, remote, key_, &parameters));
  }
  void flush(Pending& pending) const {
    parameters.user_data = &pending;
    take(ucp_ep_flush_nbx(peer_->endpoint(), &parameters));
  }

private:
  /// What is the same in all operations; user_data, who waits, changes.
  static ucp_request_param_t parameters;
  static void partDone(void* request, ucs_status_t status, void* pending);
  /// A part for what UCX has not finished, for the one in parameters. Its callback runs in progress(), never
  /// before this.
  [[gnu::always_inline]] static void take(ucs_status_ptr_t status) {
    if (status != nullptr) [[unlikely]]
      takeUnfinished(status);
  }
  static void takeUnfinished(ucs_status_ptr_t status);
  static void failDead(Pending& pending) noexcept;

  RmaPeer* peer_ = nullptr;
  ucp_rkey_h key_ = nullptr;
};

} // namespace mpl
