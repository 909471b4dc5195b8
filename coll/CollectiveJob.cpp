#include "coll/CollectiveJob.h"

#include "pt2pt/Engine.h"
#include "pt2pt/Progress.h"

namespace mpl {

namespace {

constexpr std::size_t pooledJobs = 16;

// Jobs that failed while sends were under way: the sends' memory must stay until they end, at the latest with
// the engine.
class Leftovers final : public ProgressHook {
public:
  void add(std::unique_ptr<CollectiveJob> job) {
    jobs_.push_back(std::move(job));
    engine.removeHook(*this); // it may be there already, or be gone with an engine that was stopped
    engine.addHook(*this);
  }

  bool advance() override {
    std::erase_if(jobs_, [](const std::unique_ptr<CollectiveJob>& job) { return job->settleLeftovers(); });
    return jobs_.empty();
  }

private:
  std::vector<std::unique_ptr<CollectiveJob>> jobs_;
};

// Never destroyed: a communicator may be freed in an exit handler.
std::vector<std::unique_ptr<CollectiveJob>>& pool() {
  static auto* const jobs = new std::vector<std::unique_ptr<CollectiveJob>>();
  return *jobs;
}

Leftovers& leftovers() {
  static auto* const left = new Leftovers();
  return *left;
}

} // namespace

std::unique_ptr<CollectiveJob> CollectiveJob::take(Communicator& comm, std::uint64_t context, int tag,
                                                   std::vector<int> ranks) {
  auto& jobs = pool();
  std::unique_ptr<CollectiveJob> job;
  if (jobs.empty()) {
    job = std::make_unique<CollectiveJob>();
  } else {
    job = std::move(jobs.back());
    jobs.pop_back();
  }
  job->ranks_ = std::move(ranks);
  job->transport_ = CommTransport(comm, context, tag, job->ranks_);
  return job;
}

void CollectiveJob::putBack(std::unique_ptr<CollectiveJob> job) noexcept {
  if (job->hasLeftovers() && !job->settleLeftovers()) {
    leftovers().add(std::move(job));
    return;
  }
  job->schedule_.clear();
  if (auto& jobs = pool(); jobs.size() < pooledJobs)
    jobs.push_back(std::move(job));
}

bool CollectiveJob::settleLeftovers() noexcept {
  std::erase_if(run_.abandoned(), [this](Request* request) {
    const bool ended = request->isComplete();
    if (ended)
      transport_.finish(request);
    return ended;
  });
  return run_.abandoned().empty();
}

void runThrough(CollectiveJob& job) {
  job.begin();
  waitUntil([&job] { return job.advance(); });
  if (job.error()) [[unlikely]]
    throw *job.error();
}

} // namespace mpl
