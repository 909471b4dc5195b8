// Active target synchronisation: MPI-5.0, sections 12.5.1 and 12.5.2.
#include "coll/Calls.h"
#include "onesided/Window.h"
#include "onesided/ucx/TargetService.h"
#include "pt2pt/Transfer.h"

#include <algorithm>

namespace mpl {

namespace {

constexpr int postTag = 0;
constexpr int completeTag = 1;

bool allEnded(const std::vector<Request*>& requests) {
  return std::all_of(requests.begin(), requests.end(),
                     [](const Request* request) { return request->isComplete(); });
}

/// Gives ended requests back; the class of the first error.
int takeBack(std::vector<Request*>& ended) {
  EngineLock lock;
  int error = MPI_SUCCESS;
  for (Request* request : ended) {
    if (error == MPI_SUCCESS)
      error = request->outcome.error;
    requestPool.release(*request);
  }
  ended.clear();
  return error;
}

/// Receives of nothing from each of the ranks.
std::vector<Request*> expect(Communicator& comm, const std::vector<int>& ranks, int tag) {
  EngineLock lock;
  std::vector<Request*> started;
  started.reserve(ranks.size());
  for (int rank : ranks)
    started.push_back(transfer::receiveBytes(comm, comm.messageContext(), nullptr, 0, rank, tag));
  return started;
}

} // namespace

void Window::barrier() {
  run(BarrierCall{comm_.get()});
}

void Window::fence(int assertion) {
  if (access_ != Access::none && access_ != Access::fence)
    failSync("MPI_Win_fence");
  if (posted_)
    fail(MPI_ERR_RMA_SYNC, "the exposure epoch of MPI_Win_post on ", label(),
         " is open: MPI_Win_wait comes first");
  finishAll(true);
  checkDeaths(MPI_ANY_SOURCE);
  closeTargets();
  std::atomic_thread_fence(std::memory_order_seq_cst);
  barrier();
  access_ = (assertion & MPI_MODE_NOSUCCEED) != 0 ? Access::none : Access::fence;
}

std::vector<int> Window::ranksOf(const Group& group) const {
  std::vector<int> ranks(static_cast<std::size_t>(group.size()));
  for (int i = 0; i < group.size(); ++i) {
    const int rank = comm_->group().rankOf(group.process(i));
    if (rank == MPI_UNDEFINED)
      fail(MPI_ERR_GROUP, "rank ", i, " of the group is not in the group of ", label());
    ranks[static_cast<std::size_t>(i)] = rank;
  }
  return ranks;
}

void Window::tell(const std::vector<int>& ranks, int tag) {
  EngineLock lock;
  for (int rank : ranks)
    if (Request* request = transfer::sendBytes(*comm_, comm_->messageContext(), nullptr, 0, rank, tag))
      notices_.push_back(request);
  // Those of earlier calls that have left meanwhile.
  std::erase_if(notices_, [](Request* request) {
    const bool ended = request->isComplete();
    if (ended)
      requestPool.release(*request);
    return ended;
  });
}

void Window::post(const Group& group, int) {
  if (posted_)
    fail(MPI_ERR_RMA_SYNC, "an exposure epoch of MPI_Win_post on ", label(), " is open already");
  if (access_ == Access::fence && !opened_.empty())
    failSync("MPI_Win_post");
  std::vector<int> ranks = ranksOf(group);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  completions_ = expect(*comm_, ranks, completeTag);
  tell(ranks, postTag);
  exposedTo_ = std::move(ranks);
  posted_ = true;
}

void Window::start(const Group& group, int) {
  if (access_ != Access::none && !(access_ == Access::fence && opened_.empty()))
    failSync("MPI_Win_start");
  std::vector<int> ranks = ranksOf(group);
  std::vector<Request*> posts = expect(*comm_, ranks, postTag);
  waitUntil([&] { return allEnded(posts); });
  if (const int error = takeBack(posts); error != MPI_SUCCESS)
    fail(error, "a member of the group has died before its MPI_Win_post on ", label());
  for (int rank : ranks)
    target(rank).chosen = true;
  started_ = std::move(ranks);
  access_ = Access::start;
}

void Window::complete() {
  if (access_ != Access::start)
    fail(MPI_ERR_RMA_SYNC, "no epoch of MPI_Win_start is open on ", label());
  const std::vector<int> ranks = std::move(started_);
  started_.clear();
  access_ = Access::none;
  for (int rank : ranks)
    target(rank).chosen = false;
  // The others are told in any case: they must not wait for ever.
  std::optional<Error> error;
  try {
    finishAll(true);
  } catch (const Error& failure) {
    error = failure;
  }
  closeTargets();
  std::atomic_thread_fence(std::memory_order_seq_cst);
  try {
    tell(ranks, completeTag);
  } catch (const Error& failure) {
    if (!error)
      error = failure;
  }
  if (error)
    throw *error;
}

bool Window::finishExposure(bool wait) {
  if (!posted_)
    fail(MPI_ERR_RMA_SYNC, "no exposure epoch of MPI_Win_post is open on ", label());
  const auto done = [&] { return allEnded(completions_) && allEnded(notices_); };
  if (wait) {
    waitUntil(done);
  } else if (!done()) {
    progressOnce();
    if (!done())
      return false;
  }
  posted_ = false;
  exposedTo_.clear();
  takeBack(notices_);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (const int error = takeBack(completions_); error != MPI_SUCCESS)
    fail(error, "a member of the group has died before its MPI_Win_complete on ", label());
  return true;
}

const char* Window::accessName() const noexcept {
  switch (access_) {
  case Access::none:
    return "no epoch";
  case Access::fence:
    return "an epoch of MPI_Win_fence";
  case Access::start:
    return "an epoch of MPI_Win_start";
  case Access::lock:
    return "an epoch of MPI_Win_lock";
  case Access::lockAll:
    return "an epoch of MPI_Win_lock_all";
  }
  return "";
}

void Window::failSync(const char* what) const {
  fail(MPI_ERR_RMA_SYNC, what, " does not fit ", label(), ", on which ", accessName(), " is open",
       access_ == Access::fence ? " with operations in it" : "");
}

void Window::requireNoEpoch(const char* what) const {
  if ((access_ != Access::none && access_ != Access::fence) || !opened_.empty())
    failSync(what);
  if (posted_)
    fail(MPI_ERR_RMA_SYNC, what, " does not fit ", label(),
         ", on which an exposure epoch of MPI_Win_post is open");
}

void Window::free() {
  runByMessages(BarrierCall{comm_.get()}); // once only: not worth shared memory
  {
    EngineLock lock;
    for (Request* request : std::exchange(notices_, {})) {
      request->detached = true;
      if (request->isComplete())
        requestPool.release(*request);
    }
  }
  {
    RmaLock lock;
    owned_.clear();
    targetService.forget(*this);
  }
  forEachTransport([&](auto& transport) { transport.closing(*this); });
  windows->erase(handle_);
  handle_ = MPI_WIN_NULL;
  release();
}

} // namespace mpl
