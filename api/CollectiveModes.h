#pragma once

#include "api/Checks.h"
#include "api/CollectiveArguments.h"
#include "api/Guard.h"

/// The three ways to run a collective, as bodies of the C functions. make() checks the arguments and gives
/// the call.
namespace mpl::api {

template <class Make> int blocking(const char* function, MPI_Comm comm, Make&& make) {
  return guarded(function, comm, [&] { run(make()); });
}

template <class Make>
int nonBlocking(const char* function, MPI_Comm comm, MPI_Request* request, Make&& make) {
  return guarded(function, comm, [&] {
    checkPointer(request, "request");
    *request = start(make());
  });
}

/// info: no hints are known, but it has to be an info object.
template <class Make>
int persistent(const char* function, MPI_Comm comm, MPI_Info info, MPI_Request* request, Make&& make) {
  return guarded(function, comm, [&] {
    checkPointer(request, "request");
    infoOrNull(info);
    *request = makePersistent(make());
  });
}

} // namespace mpl::api
