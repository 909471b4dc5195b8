#include "comm/Agreement.h"

#include "coll/CollectiveJob.h"
#include "coll/Halving.h"
#include "coll/Run.h"

#include <algorithm>
#include <new>

namespace mpl {

namespace {

struct Combination {
  const ContextProposal* in;
  ContextProposal* inout;
};

ContextProposal& proposalIn(Schedule& schedule) {
  return *new (schedule.scratch(sizeof(ContextProposal))) ContextProposal();
}

void combineStep(Schedule& schedule, const ContextProposal& in, ContextProposal& inout) {
  auto* both = new (schedule.scratch(sizeof(Combination))) Combination{&in, &inout};
  schedule.call(
      [](void* argument) {
        const auto& combination = *static_cast<const Combination*>(argument);
        ContextProposal::combine(*combination.in, *combination.inout);
      },
      both);
}

Block blockOf(ContextProposal& proposal) {
  return Block::ofBytes(&proposal, sizeof proposal);
}

std::uint64_t keyOf(const Communicator& parent, int tag) {
  return std::uint64_t{parent.context()} << 32 | static_cast<std::uint32_t>(tag);
}

ContextLease agree(JobHolder& job, Members me, std::uint64_t key) {
  ContextAgreement agreement(ContextIds::get(), key);
  reduceProposal(job->schedule(), me, agreement.proposal());
  do
    runThrough(*job);
  while (!agreement.settle());
  return ContextLease(agreement.take());
}

} // namespace

void reduceProposal(Schedule& schedule, Members me, ContextProposal& proposal) {
  const PowerOfTwo group(me);
  if (group.isServed()) {
    schedule.send(blockOf(proposal), group.pairPartner());
    schedule.waitAll();
    schedule.receive(blockOf(proposal), group.pairPartner());
    return;
  }
  ContextProposal& room = proposalIn(schedule);
  if (group.isPaired()) {
    schedule.wait(schedule.receive(blockOf(room), group.pairPartner()));
    combineStep(schedule, room, proposal);
  }
  for (int bit = 1; bit < group.workers(); bit *= 2) {
    const int partner = group.rankOf(group.worker() ^ bit);
    schedule.receive(blockOf(room), partner);
    schedule.send(blockOf(proposal), partner);
    schedule.waitAll();
    combineStep(schedule, room, proposal);
  }
  if (group.isPaired())
    schedule.send(blockOf(proposal), group.pairPartner());
}

ContextLease agreeOnContext(Communicator& parent) {
  int tag = 0;
  {
    EngineLock lock;
    tag = parent.nextCollectiveTag();
  }
  JobHolder job(parent, parent.collectiveContext(), tag);
  return agree(job, membersOf(parent), keyOf(parent, tag));
}

ContextLease agreeOnContext(Communicator& parent, std::span<const int> ranks, int tag) {
  const auto found = std::find(ranks.begin(), ranks.end(), parent.rank());
  const Members me{static_cast<int>(found - ranks.begin()), static_cast<int>(ranks.size())};
  JobHolder job(parent, contexts::groupCreation(parent), tag, {ranks.begin(), ranks.end()});
  return agree(job, me, keyOf(parent, tag));
}

} // namespace mpl
