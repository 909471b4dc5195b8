#include "onesided/RmaProgress.h"

#include "mpl/Config.h"
#include "mpl/Log.h"
#include "onesided/ProgressThread.h"
#include "onesided/Statistics.h"
#include "onesided/Transports.h"
#include "onesided/Window.h"
#include "pt2pt/Endpoints.h"
#include "pt2pt/Runtime.h"

#include <mutex>

namespace mpl {

namespace rmaProgress {

namespace {

/// Waits for messages move windows on too.
class EngineHook final : public ProgressHook {
public:
  bool advance() override {
    RmaLock lock;
    engine.countEvents(poll());
    return false;
  }
};

EngineHook engineHook;
std::mutex usersMutex;
int users = 0; // windows that others reach by messages

void report() {
  std::string line;
  std::string details;
  std::size_t way = 0;
  forEachTransport([&](auto& transport) {
    const std::string one = Statistics::describe(way++, transport.name);
    line += (line.empty() || one.empty() ? "" : "; ") + one;
    if constexpr (requires { transport.details(); })
      if (const std::string more = transport.details(); !more.empty())
        details += "; " + more;
  });
  log::write(text("windows: ", line.empty() ? "no target was accessed" : line, "; ", Statistics::served(),
                  " requests of others served, ", progressThread.rounds(), " times by the progress thread",
                  details));
}

void end() {
  if (const std::string alive = Window::listAlive(); !alive.empty())
    log::warning("MPI_Finalize: windows were never freed: ", alive);
  if (Config::get().flag(Setting::stats))
    report();
  progressThread.stop();
}

} // namespace

unsigned poll() {
  unsigned events = 0;
  forEachTransport([&](auto& transport) { events += transport.progress(); });
  progressThread.noteActivity();
  return events;
}

void prepare() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (Config::get().flag(Setting::stats))
      Statistics::enable();
    runtime.setEnding(end);
  });
}

void start() {
  const std::lock_guard<std::mutex> guard(usersMutex);
  if (!isRunning()) {
    // Before the worker, which makes known what they publish, and before the progress thread.
    forEachTransport([](auto& transport) {
      if constexpr (requires { transport.start(); })
        transport.start();
    });
    rmaWorker.start();
    RmaLock::makeReal();
  }
  progressThread.start();
  if (++users == 1) {
    EngineLock lock;
    engine.addHook(engineHook);
  }
}

void leave() noexcept {
  const std::lock_guard<std::mutex> guard(usersMutex);
  if (--users == 0 && engine.isRunning()) {
    EngineLock lock;
    engine.removeHook(engineHook);
  }
}

bool isRunning() noexcept {
  return rmaWorker.isRunning();
}

void restOf(const Window& window, int rank) {
  EngineLock lock;
  engine.progress();
  if (rmaWorker.hasFailures()) {
    std::vector<ProcessId> failures;
    {
      RmaLock rma;
      failures = rmaWorker.takeFailures();
    }
    for (ProcessId process : failures)
      endpoints.noteFailure(process, "does not answer any more");
  }
  if (endpoints.deadCount() == 0)
    return;
  {
    RmaLock rma;
    for (const Endpoints::Death& death : endpoints.deaths()) {
      const ProcessId process = death.process;
      rmaWorker.markDead(process);
      forEachTransport([process](auto& transport) {
        if constexpr (requires { transport.markDead(process); })
          transport.markDead(process);
      });
    }
  }
  window.comm().checkAlive(rank);
}

} // namespace rmaProgress
} // namespace mpl
