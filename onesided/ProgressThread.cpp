#include "onesided/ProgressThread.h"

#include "bootstrap/SignalsHeld.h"
#include "onesided/RmaLock.h"
#include "onesided/Transports.h"
#include "onesided/ucx/RmaWorker.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace mpl {

ProgressThread& progressThread = *new ProgressThread;

void ProgressThread::start() {
  if (thread_.joinable())
    return;
  stopping_ = ::eventfd(0, EFD_CLOEXEC);
  stop_.store(false);
  if (std::exchange(owner_, ::getpid()) == 0)
    std::atexit(atExit);
  const SignalsHeld signals; // they are for the threads of the program
  thread_ = std::thread([this] { run(); });
}

void ProgressThread::stop() noexcept {
  if (!thread_.joinable() || owner_ != ::getpid())
    return;
  stop_.store(true);
  const std::uint64_t one = 1;
  while (::write(stopping_, &one, sizeof one) < 0 && errno == EINTR)
    ;
  thread_.join();
  ::close(stopping_);
  stopping_ = -1;
}

void ProgressThread::atExit() {
  // UCX takes itself down next, and must not be at work then.
  progressThread.stop();
}

void ProgressThread::sleep(int milliseconds, bool withTransports) {
  std::vector<pollfd> descriptors{{stopping_, POLLIN, 0}};
  if (withTransports)
    forEachTransport([&](auto& transport) {
      if (const int descriptor = transport.wakeDescriptor(); descriptor >= 0)
        descriptors.push_back({descriptor, POLLIN, 0});
    });
  ::poll(descriptors.data(), descriptors.size(), milliseconds);
}

void ProgressThread::run() {
  // How often to look while the program drives progress itself.
  constexpr int away = 1;
  std::uint64_t seen = 0;
  unsigned quiet = 0;
  while (!stop_.load()) {
    bool othersAtWork = false;
    bool armed = false;
    unsigned events = 0;
    bool polling = false;
    {
      RmaLock lock;
      othersAtWork = activity_ != seen;
      seen = activity_;
      if (!othersAtWork) {
        forEachTransport([&](auto& transport) { events += transport.progress(); });
        polling = rmaWorker.needsPolling();
        quiet = events != 0 ? 0 : quiet + 1;
        // An answer often brings the next question: some more turns before going to sleep.
        if (quiet > spins && !polling) {
          armed = true;
          forEachTransport([&](auto& transport) { armed = armed && transport.armed(); });
        }
      }
    }
    if (events != 0)
      rounds_.fetch_add(1, std::memory_order_relaxed);
    if (othersAtWork || (polling && quiet > spins))
      sleep(away, false);
    else if (armed)
      sleep(-1, true);
    else
      std::this_thread::yield();
  }
}

} // namespace mpl
