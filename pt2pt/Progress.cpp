#include "pt2pt/Progress.h"

#include "pt2pt/Runtime.h"

#include <algorithm>
#include <sched.h>
#include <thread>

namespace mpl {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// How long a wait without news yields before it sleeps. With a processor for each rank nothing is gained by
// sleeping early; without, every turn of a waiting rank is taken from one that has work.
Clock::duration yieldTime() {
  return runtime.oversubscribed() ? Clock::duration(500us) : 200ms;
}
constexpr unsigned patientSpins = 2000;
constexpr auto shortestSleep = 20us;
constexpr auto longestSleep = 1ms;
constexpr auto beforeFirstHealthCheck = 20ms;

} // namespace

void checkPeersNow() {
  runtime.checkPeers();
}

void Backoff::rest() {
  const unsigned turn = rests_++;
  if (!runtime.oversubscribed() && !engineMutex.contended()) {
    // Nobody waits for this processor or for the engine: the answer of a peer on a distant core takes longer
    // than the first spins, and a system call longer still.
    spinsLeft_ = patientSpins;
    if (turn == 0)
      return;
  } else {
    spinsLeft_ = runtime.oversubscribed() ? 8 : firstSpins;
  }
  if (turn <= 1) {
    since_ = Clock::now();
    sched_yield();
    return;
  }
  const auto waited = Clock::now() - since_;
  if (waited > beforeFirstHealthCheck)
    runtime.checkPeers();
  if (waited < yieldTime()) {
    sched_yield();
    return;
  }
  // The longer nothing came, the less a late wake-up matters: sleep for a hundredth of the time waited.
  const auto nap = std::clamp<Clock::duration>(waited / 100, shortestSleep, longestSleep);
  std::this_thread::sleep_for(nap);
}

} // namespace mpl
