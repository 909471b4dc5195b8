#include "pt2pt/Completion.h"

#include "pt2pt/Communicator.h"
#include "pt2pt/GeneralizedRequest.h"
#include "pt2pt/Receive.h"
#include "pt2pt/Runtime.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace mpl {

namespace {

// Throws the failure of an operation, with its communicator where it has one.
[[noreturn, gnu::cold]] void throwFailure(int errorClass, const std::string& message, Communicator* comm) {
  if (comm != nullptr)
    throw CommunicatorError(*comm, errorClass, message);
  throw Error(errorClass, message);
}

// The bytes that a status reports: what lies in the buffer.
Outcome visibleOutcome(const Request& request) {
  Outcome outcome = request.outcome;
  if (outcome.error == MPI_ERR_TRUNCATE) [[unlikely]]
    outcome.bytes = std::min(outcome.bytes, request.capacity);
  return outcome;
}

// After completion: back to the pool, or inactive.
void retire(MPI_Request& handle, Request& request) noexcept {
  if (request.shared) {
    handle = MPI_REQUEST_NULL;
    return;
  }
  EngineLock lock;
  if (request.persistent) {
    request.active = false;
    requestPool.dropReferences(request);
    return;
  }
  handle = MPI_REQUEST_NULL;
  requestPool.release(request);
}

std::vector<Request*> lookUp(std::span<const MPI_Request> handles) {
  std::vector<Request*> found(handles.size());
  std::transform(handles.begin(), handles.end(), found.begin(), requestOf);
  return found;
}

bool isActive(const Request* request) {
  return request != nullptr && request->isActive();
}

void writeEmpty(MPI_Status* status) {
  Outcome::empty().writeTo(status);
}

// The end of a call that completed several: every status gets its error, then the call fails as a whole.
class Several {
public:
  explicit Several(MPI_Status* statuses) : statuses_(statuses) {}

  MPI_Status* at(std::size_t index) const {
    return statuses_ == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses_ + index;
  }

  void take(std::size_t statusIndex, MPI_Request& handle, Request& request) {
    Ref<Communicator> comm(request.comm);
    const int error = concludeQuietly(handle, request, at(statusIndex), messages_);
    if (error != MPI_SUCCESS && !failed_) {
      failed_ = true;
      comm_ = comm;
    }
    errors_.emplace_back(statusIndex, error);
  }

  void skip(std::size_t statusIndex) {
    writeEmpty(at(statusIndex));
    errors_.emplace_back(statusIndex, MPI_SUCCESS);
  }

  void finish() {
    if (!failed_)
      return;
    if (statuses_ != MPI_STATUSES_IGNORE)
      for (auto [index, error] : errors_)
        statuses_[index].MPI_ERROR = error;
    throwFailure(MPI_ERR_IN_STATUS, messages_, comm_.get());
  }

private:
  MPI_Status* statuses_;
  std::vector<std::pair<std::size_t, int>> errors_;
  std::string messages_;
  Ref<Communicator> comm_;
  bool failed_ = false;
};

} // namespace

void failBadRequest(MPI_Request handle) {
  runtime.requireActive();
  fail(MPI_ERR_REQUEST, "the request handle ", static_cast<const void*>(handle),
       " is not valid (was it completed or freed before?)");
}

void failNullRequest() {
  runtime.requireActive();
  fail(MPI_ERR_REQUEST, "the request is MPI_REQUEST_NULL");
}

void finishBlocking(Request& request, MPI_Status* status) {
  waitFor(request);
  visibleOutcome(request).writeTo(status);
  if (request.outcome.error != MPI_SUCCESS) [[unlikely]] {
    const std::string message = describeFailure(request);
    const int error = request.outcome.error;
    EngineLock lock;
    requestPool.release(request);
    fail(error, message);
  }
  EngineLock lock;
  requestPool.releaseUnseen(request);
}

int concludeQuietly(MPI_Request& handle, Request& request, MPI_Status* status, std::string& messages) {
  std::string operationsOwn;
  if (request.operation) [[unlikely]] {
    try {
      request.operation->finished(request.outcome);
      if (!request.persistent)
        request.operation->retiring();
    } catch (const Error& error) {
      request.outcome.error = error.errorClass();
      operationsOwn = error.message();
    }
  }
  visibleOutcome(request).writeTo(status);
  const int error = request.outcome.error;
  if (error != MPI_SUCCESS) [[unlikely]] {
    if (!messages.empty())
      messages += "; ";
    messages += operationsOwn.empty() ? describeFailure(request) : operationsOwn;
  }
  retire(handle, request);
  return error;
}

void conclude(MPI_Request& handle, Request& request, MPI_Status* status) {
  if (request.outcome.error == MPI_SUCCESS && !request.operation) [[likely]] {
    request.outcome.writeTo(status);
    retire(handle, request);
    return;
  }
  Ref<Communicator> comm(request.comm);
  std::string message;
  const int error = concludeQuietly(handle, request, status, message);
  if (error != MPI_SUCCESS)
    throwFailure(error, message, comm.get());
}

void peek(const Request& request, MPI_Status* status) {
  Outcome outcome = visibleOutcome(request);
  if (request.operation)
    request.operation->finished(outcome);
  outcome.writeTo(status);
}

void waitAll(std::span<MPI_Request> handles, MPI_Status* statuses) {
  const std::vector<Request*> found = lookUp(handles);
  for (Request* request : found)
    if (isActive(request))
      waitFor(*request);
  Several several(statuses);
  for (std::size_t i = 0; i < handles.size(); ++i) {
    if (isActive(found[i]))
      several.take(i, handles[i], *found[i]);
    else
      several.skip(i);
  }
  several.finish();
}

bool testAll(std::span<MPI_Request> handles, MPI_Status* statuses) {
  const std::vector<Request*> found = lookUp(handles);
  const auto pending = [](const Request* request) { return isActive(request) && !request->isComplete(); };
  if (std::any_of(found.begin(), found.end(), pending)) {
    progressOnce();
    if (std::any_of(found.begin(), found.end(), pending))
      return false;
  }
  waitAll(handles, statuses);
  return true;
}

namespace {

// Index of the first active and complete request; `active` tells whether there was an active one at all.
std::optional<std::size_t> firstComplete(const std::vector<Request*>& found, bool& active) {
  active = false;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!isActive(found[i]))
      continue;
    active = true;
    if (found[i]->isComplete())
      return i;
  }
  return std::nullopt;
}

// The end of the calls for any: without an index, no request is active.
void takeAny(std::span<MPI_Request> handles, const std::vector<Request*>& found,
             std::optional<std::size_t> first, int& index, MPI_Status* status) {
  index = first ? static_cast<int>(*first) : MPI_UNDEFINED;
  if (first)
    conclude(handles[*first], *found[*first], status);
  else
    writeEmpty(status);
}

} // namespace

void waitAny(std::span<MPI_Request> handles, int& index, MPI_Status* status) {
  const std::vector<Request*> found = lookUp(handles);
  bool active = false;
  std::optional<std::size_t> first;
  waitUntil([&] {
    first = firstComplete(found, active);
    return first || !active;
  });
  takeAny(handles, found, first, index, status);
}

bool testAny(std::span<MPI_Request> handles, int& index, MPI_Status* status) {
  const std::vector<Request*> found = lookUp(handles);
  bool active = false;
  auto first = firstComplete(found, active);
  if (!first && active) {
    progressOnce();
    first = firstComplete(found, active);
  }
  index = MPI_UNDEFINED;
  if (!first && active)
    return false;
  takeAny(handles, found, first, index, status);
  return true;
}

void completeSome(std::span<MPI_Request> handles, int& count, int* indices, MPI_Status* statuses, bool wait) {
  const std::vector<Request*> found = lookUp(handles);
  bool active = false;
  if (wait)
    waitUntil([&] { return firstComplete(found, active) || !active; });
  else if (!firstComplete(found, active) && active)
    progressOnce();
  count = active ? 0 : MPI_UNDEFINED;
  if (!active)
    return;
  Several several(statuses);
  for (std::size_t i = 0; i < handles.size(); ++i) {
    if (!isActive(found[i]) || !found[i]->isComplete())
      continue;
    indices[count] = static_cast<int>(i);
    several.take(static_cast<std::size_t>(count), handles[i], *found[i]);
    ++count;
  }
  several.finish();
}

void freeRequest(MPI_Request& handle) {
  Request* request = &existingRequest(handle);
  if (request->operation)
    request->operation->checkFree(*request);
  handle = MPI_REQUEST_NULL;
  if (request->shared)
    return;
  const bool pending = request->isActive() && !request->isComplete();
  if (request->operation && !pending)
    request->operation->retiring();
  EngineLock lock;
  if (request->operation)
    request->operation->freed(*request);
  if (request->isActive() && !request->isComplete()) {
    request->detached = true;
    return;
  }
  requestPool.release(*request);
}

void cancelRequest(Request& request) {
  if (request.operation && cancelGeneralized(request))
    return;
  EngineLock lock;
  if (!request.isActive() || request.shared || request.isComplete())
    return;
  if (request.operation)
    request.operation->cancel(request); // may not be allowed
  request.cancelRequested = true;
  withdraw(request);
}

} // namespace mpl
