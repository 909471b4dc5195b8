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
constexpr auto shortestSleep = 20us;
constexpr auto longestSleep = 1ms;
constexpr auto beforeFirstHealthCheck = 20ms;

} // namespace

void checkPeersNow() {
  runtime.checkPeers();
}

void Backoff::rest() {
  spinsLeft_ = runtime.oversubscribed() ? 8 : firstSpins;
  const unsigned turn = rests_++;
  if (turn == 0) {
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
