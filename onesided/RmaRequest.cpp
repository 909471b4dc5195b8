#include "onesided/Rma.h"
#include "onesided/RmaLock.h"
#include "pt2pt/Engine.h"
#include "pt2pt/Request.h"

namespace mpl::rma {

namespace {

/// The operation behind a request of MPI_Rput and its kin: looked at whenever the engine makes progress.
class RmaRequest final : public Operation, private ProgressHook {
public:
  RmaRequest(Window& window, Tracked tracked, const char* name)
      : comm_(&window.comm()), tracked_(std::move(tracked)), name_(name) {}

  void start(Request& request) override {
    request_ = &request;
    request.begin(Request::Kind::Other);
    request.attach(*comm_);
    engine.addHook(*this);
  }

  void finished(Outcome& outcome) override {
    if (outcome.error != MPI_SUCCESS)
      throw Error(outcome.error, text(name_, ": the operation has failed"));
  }

  const char* description() const override { return name_; }

private:
  bool advance() override {
    {
      RmaLock lock;
      if (!tracked_->finished())
        return false;
    }
    Request& request = *request_;
    request.outcome = Outcome::empty();
    request.completeWith(tracked_->pending.error());
    return true; // this object may be gone
  }

  Ref<Communicator> comm_;
  Tracked tracked_;
  const char* name_;
  Request* request_ = nullptr;
};

} // namespace

void requirePassive(Window& window, int rank) {
  if (rank != MPI_PROC_NULL && !window.isPassive())
    fail(MPI_ERR_RMA_SYNC, "request-based operations need a passive-target epoch, and none is open on ",
         window.label());
}

MPI_Request requestFor(Window& window, const Tracked& tracked, const char* name) {
  bool over = false;
  {
    RmaLock lock;
    over = tracked->finished() && tracked->pending.error() == MPI_SUCCESS;
  }
  if (over)
    return completedSend;
  auto operation = std::make_unique<RmaRequest>(window, tracked, name);
  EngineLock lock;
  Request& request = requestPool.take();
  request.operation = std::move(operation);
  request.operation->start(request);
  return request.handle;
}

} // namespace mpl::rma
