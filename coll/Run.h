#pragma once

#include "coll/Algorithms.h"
#include "coll/CollectiveOperation.h"
#include "coll/CollectiveState.h"
#include "coll/Contexts.h"
#include "coll/Inter.h"
#include "coll/Verification.h"

#include <concepts>

namespace mpl {

/// A collective with its arguments: what to do is one description, and the three functions below are the ways
/// to run it.
template <class T>
concept CollectiveCall = requires(const T& call, Schedule& schedule, Members me) {
  { *call.comm } -> std::convertible_to<Communicator&>;
  { T::name } -> std::convertible_to<const char*>;
  /// Adds the steps.
  call.build(schedule, me);
  /// Makes the schedule keep the datatypes and the operation, which the program may free.
  call.keep(schedule);
};

inline Members membersOf(Communicator& comm) {
  return {comm.rank(), comm.size(), isOnOneNode(comm) ? Reach::node : Reach::messages};
}

/// Adds the steps of the call for the kind of communicator that it has.
template <CollectiveCall Call> void buildFor(const Call& call, Schedule& schedule) {
  Communicator& comm = *call.comm;
  if constexpr (requires(Sides sides) { call.build(schedule, sides); })
    if (comm.isInter()) {
      call.build(schedule, Sides{membersOf(comm), comm.peerCount()});
      return;
    }
  call.build(schedule, membersOf(comm));
}

/// Whether calls of this kind are verified (library calls are not), on this communicator.
template <class Call> bool isVerified(const Call& call) {
  if constexpr (requires { call.facts(); })
    return isChecking() && !call.comm->isInter() && call.comm->size() > 1;
  return false;
}

template <CollectiveCall Call> void verify(const Call& call) {
  if constexpr (requires { call.facts(); })
    if (isVerified(call)) {
      const JobHolder job(*call.comm);
      addVerification(job->schedule(), membersOf(*call.comm), call.facts());
      runThrough(*job);
    }
}

/// The same for a call in the background: as its first steps.
template <CollectiveCall Call>
void verifyWithin(const Call& call, Schedule& schedule, CallFacts::Manner manner) {
  if constexpr (requires { call.facts(); })
    if (isVerified(call)) {
      CallFacts facts = call.facts();
      facts.manner = manner;
      addVerification(schedule, membersOf(*call.comm), facts);
    }
}

/// Until this rank's part is done, by messages: the communicator gets no shared memory for it.
template <CollectiveCall Call> void runByMessages(const Call& call) {
  const JobHolder job(*call.comm);
  buildFor(call, job->schedule());
  runThrough(*job);
}

/// Until this rank's part is done. A call may have ways of its own for members who share memory,
/// runShared(), and for nodes of such members, runByNodes(), which say whether they were taken: the same at
/// all members.
template <CollectiveCall Call> void run(const Call& call) {
  Communicator& comm = *call.comm;
  if (isChecking()) [[unlikely]]
    verify(call);
  if constexpr (requires(SharedGroup & group) { call.runShared(group); })
    if (SharedGroup* group = sharedGroup(comm))
      if (call.runShared(*group))
        return;
  if constexpr (requires(NodeLevels & nodes) { call.runByNodes(nodes); })
    if (NodeLevels* nodes = nodeLevels(comm))
      if (call.runByNodes(*nodes))
        return;
  runByMessages(call);
}

/// In the background: gives the request.
template <CollectiveCall Call> MPI_Request start(const Call& call) {
  Communicator& comm = *call.comm;
  JobHolder job(comm);
  verifyWithin(call, job->schedule(), CallFacts::Manner::inTheBackground);
  buildFor(call, job->schedule());
  call.keep(job->schedule());
  return startCollective(std::make_unique<CollectiveOperation>(std::move(job), comm, Call::name));
}

/// To be started later, any number of times: gives the inactive request.
template <CollectiveCall Call> MPI_Request makePersistent(const Call& call) {
  Communicator& comm = *call.comm;
  JobHolder job(comm, contexts::persistent(comm), nextPersistentTag(comm));
  verifyWithin(call, job->schedule(), CallFacts::Manner::persistent);
  buildFor(call, job->schedule());
  call.keep(job->schedule());
  return makePersistentCollective(std::make_unique<CollectiveOperation>(std::move(job), comm, Call::name));
}

} // namespace mpl
