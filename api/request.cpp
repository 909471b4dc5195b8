// Completion of requests: MPI-5.0, sections 3.7.3 to 3.7.6, 3.8.4 and 3.9.
//
// Null and inactive requests complete at once with the empty status. Calls that complete one operation leave
// the status's MPI_ERROR alone and return its error; calls that complete several return MPI_ERR_IN_STATUS
// when one failed and then set every MPI_ERROR. Errors: MPI_ERR_REQUEST for a handle that is none,
// MPI_ERR_ARG for a null pointer, MPI_ERR_COUNT for a negative count, and what the operations failed with, on
// their communicator's handler. Any thread at MPI_THREAD_MULTIPLE, but one request by one thread at a time.
#include "api/Checks.h"
#include "api/Guard.h"
#include "pt2pt/Completion.h"
#include "pt2pt/GeneralizedRequest.h"
#include "pt2pt/Runtime.h"

#include <algorithm>
#include <vector>

using namespace mpl;
using namespace mpl::api;

namespace {

bool isActive(const Request* request) {
  return request != nullptr && request->isActive();
}

Request* checkedRequest(MPI_Request* request) {
  checkPointer(request, "request");
  return requestOf(*request);
}

std::span<MPI_Request> checkedArray(int count, MPI_Request* requests) {
  checkCount(count);
  if (count > 0)
    checkPointer(requests, "array_of_requests");
  runtime.requireActive();
  return {requests, static_cast<std::size_t>(count)};
}

// The get_status calls look at handles that they must not change.
std::vector<const Request*> lookUp(int count, const MPI_Request* requests) {
  checkCount(count);
  if (count > 0)
    checkPointer(requests, "array_of_requests");
  runtime.requireActive();
  std::vector<const Request*> found;
  found.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    found.push_back(requestOf(requests[i]));
  return found;
}

// Inactive ones count as complete.
bool isDone(const Request* request) {
  return !isActive(request) || request->isComplete();
}

void peekOrEmpty(const Request* request, MPI_Status* status) {
  if (isActive(request))
    peek(*request, status);
  else
    Outcome::empty().writeTo(status);
}

MPI_Status* statusAt(MPI_Status* statuses, std::size_t index) {
  return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + index;
}

} // namespace

extern "C" {

int PMPI_Wait(MPI_Request* request, MPI_Status* status) {
  return guarded(
      "MPI_Wait", [&]() __attribute__((always_inline)) {
        Request* found = checkedRequest(request);
        if (!isActive(found)) {
          runtime.requireActive();
          Outcome::empty().writeTo(status);
          return;
        }
        waitFor(*found);
        conclude(*request, *found, status);
      });
}

int PMPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  return guarded(
      "MPI_Test", [&]() __attribute__((always_inline)) {
        checkPointer(flag, "flag");
        Request* found = checkedRequest(request);
        *flag = 1;
        if (!isActive(found)) {
          runtime.requireActive();
          Outcome::empty().writeTo(status);
          return;
        }
        if (!found->isComplete())
          progressOnce();
        if (found->isComplete())
          conclude(*request, *found, status);
        else
          *flag = 0;
      });
}

int PMPI_Request_free(MPI_Request* request) {
  return guarded("MPI_Request_free", [&] {
    checkPointer(request, "request");
    freeRequest(*request);
  });
}

int PMPI_Cancel(MPI_Request* request) {
  return guarded("MPI_Cancel", [&] {
    checkPointer(request, "request");
    cancelRequest(existingRequest(*request));
  });
}

int PMPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status array_of_statuses[]) {
  return guarded("MPI_Waitall", [&] { waitAll(checkedArray(count, array_of_requests), array_of_statuses); });
}

int PMPI_Testall(int count, MPI_Request array_of_requests[], int* flag, MPI_Status array_of_statuses[]) {
  return guarded("MPI_Testall", [&] {
    checkPointer(flag, "flag");
    *flag = 1; // stands when an operation failed: all are complete then
    *flag = testAll(checkedArray(count, array_of_requests), array_of_statuses);
  });
}

/// index: of the completed request, MPI_UNDEFINED where none is active.
int PMPI_Waitany(int count, MPI_Request array_of_requests[], int* index, MPI_Status* status) {
  return guarded("MPI_Waitany", [&] {
    checkPointer(index, "index");
    *index = MPI_UNDEFINED;
    waitAny(checkedArray(count, array_of_requests), *index, status);
  });
}

int PMPI_Testany(int count, MPI_Request array_of_requests[], int* index, int* flag, MPI_Status* status) {
  return guarded("MPI_Testany", [&] {
    checkPointer(index, "index");
    checkPointer(flag, "flag");
    *index = MPI_UNDEFINED;
    *flag = 1;
    *flag = testAny(checkedArray(count, array_of_requests), *index, status);
  });
}

/// outcount: how many were completed, MPI_UNDEFINED where none is active.
int PMPI_Waitsome(int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
                  MPI_Status array_of_statuses[]) {
  return guarded("MPI_Waitsome", [&] {
    checkPointer(outcount, "outcount");
    if (incount > 0)
      checkPointer(array_of_indices, "array_of_indices");
    completeSome(checkedArray(incount, array_of_requests), *outcount, array_of_indices, array_of_statuses,
                 true);
  });
}

int PMPI_Testsome(int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
                  MPI_Status array_of_statuses[]) {
  return guarded("MPI_Testsome", [&] {
    checkPointer(outcount, "outcount");
    if (incount > 0)
      checkPointer(array_of_indices, "array_of_indices");
    completeSome(checkedArray(incount, array_of_requests), *outcount, array_of_indices, array_of_statuses,
                 false);
  });
}

/// As MPI_Test, but the request stays.
int PMPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  return guarded("MPI_Request_get_status", [&] {
    checkPointer(flag, "flag");
    const Request* found = requestOf(request);
    if (!isDone(found))
      progressOnce();
    *flag = isDone(found);
    if (*flag)
      peekOrEmpty(found, status);
  });
}

int PMPI_Request_get_status_all(int count, const MPI_Request array_of_requests[], int* flag,
                                MPI_Status array_of_statuses[]) {
  return guarded("MPI_Request_get_status_all", [&] {
    checkPointer(flag, "flag");
    const auto found = lookUp(count, array_of_requests);
    if (!std::all_of(found.begin(), found.end(), isDone))
      progressOnce();
    *flag = std::all_of(found.begin(), found.end(), isDone);
    if (*flag)
      for (std::size_t i = 0; i < found.size(); ++i)
        peekOrEmpty(found[i], statusAt(array_of_statuses, i));
  });
}

int PMPI_Request_get_status_any(int count, const MPI_Request array_of_requests[], int* index, int* flag,
                                MPI_Status* status) {
  return guarded("MPI_Request_get_status_any", [&] {
    checkPointer(index, "index");
    checkPointer(flag, "flag");
    const auto found = lookUp(count, array_of_requests);
    const auto ready = [](const Request* request) { return isActive(request) && request->isComplete(); };
    auto first = std::find_if(found.begin(), found.end(), ready);
    if (first == found.end()) {
      progressOnce();
      first = std::find_if(found.begin(), found.end(), ready);
    }
    *index = MPI_UNDEFINED;
    if (first != found.end()) {
      *flag = 1;
      *index = static_cast<int>(first - found.begin());
      peek(**first, status);
    } else {
      *flag = std::none_of(found.begin(), found.end(), isActive);
      if (*flag)
        Outcome::empty().writeTo(status);
    }
  });
}

int PMPI_Request_get_status_some(int incount, const MPI_Request array_of_requests[], int* outcount,
                                 int array_of_indices[], MPI_Status array_of_statuses[]) {
  return guarded("MPI_Request_get_status_some", [&] {
    checkPointer(outcount, "outcount");
    if (incount > 0)
      checkPointer(array_of_indices, "array_of_indices");
    const auto found = lookUp(incount, array_of_requests);
    if (std::none_of(found.begin(), found.end(), isActive)) {
      *outcount = MPI_UNDEFINED;
      return;
    }
    progressOnce();
    *outcount = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!isActive(found[i]) || !found[i]->isComplete())
        continue;
      array_of_indices[*outcount] = static_cast<int>(i);
      peek(*found[i], statusAt(array_of_statuses, static_cast<std::size_t>(*outcount)));
      ++*outcount;
    }
  });
}

/// Generalized requests (section 13.2): complete when the program says so.
int PMPI_Grequest_start(MPI_Grequest_query_function* query_fn, MPI_Grequest_free_function* free_fn,
                        MPI_Grequest_cancel_function* cancel_fn, void* extra_state, MPI_Request* request) {
  return guarded("MPI_Grequest_start", [&] {
    checkPointer(request, "request");
    checkPointer(reinterpret_cast<const void*>(query_fn), "query_fn");
    checkPointer(reinterpret_cast<const void*>(free_fn), "free_fn");
    checkPointer(reinterpret_cast<const void*>(cancel_fn), "cancel_fn");
    runtime.requireActive();
    *request = startGeneralized(query_fn, free_fn, cancel_fn, extra_state);
  });
}

int PMPI_Grequest_complete(MPI_Request request) {
  return guarded("MPI_Grequest_complete", [&] { completeGeneralized(existingRequest(request)); });
}

int PMPI_Request_toint(MPI_Request request) {
  return HandleTable<Request, MPI_Request>::toInt(request);
}
MPI_Request PMPI_Request_fromint(int request) {
  return requests->fromInt(request);
}

} // extern "C"

#include "api/request.aliases.h"
