#pragma once

#include <ucp/api/ucp.h>

#include <cstdint>

namespace mpl {

class Lane;

/// The way of messages between this process and another: a lane through memory of the node, or UCX. Both
/// sides of a pair choose alike. Plain bits, so that a table of them can start as zeros.
class Route {
public:
  /// Not chosen yet.
  constexpr Route() noexcept = default;
  static Route through(Lane& lane) noexcept { return Route(reinterpret_cast<std::uintptr_t>(&lane) | 1); }
  static Route through(ucp_ep_h endpoint) noexcept {
    return Route(reinterpret_cast<std::uintptr_t>(endpoint));
  }
  /// UCX it is, and nothing was sent so far.
  static constexpr Route unconnected() noexcept { return Route(2); }

  bool isKnown() const noexcept { return bits_ != 0; }
  /// Whether a message can be sent right away.
  bool isConnected() const noexcept { return bits_ > 2; }
  bool isLane() const noexcept { return (bits_ & 1) != 0; }
  /// Of a lane.
  Lane& lane() const noexcept { return *reinterpret_cast<Lane*>(bits_ - 1); }
  /// Of one that is connected and no lane.
  ucp_ep_h endpoint() const noexcept { return reinterpret_cast<ucp_ep_h>(bits_); }

private:
  explicit constexpr Route(std::uintptr_t bits) noexcept : bits_(bits) {}

  std::uintptr_t bits_ = 0;
};

} // namespace mpl
