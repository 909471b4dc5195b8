#include "onesided/Transports.h"

#include "mpl/Config.h"

#include <algorithm>

namespace mpl {

std::array<TransportId, transportCount> transportOrder() {
  std::array order{TransportId::shm, TransportId::cma, TransportId::ucx};
  const std::string& first = Config::get().word(Setting::onesided);
  const auto found =
      std::find_if(order.begin(), order.end(), [&](TransportId id) { return transportName(id) == first; });
  if (found != order.end())
    std::rotate(order.begin(), found, found + 1);
  return order;
}

const char* transportName(TransportId id) noexcept {
  switch (id) {
  case TransportId::shm:
    return ShmTransport::name;
  case TransportId::cma:
    return CmaTransport::name;
  case TransportId::ucx:
    return UcxTransport::name;
  }
  return "";
}

} // namespace mpl
