#pragma once

#include "config.h"
#include "onesided/shm/ShmTransport.h"
#include "onesided/ucx/UcxTransport.h"
#ifdef HAVE_RPMA
#include "onesided/rpma/RpmaTransport.h"
#endif

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>
#include <variant>

namespace mpl {

#ifdef HAVE_RPMA

/// All transports, in the order in which they are tried. A new one is added here and in TransportId.
inline std::tuple<ShmTransport&, RpmaTransport&, UcxTransport&> allTransports() {
  return {shmTransport, rpmaTransport, ucxTransport};
}

enum class TransportId : std::uint8_t { shm, rpma, ucx };
constexpr std::array transportIds{TransportId::shm, TransportId::rpma, TransportId::ucx};

/// The way to one target, once one is chosen. The index is that of the transport plus 1.
using AnyLink = std::variant<std::monostate, std::unique_ptr<ShmLink>, std::unique_ptr<RpmaLink>,
                             std::unique_ptr<UcxLink>>;

#else

inline std::tuple<ShmTransport&, UcxTransport&> allTransports() {
  return {shmTransport, ucxTransport};
}

enum class TransportId : std::uint8_t { shm, ucx };
constexpr std::array transportIds{TransportId::shm, TransportId::ucx};

using AnyLink = std::variant<std::monostate, std::unique_ptr<ShmLink>, std::unique_ptr<UcxLink>>;

#endif

constexpr std::size_t transportCount = transportIds.size();

/// The order in which this process tries them: MPL_ONESIDED first.
std::array<TransportId, transportCount> transportOrder();

/// Whether MPL_ONESIDED asks for a way by messages between processes, of one node too: nothing is shared
/// then.
bool isSharingAvoided();

const char* transportName(TransportId id) noexcept;

template <class Visit> void forEachTransport(Visit&& visit) {
  std::apply([&](auto&... transports) { (visit(transports), ...); }, allTransports());
}

/// visit(transport) for one of them.
template <class Visit> void withTransport(TransportId id, Visit&& visit) {
  switch (id) {
  case TransportId::shm:
    return visit(shmTransport);
#ifdef HAVE_RPMA
  case TransportId::rpma:
    return visit(rpmaTransport);
#endif
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
