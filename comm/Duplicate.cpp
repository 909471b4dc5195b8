#include "comm/Duplicate.h"

#include "coll/CollectiveJob.h"
#include "coll/Run.h"
#include "comm/Agreement.h"
#include "comm/Hints.h"
#include "pt2pt/Completion.h"

namespace mpl {

namespace {

void inherit(const Communicator& parent, Communicator& child) {
  child.setErrhandler(parent.errhandler());
  child.sessionScope = parent.sessionScope;
}

/// Gives the copy its handle, hints and attributes. Where a callback fails, the copy is given up.
MPI_Comm dress(Communicator& parent, Communicator& copy, const Info* hints) {
  copy.topology = parent.topology;
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
        agreement_(ContextIds::get(), std::uint64_t{parent.context()} << 32 | static_cast<std::uint32_t>(tag),
                   parent.isInter() ? 2 : 1),
        job_(JobHolder(parent, parent.collectiveContext(), tag).detach()) {
    reduceProposal(job_->schedule(), parent, agreement_.proposal());
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
      if (copy_->companion)
        copy_->companion->setContext(agreement_.take(1));
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

Ref<Communicator> makeChild(const Communicator& parent, Ref<Group> local, ContextLease& lease) {
  Ref<Communicator> child = Communicator::create(std::move(local), {}, lease.take());
  inherit(parent, *child);
  return child;
}

Ref<Communicator> makeChild(const Communicator& parent, Ref<Group> local, Ref<Group> remote,
                            ContextLeases& leases) {
  Ref<Communicator> companion = Communicator::create(local, {}, leases.companion.take());
  Ref<Communicator> child = Communicator::create(std::move(local), std::move(remote), leases.own.take());
  child->companion = std::move(companion);
  inherit(parent, *child);
  return child;
}

MPI_Comm duplicate(Communicator& parent, const Info* hints) {
  ContextLeases leases = agreeOnContexts(parent);
  const Ref<Communicator> copy = parent.isInter()
                                     ? makeChild(parent, parent.groupRef(), parent.peerGroupRef(), leases)
                                     : makeChild(parent, parent.groupRef(), leases.own);
  return dress(parent, *copy, hints);
}

MPI_Comm startDuplicate(Communicator& parent, const Info* hints, MPI_Request& request) {
  // Until its own id is known the communicator has one on which nothing is ever sent.
  constexpr std::uint32_t noContextYet = ContextIds::firstId - 2;
  Ref<Communicator> copy = Communicator::create(
      parent.groupRef(), parent.isInter() ? parent.peerGroupRef() : Ref<Group>(), noContextYet);
  if (parent.isInter())
    copy->companion = Communicator::create(parent.groupRef(), {}, noContextYet);
  inherit(parent, *copy);
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
