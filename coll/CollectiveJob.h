#pragma once

#include "coll/CommTransport.h"
#include "coll/Schedule.h"
#include "coll/ScheduleRun.h"
#include "pt2pt/EngineLock.h"

#include <memory>
#include <utility>
#include <vector>

namespace mpl {

/// A schedule together with its run on a communicator. Jobs come from a pool, so that a small collective
/// allocates nothing. The communicator must outlive the job's use. All functions but schedule() are used with
/// the engine held.
class CollectiveJob {
public:
  CollectiveJob() = default;
  CollectiveJob(const CollectiveJob&) = delete;
  CollectiveJob& operator=(const CollectiveJob&) = delete;

  /// ranks: the communicator's rank of each member, where only some of its ranks take part.
  static std::unique_ptr<CollectiveJob> take(Communicator& comm, std::uint64_t context, int tag,
                                             std::vector<int> ranks = {});
  /// Back to the pool; where sends are still under way, once they have ended.
  static void putBack(std::unique_ptr<CollectiveJob> job) noexcept;

  /// Empty at first. To be filled, without the engine, before the first begin().
  Schedule& schedule() noexcept { return schedule_; }

  void begin() { run_.begin(); }
  bool advance() { return run_.advance(); }
  const std::optional<Error>& error() const noexcept { return run_.error(); }
  /// Sends of a failed run that have not ended: it cannot be begun again.
  bool hasLeftovers() noexcept { return !run_.abandoned().empty(); }

  /// Gives the ended ones back; true when none are left.
  bool settleLeftovers() noexcept;

private:
  Schedule schedule_;
  std::vector<int> ranks_;
  CommTransport transport_;
  ScheduleRun<CommTransport> run_{schedule_, transport_};
};

/// Holds a job for a scope that does not hold the engine.
class JobHolder {
public:
  JobHolder(Communicator& comm, std::uint64_t context, int tag, std::vector<int> ranks = {}) {
    EngineLock lock;
    job_ = CollectiveJob::take(comm, context, tag, std::move(ranks));
  }
  /// A collective of all members, with the communicator's next tag.
  explicit JobHolder(Communicator& comm) {
    EngineLock lock;
    job_ = CollectiveJob::take(comm, comm.collectiveContext(), comm.nextCollectiveTag());
  }
  ~JobHolder() {
    if (!job_)
      return;
    EngineLock lock;
    CollectiveJob::putBack(std::move(job_));
  }
  JobHolder(JobHolder&&) = default;

  CollectiveJob& operator*() const noexcept { return *job_; }
  CollectiveJob* operator->() const noexcept { return job_.get(); }
  std::unique_ptr<CollectiveJob> detach() noexcept { return std::move(job_); }

private:
  std::unique_ptr<CollectiveJob> job_;
};

/// Runs the job through. Errors: those of the run.
void runThrough(CollectiveJob& job);

} // namespace mpl
