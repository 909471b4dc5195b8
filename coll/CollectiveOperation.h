#pragma once

#include "coll/CollectiveJob.h"
#include "pt2pt/Engine.h"
#include "pt2pt/Request.h"

namespace mpl {

/// A collective in the background: advanced by every call that makes progress, and, where it is persistent,
/// started again and again. Its request owns it.
class CollectiveOperation final : public Operation, private ProgressHook {
public:
  /// The job's schedule is built. name: "broadcast", for messages.
  CollectiveOperation(JobHolder job, Communicator& comm, const char* name)
      : job_(job.detach()), comm_(&comm), name_(name) {}
  /// Engine held.
  ~CollectiveOperation() override { CollectiveJob::putBack(std::move(job_)); }

  /// Errors: MPI_ERR_PROC_ABORTED where an earlier run failed so that it cannot be repeated.
  void start(Request& request) override;
  /// Errors: MPI_ERR_REQUEST in any case (MPI-5.0, section 6.12).
  void cancel(Request& request) override;
  /// Errors: MPI_ERR_REQUEST while it is active.
  void checkFree(const Request& request) const override;
  void finished(Outcome& outcome) override;
  Communicator* communicator() const override { return comm_.get(); }
  const char* description() const override { return name_; }

private:
  bool advance() override;

  std::unique_ptr<CollectiveJob> job_;
  Ref<Communicator> comm_;
  Request* request_ = nullptr;
  const char* name_;
};

/// A request for the operation, started and not persistent, or persistent and inactive; takes the engine.
MPI_Request startCollective(std::unique_ptr<Operation> operation);
MPI_Request makePersistentCollective(std::unique_ptr<CollectiveOperation> operation);

/// The tag of a new persistent collective; takes the engine.
int nextPersistentTag(Communicator& comm);

} // namespace mpl
