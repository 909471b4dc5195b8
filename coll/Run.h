#pragma once

#include "coll/Algorithms.h"
#include "coll/CollectiveOperation.h"
#include "coll/Contexts.h"

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

/// Until this rank's part is done.
template <CollectiveCall Call> void run(const Call& call) {
  Communicator& comm = *call.comm;
  const JobHolder job(comm);
  call.build(job->schedule(), membersOf(comm));
  runThrough(*job);
}

/// In the background: gives the request.
template <CollectiveCall Call> MPI_Request start(const Call& call) {
  Communicator& comm = *call.comm;
  JobHolder job(comm);
  call.build(job->schedule(), membersOf(comm));
  call.keep(job->schedule());
  return startCollective(std::make_unique<CollectiveOperation>(std::move(job), comm, Call::name));
}

/// To be started later, any number of times: gives the inactive request.
template <CollectiveCall Call> MPI_Request makePersistent(const Call& call) {
  Communicator& comm = *call.comm;
  JobHolder job(comm, contexts::persistent(comm), nextPersistentTag(comm));
  call.build(job->schedule(), membersOf(comm));
  call.keep(job->schedule());
  return makePersistentCollective(std::make_unique<CollectiveOperation>(std::move(job), comm, Call::name));
}

} // namespace mpl
