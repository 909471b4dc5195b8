#pragma once

#include <csignal>
#include <functional>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mpl {

/// A child process that sleeps until it is killed, or does what it is given; killed and reaped at the end.
class Child {
public:
  explicit Child(const std::function<int()>& work = {}) {
    pid_ = ::fork();
    if (pid_ != 0)
      return;
    if (work)
      ::_exit(work());
    while (true)
      ::pause();
  }
  ~Child() {
    if (pid_ > 0 && !reaped_) {
      ::kill(pid_, SIGKILL);
      reap();
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }
  void kill() const { ::kill(pid_, SIGKILL); }
  /// Waits until it has ended, and leaves it unreaped.
  void awaitZombie() const {
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
  }
  /// The exit status, or 128 + the signal.
  int reap() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    reaped_ = true;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

private:
  pid_t pid_;
  bool reaped_ = false;
};

} // namespace mpl
