#pragma once

#include <csignal>
#include <initializer_list>

namespace mpl {

/// While it lives, signals from outside wait: those that the calling thread would get, and for ever those
/// that threads made meanwhile would get. Libraries' own threads must not run the program's signal handlers,
/// and a process that is ended while a library makes files would leave them behind. Faults of the thread
/// itself (SIGSEGV and such) are not held.
class SignalsHeld {
public:
  SignalsHeld() noexcept {
    sigset_t held;
    sigfillset(&held);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS})
      sigdelset(&held, own);
    pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

private:
  sigset_t before_{};
};

} // namespace mpl
