#pragma once

#include "config.h"
#include "onesided/cma/CmaTransport.h"
#include "onesided/shm/ShmTransport.h"
#include "onesided/ucx/UcxTransport.h"
#ifdef HAVE_RPMA
#include "onesided/rpma/RpmaTransport.h"
#endif

#include <array>
#include <memory>
#include <string>
#include <tuple>
#include <variant>

namespace mpl {

/// All transports, in the order in which they are tried: the place to add one.
#ifdef HAVE_RPMA
inline auto allTransports() {
  return std::tie(shmTransport, cmaTransport, rpmaTransport, ucxTransport);
}
#else
inline auto allTransports() {
  return std::tie(shmTransport, cmaTransport, ucxTransport);
}
#endif

constexpr std::size_t transportCount = std::tuple_size_v<decltype(allTransports())>;

/// One of them, by its place in allTransports().
using TransportId = std::size_t;

template <class Tuple> struct LinksOf;
template <class... Transports> struct LinksOf<std::tuple<Transports&...>> {
  using Any = std::variant<std::monostate, std::unique_ptr<typename Transports::Link>...>;
};

/// The way to one target, once one is chosen. The index is that of the transport plus 1.
using AnyLink = LinksOf<decltype(allTransports())>::Any;

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
  TransportId at = 0;
  forEachTransport([&](auto& transport) {
    if (at++ == id)
      visit(transport);
  });
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
