#pragma once

#include <librpma.h>

#include <memory>
#include <string>

namespace mpl {

/// The RDMA device of this process: the first with an IP address that is up. Thread-safe as librpma's peers
/// are: connections may be made by several threads at once.
class RpmaDevice {
public:
  /// Nothing where there is none or it cannot be used; why: says so. Cheap where there is none.
  static std::unique_ptr<RpmaDevice> open(std::string& why);
  ~RpmaDevice();
  RpmaDevice(const RpmaDevice&) = delete;
  RpmaDevice& operator=(const RpmaDevice&) = delete;

  rpma_peer* peer() const noexcept { return peer_; }
  const std::string& address() const noexcept { return address_; }

private:
  RpmaDevice(rpma_peer* peer, std::string address) : peer_(peer), address_(std::move(address)) {}

  rpma_peer* peer_;
  std::string address_;
};

/// Memory registered with the device, for as long as it lives.
class RpmaMemory {
public:
  /// Nothing where the device does not take it (the limit of locked memory, for one).
  static std::unique_ptr<RpmaMemory> enter(RpmaDevice& device, void* base, std::size_t bytes, int usage);
  ~RpmaMemory() { rpma_mr_dereg(&region_); }
  RpmaMemory(const RpmaMemory&) = delete;
  RpmaMemory& operator=(const RpmaMemory&) = delete;

  rpma_mr_local* region() const noexcept { return region_; }

private:
  explicit RpmaMemory(rpma_mr_local* region) : region_(region) {}
  rpma_mr_local* region_;
};

} // namespace mpl
