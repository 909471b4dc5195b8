#pragma once

#include "onesided/cma/CmaTransport.h"
#include "onesided/shm/ShmTransport.h"
#include "onesided/ucx/UcxTransport.h"

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>
#include <variant>

namespace mpl {

/// All transports, in the order in which they are tried. A new one is added here and in TransportId.
inline std::tuple<ShmTransport&, CmaTransport&, UcxTransport&> allTransports() {
  return {shmTransport, cmaTransport, ucxTransport};
}

enum class TransportId : std::uint8_t { shm, cma, ucx };
constexpr std::size_t transportCount = 3;

/// The way to one target, once one is chosen. The index is that of the transport plus 1.
using AnyLink = std::variant<std::monostate, std::unique_ptr<ShmLink>, std::unique_ptr<CmaLink>,
                             std::unique_ptr<UcxLink>>;

/// The order in which this process tries them: MPL_ONESIDED first.
std::array<TransportId, transportCount> transportOrder();

const char* transportName(TransportId id) noexcept;

template <class Visit> void forEachTransport(Visit&& visit) {
  std::apply([&](auto&... transports) { (visit(transports), ...); }, allTransports());
}

/// visit(transport) for one of them.
template <class Visit> void withTransport(TransportId id, Visit&& visit) {
  switch (id) {
  case TransportId::shm:
    return visit(shmTransport);
  case TransportId::cma:
    return visit(cmaTransport);
  case TransportId::ucx:
    return visit(ucxTransport);
  }
}

/// visit(link) where there is one.
template <class Visit> void withLink(AnyLink& link, Visit&& visit) {
  std::visit(
      [&](auto& owned) {
        if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(owned)>, std::monostate>)
          visit(*owned);
      },
      link);
}

} // namespace mpl
