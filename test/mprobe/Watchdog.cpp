#include "test/mprobe/Watchdog.h"

#include <cstdio>
#include <cstdlib>
#include <sys/prctl.h>
#include <unistd.h>

namespace mprobe {

Watchdog::Watchdog(int rank, int limit) : rank_(rank), limit_(limit) {
  if (limit > 0)
    thread_ = std::thread([this] { run(); });
}

Watchdog::~Watchdog() {
  if (!thread_.joinable())
    return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ended_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Watchdog::watch(const std::string& name, int factor) {
  if (!thread_.joinable())
    return;
  const std::lock_guard<std::mutex> lock(mutex_);
  name_ = name;
  factor_ = factor;
  ++number_;
}

void Watchdog::run() {
  std::unique_lock<std::mutex> lock(mutex_);
  unsigned long seen = 0;
  auto since = std::chrono::steady_clock::now();
  while (!ended_) {
    changed_.wait_for(lock, std::chrono::milliseconds(500));
    const auto now = std::chrono::steady_clock::now();
    if (number_ != seen || name_.empty()) {
      seen = number_;
      since = now;
    } else if (now - since > limit_ * factor_) {
      bark();
    }
  }
}

void Watchdog::bark() const {
  // The debugger is a child of the process that it looks at, which some systems allow only when told.
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  char command[400];
  std::snprintf(
      command, sizeof command,
      "{ echo '# %s does not end; rank %d, process %d:'; "
      "timeout 150 gdb -nx -batch -iex 'set debuginfod enabled off' -ex 'thread apply all backtrace 30' "
      "-p %d 2>/dev/null </dev/null | grep -E '^(Thread|#)'; } >&2",
      name_.c_str(), rank_, static_cast<int>(getpid()), static_cast<int>(getpid()));
  if (std::system(command) != 0)
    std::fprintf(stderr, "# rank %d: no stacks, for gdb could not be run\n", rank_);
  // The other ranks need some time for theirs, and the verdict is rank 0's to print.
  sleep(rank_ == 0 ? 15 : 90);
  if (rank_ == 0) {
    std::printf("case %s fail it does not end\n", name_.c_str());
    std::fflush(stdout);
  }
  _exit(124);
}

} // namespace mprobe
