#include "onesided/Statistics.h"

#include "mpl/Error.h"

namespace mpl {

constinit std::array<std::array<std::atomic<std::uint64_t>, Statistics::counters>, Statistics::ways>
    Statistics::values_{};

std::string Statistics::describe(std::size_t way, const char* name) {
  const auto of = [way](Counter what) { return value(way, what); };
  const std::uint64_t connections = of(Counter::connections);
  if (connections == 0)
    return {};
  return text(name, ": ", connections, connections == 1 ? " connection, " : " connections, ",
              of(Counter::puts), " puts of ", of(Counter::putBytes), " bytes, ", of(Counter::gets),
              " gets of ", of(Counter::getBytes), " bytes, ", of(Counter::updates), " atomic operations on ",
              of(Counter::updateBytes), " bytes");
}

} // namespace mpl
