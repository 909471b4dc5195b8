#include "onesided/rpma/RpmaDevice.h"

#include "mpl/Error.h"
#include "mpl/Log.h"

#include <arpa/inet.h>
#include <array>
#include <filesystem>
#include <ifaddrs.h>
#include <net/if.h>
#include <vector>

namespace mpl {

namespace {

// Without it librpma makes no connections. (/sys shows the devices to the first network namespace only.)
bool anyDevice() {
  std::error_code error;
  return std::filesystem::exists("/dev/infiniband/rdma_cm", error);
}

/// The addresses of this host, IPv4 first; loopback and link-local ones lead nowhere.
std::vector<std::string> ownAddresses() {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0)
    return {};
  std::vector<std::string> found;
  for (const int family : {AF_INET, AF_INET6})
    for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
      if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != family || (one->ifa_flags & IFF_UP) == 0 ||
          (one->ifa_flags & IFF_LOOPBACK) != 0)
        continue;
      const void* address = &reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr;
      if (family == AF_INET6) {
        const in6_addr& six = reinterpret_cast<const sockaddr_in6*>(one->ifa_addr)->sin6_addr;
        if (IN6_IS_ADDR_LINKLOCAL(&six))
          continue;
        address = &six;
      }
      std::array<char, INET6_ADDRSTRLEN> name{};
      if (inet_ntop(family, address, name.data(), name.size()) != nullptr)
        found.emplace_back(name.data());
    }
  freeifaddrs(list);
  return found;
}

} // namespace

std::unique_ptr<RpmaDevice> RpmaDevice::open(std::string& why) {
  if (!anyDevice()) {
    why = "there is no RDMA device";
    return nullptr;
  }
  // What fails is told by us, where it matters.
  if (!log::enabled(log::Level::debug))
    rpma_log_set_threshold(RPMA_LOG_THRESHOLD, RPMA_LOG_DISABLED);
  why = "no IP address of this host belongs to an RDMA device";
  for (std::string& address : ownAddresses()) {
    ibv_context* context = nullptr;
    rpma_peer* peer = nullptr;
    if (rpma_utils_get_ibv_context(address.c_str(), RPMA_UTIL_IBV_CONTEXT_LOCAL, &context) != 0)
      continue;
    if (const int error = rpma_peer_new(context, &peer); error != 0) {
      why = text("the RDMA device at ", address, " cannot be used: ", rpma_err_2str(error));
      continue;
    }
    return std::unique_ptr<RpmaDevice>(new RpmaDevice(peer, std::move(address)));
  }
  return nullptr;
}

RpmaDevice::~RpmaDevice() {
  rpma_peer_delete(&peer_);
}

std::unique_ptr<RpmaMemory> RpmaMemory::enter(RpmaDevice& device, void* base, std::size_t bytes, int usage) {
  rpma_mr_local* region = nullptr;
  if (rpma_mr_reg(device.peer(), base, bytes, usage, &region) != 0)
    return nullptr;
  return std::unique_ptr<RpmaMemory>(new RpmaMemory(region));
}

} // namespace mpl
