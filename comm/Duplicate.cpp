#include "comm/Duplicate.h"

#include "coll/CollectiveJob.h"
#include "coll/Run.h"
#include "comm/Agreement.h"
#include "comm/Hints.h"
#include "pt2pt/Completion.h"

namespace mpl {

namespace {

Ref<Group> remoteGroup(const Communicator& comm) {
  return comm.isInter() ? comm.peerGroupRef() : Ref<Group>();
}

/// Gives the copy its handle, hints and attributes. Where a callback fails, the copy is given up.
MPI_Comm dress(Communicator& parent, Communicator& copy, const Info* hints) {
  copy.info() = recognizedHints(hints != nullptr ? *hints : parent.info());
  const MPI_Comm handle = copy.giveHandle();
  try {
    parent.attributes().copyTo(parent.handle(), copy.attributes());
  } catch (...) {
    copy.attributes().discardAll(handle);
    EngineLock lock;
    copy.dropHandle();
    throw;
  }
  return handle;
}

/// Chooses the context id of a communicator in the background, round by round.
class DuplicateOperation final : public Operation, private ProgressHook {
public:
  DuplicateOperation(Communicator& parent, Ref<Communicator> copy, int tag)
      : parent_(&parent), copy_(std::move(copy)),
        agreement_(ContextIds::get(),
                   std::uint64_t{parent.context()} << 32 | static_cast<std::uint32_t>(tag)),
        job_(JobHolder(parent, parent.collectiveContext(), tag).detach()) {
    reduceProposal(job_->schedule(), membersOf(parent), agreement_.proposal());
  }
  /// Engine held.
  ~DuplicateOperation() override { CollectiveJob::putBack(std::move(job_)); }

  void start(Request& request) override {
    request_ = &request;
    request.begin(Request::Kind::Other);
    request.attach(*parent_);
    job_->begin();
    if (!advance())
      engine.addHook(*this);
  }

  void finished(Outcome&) override {
    if (error_)
      throw *error_;
  }

  const char* description() const override { return "duplication"; }

private:
  bool advance() override {
    try {
      for (;;) {
        if (!job_->advance())
          return false;
        if (job_->error())
          throw *job_->error();
        if (agreement_.settle())
          break;
        job_->begin();
      }
      copy_->setContext(agreement_.take());
    } catch (const Error& error) {
      error_ = error;
    }
    Request& request = *request_;
    request.outcome = Outcome::empty();
    request.completeWith(error_ ? error_->errorClass() : MPI_SUCCESS);
    return true; // this object may be gone
  }

  Ref<Communicator> parent_;
  Ref<Communicator> copy_;
  ContextAgreement agreement_;
  std::unique_ptr<CollectiveJob> job_;
  Request* request_ = nullptr;
  std::optional<Error> error_;
};

} // namespace

Ref<Communicator> makeChild(Communicator& parent, Ref<Group> local, Ref<Group> remote, ContextLease& lease) {
  Ref<Communicator> child = Communicator::create(std::move(local), std::move(remote), lease.take());
  child->setErrhandler(parent.errhandler());
  return child;
}

MPI_Comm duplicate(Communicator& parent, const Info* hints) {
  ContextLease lease = agreeOnContext(parent);
  const Ref<Communicator> copy = makeChild(parent, parent.groupRef(), remoteGroup(parent), lease);
  return dress(parent, *copy, hints);
}

MPI_Comm startDuplicate(Communicator& parent, const Info* hints, MPI_Request& request) {
  // Until its own id is known the communicator has one on which nothing is ever sent.
  constexpr std::uint32_t noContextYet = ContextIds::firstId - 2;
  Ref<Communicator> copy = Communicator::create(parent.groupRef(), remoteGroup(parent), noContextYet);
  copy->setErrhandler(parent.errhandler());
  int tag = 0;
  {
    EngineLock lock;
    tag = parent.nextCollectiveTag();
  }
  MPI_Request started = startCollective(std::make_unique<DuplicateOperation>(parent, copy, tag));
  try {
    const MPI_Comm handle = dress(parent, *copy, hints);
    request = started;
    return handle;
  } catch (...) {
    freeRequest(started); // the others rely on this member: it goes on
    throw;
  }
}

} // namespace mpl
