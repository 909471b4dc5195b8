#pragma once

#include "pt2pt/Progress.h"
#include "pt2pt/Request.h"

#include <span>
#include <string>

namespace mpl {

/// The object of a handle that the program gave; nullptr for MPI_REQUEST_NULL. Errors: MPI_ERR_REQUEST.
[[noreturn, gnu::cold]] void failBadRequest(MPI_Request handle);
inline Request* requestOf(MPI_Request handle) {
  if (handle == MPI_REQUEST_NULL)
    return nullptr;
  Request* request = requests->find(handle);
  if (request == nullptr) [[unlikely]]
    failBadRequest(handle);
  return request;
}

/// The same where a null handle is wrong, too. Errors: MPI_ERR_REQUEST.
[[noreturn, gnu::cold]] void failNullRequest();
inline Request& existingRequest(MPI_Request handle) {
  Request* request = requestOf(handle);
  if (request == nullptr) [[unlikely]]
    failNullRequest();
  return *request;
}

/// Waits for one request; takes the engine.
inline void waitFor(Request& request) {
  if (!request.isComplete())
    waitUntil([&request] { return request.isComplete(); });
}

/// Waits for an internal request of a blocking call (no handle was given out), gives it back to the pool, and
/// throws the operation's error, after writing the status.
void finishBlocking(Request& request, MPI_Status* status);

/// Takes the completion of an active, complete request: writes the status, gives the request back or makes it
/// inactive, sets the handle to MPI_REQUEST_NULL where it was given back. Throws the operation's error,
/// CommunicatorError where it belongs to a communicator.
void conclude(MPI_Request& handle, Request& request, MPI_Status* status);

/// The same for calls that complete several: returns the error class instead of throwing (the texts are put
/// together in `messages`), and writes nothing to MPI_ERROR.
int concludeQuietly(MPI_Request& handle, Request& request, MPI_Status* status, std::string& messages);

/// What MPI_Request_get_status and its kin write: the outcome, the request staying as it is.
void peek(const Request& request, MPI_Status* status);

/// The calls of MPI-5.0, section 3.7.5. statuses may be MPI_STATUSES_IGNORE. Handles are checked before
/// anything is done. The several-completion calls throw MPI_ERR_IN_STATUS when any operation failed, after
/// writing every status's MPI_ERROR.
void waitAll(std::span<MPI_Request> handles, MPI_Status* statuses);
bool testAll(std::span<MPI_Request> handles, MPI_Status* statuses);
/// index is set before a failure is thrown: MPI_UNDEFINED where no request is active.
void waitAny(std::span<MPI_Request> handles, int& index, MPI_Status* status);
/// False where none is complete.
bool testAny(std::span<MPI_Request> handles, int& index, MPI_Status* status);
/// count: how many were completed, or MPI_UNDEFINED where no request is active; wait: at least one.
void completeSome(std::span<MPI_Request> handles, int& count, int* indices, MPI_Status* statuses, bool wait);

/// MPI_Request_free: an active operation goes on.
void freeRequest(MPI_Request& handle);
/// MPI_Cancel: marks; whether it worked shows at completion.
void cancelRequest(Request& request);

} // namespace mpl
