#pragma once

#include "api/Checks.h"
#include "api/WindowGuard.h"
#include "onesided/Rma.h"

#include <string_view>

/// Arguments of communication calls on windows, checked.
namespace mpl::api {

/// Runs a check, in whose error the argument gets the name that the function's argument list gives it: what
/// (origin, result, target) with this ending.
template <class Check> decltype(auto) named(std::string_view what, const char* ending, Check&& check) {
  try {
    return check();
  } catch (const Error& error) {
    throw Error(error.errorClass(), text(what, ending, ": ", error.message()));
  }
}

/// Errors: MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_BUFFER; name: of the count in the function's argument list.
inline rma::Local localData(const void* buffer, MPI_Count count, MPI_Datatype type, const char* name) {
  const std::string_view what = std::string_view(name).substr(0, std::string_view(name).find('_'));
  const Datatype& datatype =
      named(what, "_datatype", [&]() -> const Datatype& { return committedDatatypeOf(type); });
  checkCount(count, name);
  named(what, "_addr", [&] { checkedBuffer(buffer, count, datatype); });
  return {const_cast<void*>(buffer), count, &datatype};
}

inline rma::Remote remoteData(int rank, MPI_Aint disp, MPI_Count count, MPI_Datatype type) {
  const Datatype& datatype =
      named("target", "_datatype", [&]() -> const Datatype& { return committedDatatypeOf(type); });
  checkCount(count, "target_count");
  return {rank, disp, count, &datatype};
}

/// Origin of an operation that fetches: nothing for MPI_NO_OP, which ignores it.
inline rma::Local operandData(const void* buffer, MPI_Count count, MPI_Datatype type, const Op& op) {
  return op.kind() == Op::Kind::noOp ? rma::Local{} : localData(buffer, count, type, "origin_count");
}

/// Runs the body of a call with a request: gives it what the request will stand for.
template <class Start>
int requested(const char* function, MPI_Win win, int rank, MPI_Request* request, Start&& start) {
  return guardedOn(function, win, [&](Window& window) {
    checkPointer(request, "request");
    if (rank == MPI_PROC_NULL) {
      *request = completedNothing;
      return;
    }
    *request = rma::withRequest(window, rank, function,
                                [&](const rma::Tracked& tracked) { start(window, tracked); });
  });
}

} // namespace mpl::api
