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

void reduceAmong(Schedule& schedule, Members me, ContextProposal& proposal) {
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

// Each group by itself, then the leaders with each other, then down again.
void reduceAcross(Schedule& schedule, Sides me, ContextProposal& proposal) {
  reduceAmong(schedule, me.local, proposal);
  schedule.waitAll();
  if (me.isLeader()) {
    ContextProposal& room = proposalIn(schedule);
    schedule.receive(blockOf(room), me.remote(0));
    schedule.send(blockOf(proposal), me.remote(0));
    schedule.waitAll();
    combineStep(schedule, room, proposal);
  }
  algorithm::broadcast(schedule, me.local, blockOf(proposal), 0);
}

ContextLeases leasesOf(ContextAgreement& agreement, int wanted) {
  return {ContextLease(agreement.take()), wanted == 2 ? ContextLease(agreement.take(1)) : ContextLease()};
}

ContextLeases agreeOn(int wanted, Communicator& parent) {
  int tag = 0;
  {
    EngineLock lock;
    tag = parent.nextCollectiveTag();
  }
  JobHolder job(parent, parent.collectiveContext(), tag);
  ContextAgreement agreement(ContextIds::get(), keyOf(parent, tag), wanted);
  reduceProposal(job->schedule(), parent, agreement.proposal());
  do
    runThrough(*job);
  while (!agreement.settle());
  return leasesOf(agreement, wanted);
}

} // namespace

void reduceProposal(Schedule& schedule, Communicator& comm, ContextProposal& proposal) {
  if (comm.isInter())
    reduceAcross(schedule, {membersOf(comm), comm.peerCount()}, proposal);
  else
    reduceAmong(schedule, membersOf(comm), proposal);
}

ContextLease agreeOnContext(Communicator& parent) {
  return agreeOn(1, parent).own;
}

ContextLeases agreeOnContexts(Communicator& parent) {
  return agreeOn(parent.isInter() ? 2 : 1, parent);
}

ContextLease agreeOnContext(Communicator& parent, std::span<const int> ranks, int tag) {
  const auto found = std::find(ranks.begin(), ranks.end(), parent.rank());
  const Members me{static_cast<int>(found - ranks.begin()), static_cast<int>(ranks.size())};
  JobHolder job(parent, contexts::groupCreation(parent), tag, {ranks.begin(), ranks.end()});
  ContextAgreement agreement(ContextIds::get(), keyOf(parent, tag));
  reduceAmong(job->schedule(), me, agreement.proposal());
  do
    runThrough(*job);
  while (!agreement.settle());
  return ContextLease(agreement.take());
}

} // namespace mpl
