#pragma once

#include "mpi.h"

namespace mpl::api {

/// Gives the exception being handled to an error handler and returns what the MPI function has to return. An
/// error that knows its communicator (CommunicatorError) goes to that one's handler, others to comm's, or,
/// where comm is no communicator, to that of MPI_COMM_SELF (MPI-5.0, section 9.3).
[[gnu::cold, gnu::noinline]] int report(const char* function, MPI_Comm comm);

/// The same for functions on a session, and on a group that comes from one: to the session's handler. Where
/// there is none, to that of MPI_COMM_SELF.
[[gnu::cold, gnu::noinline]] int report(const char* function, MPI_Session session);
[[gnu::cold, gnu::noinline]] int report(const char* function, MPI_Group group);
/// For functions that make an object and are given its error handler, which is no valid one where they fail.
[[gnu::cold, gnu::noinline]] int reportTo(MPI_Errhandler handler, const char* function, bool ofSession);

/// Runs the body of an MPI function: body() throws mpl::Error or returns. Errors go to the handler of
/// MPI_COMM_SELF. What an error handler of the program throws (in C++) goes through to the caller.
template <class Body> [[gnu::always_inline]] inline int guarded(const char* function, Body&& body) {
  try {
    body();
    return MPI_SUCCESS;
  } catch (...) {
    return report(function, MPI_COMM_SELF);
  }
}

/// The same for functions on a communicator: errors go to its handler.
template <class Body>
[[gnu::always_inline]] inline int guarded(const char* function, MPI_Comm comm, Body&& body) {
  try {
    body();
    return MPI_SUCCESS;
  } catch (...) {
    return report(function, comm);
  }
}

/// The same for functions on a session or a group: see report().
template <class Handle, class Body> int guarded(const char* function, Handle object, Body&& body) {
  try {
    body();
    return MPI_SUCCESS;
  } catch (...) {
    return report(function, object);
  }
}

} // namespace mpl::api

namespace mpl {
using api::guarded;
} // namespace mpl
