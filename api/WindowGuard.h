#pragma once

#include "api/Guard.h"
#include "onesided/Window.h"

namespace mpl::api {

/// As report(), for functions on a window: errors go to its handler, or, where win is no window, to that of
/// MPI_COMM_SELF.
[[gnu::cold, gnu::noinline]] int reportOn(const char* function, MPI_Win win);

/// Runs the body of an MPI function on a window.
template <class Body>
[[gnu::always_inline]] inline int guardedOn(const char* function, MPI_Win win, Body&& body) {
  try {
    body(windowOf(win));
    return MPI_SUCCESS;
  } catch (...) {
    return reportOn(function, win);
  }
}

} // namespace mpl::api
