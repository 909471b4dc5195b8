#pragma once

#include "coll/Algorithms.h"
#include "coll/CollectiveOperation.h"
#include "coll/CollectiveState.h"
#include "coll/Contexts.h"
#include "coll/Inter.h"

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

inline Members membersOf(const Communicator& comm) noexcept {
  return {comm.rank(), comm.size()};
}

/// Adds the steps of the call for the kind of communicator that it has.
template <CollectiveCall Call> void buildFor(const Call& call, Schedule& schedule) {
  const Communicator& comm = *call.comm;
  if constexpr (requires(Sides sides) { call.build(schedule, sides); })
    if (comm.isInter()) {
      call.build(schedule, Sides{membersOf(comm), comm.peerCount()});
      return;
    }
  call.build(schedule, membersOf(comm));
}

/// Until this rank's part is done. A call may have a way of its own for members who share memory,
/// runShared(), which says whether it was taken: the same at all members.
template <CollectiveCall Call> void run(const Call& call) {
  Communicator& comm = *call.comm;
  if constexpr (requires(SharedGroup & group) { call.runShared(group); })
    if (SharedGroup* group = sharedGroup(comm))
      if (call.runShared(*group))
        return;
  const JobHolder job(comm);
  buildFor(call, job->schedule());
  runThrough(*job);
}

/// In the background: gives the request.
template <CollectiveCall Call> MPI_Request start(const Call& call) {
  Communicator& comm = *call.comm;
  JobHolder job(comm);
  buildFor(call, job->schedule());
  call.keep(job->schedule());
  return startCollective(std::make_unique<CollectiveOperation>(std::move(job), comm, Call::name));
}

/// To be started later, any number of times: gives the inactive request.
template <CollectiveCall Call> MPI_Request makePersistent(const Call& call) {
  Communicator& comm = *call.comm;
  JobHolder job(comm, contexts::persistent(comm), nextPersistentTag(comm));
  buildFor(call, job->schedule());
  call.keep(job->schedule());
  return makePersistentCollective(std::make_unique<CollectiveOperation>(std::move(job), comm, Call::name));
}

} // namespace mpl
