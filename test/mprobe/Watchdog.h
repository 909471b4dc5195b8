// Ends a program whose case does not end, after the stacks of all its ranks were printed.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace mprobe {

/// A thread that calls nothing of MPI. When a case lasts longer than the limit, each rank prints the stacks
/// of its threads (by gdb, where it is installed); then rank 0 prints the verdict on the case and ends the
/// process with status 124, which lets the launcher end the others.
class Watchdog {
public:
  /// `limit` is in seconds; 0 means that nothing is watched.
  Watchdog(int rank, int limit);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// The case that begins now, and by how much its limit is longer than that of others. An empty name means
  /// that none is running.
  void watch(const std::string& name, int factor = 1);

private:
  void run();
  void bark() const;

  const int rank_;
  const std::chrono::seconds limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string name_;
  int factor_ = 1;
  unsigned long number_ = 0;
  bool ended_ = false;
  std::thread thread_;
};

} // namespace mprobe
