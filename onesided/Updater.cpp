#include "onesided/Updater.h"

#include "bootstrap/ProcessIdentity.h"
#include "pt2pt/CpuPause.h"

#include <algorithm>
#include <chrono>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace mpl {

namespace {

using Clock = std::chrono::steady_clock;

// The time of an atomic instruction on 8 bytes, about.
constexpr std::chrono::nanoseconds instruction{6};
// How many single elements, one after the other, make a part go back to instructions.
constexpr std::uint64_t manySingles = 4096;
constexpr std::uint64_t never = ~std::uint64_t{0};

// How many instructions the fence in all threads is worth. It takes a fraction of a millisecond to some tens
// of them, which is measured when it is done.
std::atomic<std::uint64_t> priceOfFence{100'000};

/// Every thread of the system has been through a fence when this returns; false where that cannot be had.
bool fenceEverywhere() noexcept {
  const Clock::time_point begin = Clock::now();
  if (::syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) != 0) {
    priceOfFence.store(never, std::memory_order_relaxed);
    return false;
  }
  const auto taken = static_cast<std::uint64_t>((Clock::now() - begin) / instruction);
  priceOfFence.store(std::max<std::uint64_t>(taken, 10'000), std::memory_order_relaxed);
  return true;
}

} // namespace

bool SharedLock::pause(unsigned& turns) noexcept {
  // Held for microseconds, unless its holder was put aside.
  constexpr unsigned yieldEvery = 64;
  constexpr unsigned lookEvery = yieldEvery * 1024;
  ++turns;
  if (turns % yieldEvery == 0)
    sched_yield();
  else
    cpuPause();
  return turns % lookEvery == 0;
}

std::uint64_t Updater::worthTurning() noexcept {
  return priceOfFence.load(std::memory_order_relaxed);
}

bool Updater::enterLocked(UpdateGate& gate) const noexcept {
  for (;;) {
    unmark();
    take(gate.lock);
    if (gate.isLocked.load(std::memory_order_relaxed))
      return true;
    gate.lock.release();
    mark();
    if (!gate.isLocked.load(std::memory_order_acquire))
      return false;
  }
}

void Updater::turnToLock(UpdateGate& gate) const noexcept {
  take(gate.lock);
  if (!gate.isLocked.load(std::memory_order_relaxed)) {
    gate.isLocked.store(true);
    if (fenceEverywhere())
      waitForOthers();
    else
      gate.isLocked.store(false, std::memory_order_release);
    gate.singles = 0;
    gate.excess.store(0, std::memory_order_relaxed);
  }
  gate.lock.release();
}

void Updater::waitForOthers() const noexcept {
  for (std::size_t member = 0; member < count_; ++member) {
    unsigned turns = 0;
    for (const auto* mark : {&blocks_[member].mark.program, &blocks_[member].mark.service})
      while (mark->load(std::memory_order_acquire) != 0)
        if (SharedLock::pause(turns) && hasEnded(static_cast<std::uint32_t>(member)))
          break;
  }
}

void Updater::countSingle(UpdateGate& gate) const noexcept {
  if (++gate.singles < manySingles)
    return;
  gate.singles = 0;
  gate.isLocked.store(false, std::memory_order_release);
}

bool Updater::hasEnded(std::uint32_t member) const noexcept {
  const std::int64_t process = blocks_[member].process;
  if (process == 0)
    return false;
  const auto state = processState(static_cast<pid_t>(process));
  return !state || state->hasEnded();
}

} // namespace mpl
