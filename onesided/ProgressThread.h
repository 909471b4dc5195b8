#pragma once

#include <atomic>
#include <cstdint>
#include <sys/types.h>
#include <thread>

namespace mpl {

/// Executes what others ask of this process's windows while the program computes. It sleeps on the
/// descriptors of the transports, and stays away while a thread of the program waits in MPI and drives
/// progress itself.
class ProgressThread {
public:
  void start();
  void stop() noexcept;

  /// The program drives progress at this moment. Cheap; lock held.
  void noteActivity() noexcept { activity_ = activity_ + 1; }

  /// How often it had something to do, for reports.
  std::uint64_t rounds() const noexcept { return rounds_.load(std::memory_order_relaxed); }

private:
  void run();
  static void atExit();
  /// Until stop(), or `milliseconds` have passed (negative: no limit), or, if asked for, a transport has
  /// work.
  void sleep(int milliseconds, bool withTransports);

  static constexpr unsigned spins = 32;

  std::thread thread_;
  pid_t owner_ = 0;   // a child made by fork() has no such thread
  int stopping_ = -1; // an eventfd
  std::atomic<bool> stop_{false};
  std::uint64_t activity_ = 0;
  std::atomic<std::uint64_t> rounds_{0};
};

/// Never destroyed; stopped when the program exits, with or without MPI_Finalize.
extern ProgressThread& progressThread;

} // namespace mpl
