#include "onesided/Transports.h"

#include "mpl/Config.h"
#include "mpl/Log.h"

#include <algorithm>
#include <numeric>

namespace mpl {

std::array<TransportId, transportCount> transportOrder() {
  std::array<TransportId, transportCount> order{};
  std::iota(order.begin(), order.end(), TransportId{0});
  const std::string& first = Config::get().word(Setting::onesided);
  const auto found =
      std::find_if(order.begin(), order.end(), [&](TransportId id) { return transportName(id) == first; });
  if (found != order.end())
    std::rotate(order.begin(), found, found + 1);
  else if (first == "rpma")
    log::warning("MPL_ONESIDED=rpma: this library was built without librpma; windows go other ways");
  return order;
}

bool isSharingAvoided() {
  const std::string& first = Config::get().word(Setting::onesided);
  return first == "ucx" || first == "rpma";
}

const char* transportName(TransportId id) noexcept {
  const char* name = "";
  withTransport(id, [&](auto& transport) { name = transport.name; });
  return name;
}

} // namespace mpl
