#include "onesided/RmaProgress.h"

#include "onesided/ProgressThread.h"
#include "onesided/Transports.h"
#include "onesided/Window.h"
#include "pt2pt/Endpoints.h"
#include "pt2pt/Runtime.h"

#include <optional>

namespace mpl {

namespace rmaProgress {

namespace {

/// Waits for messages move windows on too.
class EngineHook final : public ProgressHook {
public:
  bool advance() override {
    RmaLock lock;
    poll();
    return false;
  }
};

EngineHook engineHook;

} // namespace

unsigned poll() {
  unsigned events = 0;
  forEachTransport([&](auto& transport) { events += transport.progress(); });
  progressThread.noteActivity();
  return events;
}

void start() {
  if (isRunning())
    return;
  rmaWorker.start();
  runtime.setEnding([](bool force) { stop(force); });
  {
    EngineLock lock;
    engine.addHook(engineHook);
  }
  RmaLock::makeReal();
  progressThread.start();
}

bool isRunning() noexcept {
  return rmaWorker.isRunning();
}

void stop(bool force) noexcept {
  progressThread.stop();
  if (engine.isRunning()) {
    EngineLock lock;
    engine.removeHook(engineHook);
  }
  rmaWorker.stop(force);
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
      endpoints.markDead(process, "does not answer any more");
  }
  if (endpoints.deadCount() == 0)
    return;
  {
    RmaLock rma;
    for (ProcessId process : endpoints.dead())
      rmaWorker.markDead(process);
  }
  window.comm().checkAlive(rank);
}

} // namespace rmaProgress
} // namespace mpl
