#include "coll/CollectiveOperation.h"

#include "coll/CollectiveState.h"

namespace mpl {

int nextPersistentTag(Communicator& comm) {
  EngineLock lock;
  int& calls = stateOf(comm).persistentCalls;
  calls = (calls + 1) & envelope::maxTag;
  return calls;
}

void CollectiveOperation::start(Request& request) {
  if (job_->hasLeftovers() && !job_->settleLeftovers())
    fail(MPI_ERR_PROC_ABORTED, "the ", name_, " on ", comm_->label(),
         " failed before, and messages of that run are still under way");
  request_ = &request;
  request.begin(Request::Kind::Other);
  request.attach(*comm_);
  job_->begin();
  if (!advance())
    engine.addHook(*this);
}

bool CollectiveOperation::advance() {
  if (!job_->advance())
    return false;
  Request& request = *request_;
  request.outcome = Outcome::empty();
  request.completeWith(job_->error() ? job_->error()->errorClass() : MPI_SUCCESS);
  return true; // this object may be gone
}

void CollectiveOperation::cancel(Request&) {
  fail(MPI_ERR_REQUEST, "request belongs to a collective (", name_, " on ", comm_->label(),
       "), which cannot be cancelled");
}

void CollectiveOperation::checkFree(const Request& request) const {
  if (request.isActive())
    fail(MPI_ERR_REQUEST, "request belongs to a collective (", name_, " on ", comm_->label(),
         ") that is under way, and such a request must be waited for");
}

void CollectiveOperation::finished(Outcome&) {
  if (job_->error())
    throw Error(job_->error()->errorClass(),
                text(name_, " on ", comm_->label(), ": ", job_->error()->message()));
}

MPI_Request startCollective(std::unique_ptr<Operation> operation) {
  EngineLock lock;
  Request& request = requestPool.take();
  const MPI_Request handle = request.handle;
  request.operation = std::move(operation);
  try {
    request.operation->start(request);
  } catch (...) {
    requestPool.release(request);
    throw;
  }
  return handle;
}

MPI_Request makePersistentCollective(std::unique_ptr<CollectiveOperation> operation) {
  EngineLock lock;
  Request& request = requestPool.take();
  request.kind = Request::Kind::Other;
  request.persistent = true;
  request.active = false;
  request.outcome = Outcome::empty();
  request.operation = std::move(operation);
  return request.handle;
}

} // namespace mpl
