#pragma once

#include "onesided/Transport.h"
#include "onesided/ucx/MessageLink.h"
#include "onesided/ucx/UcxWay.h"

#include <ucp/api/ucp.h>

#include <memory>
#include <unordered_map>
#include <vector>

namespace mpl {

/// A window at a target over UCX: puts and gets by UCX with the key that the target gave at the first access;
/// by messages where the memory is the target's own affair (dynamic windows).
class UcxLink {
public:
  UcxLink(RmaPeer& peer, std::uint32_t window, bool dynamic);
  ~UcxLink();
  UcxLink(const UcxLink&) = delete;
  UcxLink& operator=(const UcxLink&) = delete;

  LinkState state();
  const RemoteWindow& remote() const noexcept { return remote_; }
  void put(const void* from, std::uint64_t remote, std::size_t bytes, Pending& pending);
  void get(void* to, std::uint64_t remote, std::size_t bytes, Pending& pending);
  void flush(Pending& pending);

  /// How UCX itself puts and gets there, once it is ready: leads nowhere where it goes by messages.
  const UcxWay& way() const noexcept { return way_; }

private:
  RmaPeer& peer_;
  UcxWay way_;
  RemoteWindow remote_;
  MessageLink messages_;
  std::vector<std::byte> description_;
  Pending describing_;
  LinkState state_ = LinkState::connecting;
};

class UcxTransport {
public:
  using Link = UcxLink;
  static constexpr const char* name = "ucx";

  void opened(Window&) {}
  void closing(Window& window) noexcept;
  bool leadsTo(const Window&, int) const noexcept { return true; }
  std::unique_ptr<UcxLink> connect(Window& window, int rank);
  unsigned progress() { return rmaWorker.isRunning() ? rmaWorker.progress() : 0; }
  int wakeDescriptor() const noexcept { return rmaWorker.wakeDescriptor(); }
  bool armed() noexcept { return !rmaWorker.isRunning() || rmaWorker.armed(); }

  /// What an origin needs of UCX's for the window's memory here; registers the memory at the first call.
  /// Empty where there is none to register.
  std::span<const std::byte> keyOf(Window& window);

private:
  struct Registered {
    ucp_mem_h memory = nullptr;
    std::vector<std::byte> key;
  };
  std::unordered_map<const Window*, Registered> registered_;
};

/// Never destroyed, see rmaWorker.
extern UcxTransport& ucxTransport;

} // namespace mpl
