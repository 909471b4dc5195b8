#include "onesided/WindowVariables.h"

#include "config.h"
#include "mpl/Error.h"
#include "onesided/ProgressThread.h"
#include "onesided/Statistics.h"
#include "onesided/Transports.h"
#include "onesided/Window.h"
#ifdef HAVE_RPMA
#include "onesided/rpma/RpmaCounters.h"
#endif

namespace mpl {

namespace {

struct CounterRow {
  Statistics::Counter counter;
  const char* name;
  const char* meaning;
  PerformanceVariable::Kind kind;
};

using Kind = PerformanceVariable::Kind;

constexpr std::array rows{
    CounterRow{Statistics::Counter::connections, "connections", "ways to a target of a window that were made",
               Kind::counter},
    CounterRow{Statistics::Counter::puts, "puts", "calls that put", Kind::counter},
    CounterRow{Statistics::Counter::putBytes, "put_bytes", "bytes that were put", Kind::aggregate},
    CounterRow{Statistics::Counter::gets, "gets", "calls that get", Kind::counter},
    CounterRow{Statistics::Counter::getBytes, "get_bytes", "bytes that were got", Kind::aggregate},
    CounterRow{Statistics::Counter::updates, "updates", "accumulates and their kin", Kind::counter},
    CounterRow{Statistics::Counter::updateBytes, "update_bytes", "bytes that these changed or fetched",
               Kind::aggregate},
};
static_assert(rows.size() == Statistics::counters);

PerformanceVariable variableOf(const CounterRow& row, std::size_t way, const std::string& transport) {
  return {text("windows_", transport, "_", row.name), text(row.meaning, " over ", transport), row.kind,
          [way, counter = row.counter] { return Statistics::value(way, counter); },
          [] { Window::countAccesses(); }};
}

} // namespace

VariableCategory windowVariables() {
  VariableCategory all{"windows", "one-sided communication", {}, {}};
  all.variables.push_back({"windows_served", "requests of other processes that were executed here",
                           Kind::counter, [] { return Statistics::served(); },
                           [] { Window::countAccesses(); }});
  all.variables.push_back({"windows_progress_rounds",
                           "how often the progress thread of windows found something to do", Kind::counter,
                           [] { return progressThread.rounds(); }});
  std::size_t way = 0;
  forEachTransport([&](auto& transport) {
    const std::string name = transport.name;
    VariableCategory one{"windows_" + name, "one-sided communication over " + name, {}, {}};
    for (const CounterRow& row : rows)
      one.variables.push_back(variableOf(row, way, name));
    all.parts.push_back(std::move(one));
    ++way;
  });
#ifdef HAVE_RPMA
  all.parts.push_back(rpmaVariables());
#endif
  return all;
}

} // namespace mpl
