#include "comm/Intercommunicator.h"

#include "coll/Run.h"
#include "comm/Agreement.h"
#include "comm/Duplicate.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace mpl {

namespace {

// What a leader tells its group of the other leader's message.
struct Header {
  int error = MPI_SUCCESS;
  int unused = 0;
  std::uint64_t bytes = 0;
};

Block blockOf(Header& header) {
  return Block::ofBytes(&header, sizeof header);
}

void broadcastAmong(const Bridge& bridge, const Block& data) {
  JobHolder job(*bridge.local);
  algorithm::broadcast(job->schedule(), membersOf(*bridge.local), data, bridge.leader);
  runThrough(*job);
}

// One message each way between the leaders.
void swapBlocks(const Bridge& bridge, const Block& leaving, const Block& arriving) {
  Communicator& peer = *bridge.peer;
  JobHolder job(peer, contexts::groupCreation(peer), bridge.tag);
  const int other = bridge.remoteLeader + (peer.isInter() ? peer.size() : 0);
  job->schedule().receive(arriving, other);
  job->schedule().send(leaving, other);
  runThrough(*job);
}

std::vector<std::byte> swapWithOtherLeader(const Bridge& bridge, std::span<const std::byte> mine) {
  Header own{MPI_SUCCESS, 0, mine.size()};
  Header other;
  swapBlocks(bridge, blockOf(own), blockOf(other));
  std::vector<std::byte> theirs(other.bytes);
  swapBlocks(bridge, Block::ofBytes(const_cast<std::byte*>(mine.data()), mine.size()),
             Block::ofBytes(theirs.data(), theirs.size()));
  return theirs;
}

// What the other group's leader has to say, known to all of this group afterwards. mine: at the leader.
std::vector<std::byte> swap(const Bridge& bridge, std::span<const std::byte> mine) {
  Header header;
  std::vector<std::byte> theirs;
  std::optional<Error> failure;
  if (bridge.isLeader()) {
    try {
      theirs = swapWithOtherLeader(bridge, mine);
      header.bytes = theirs.size();
    } catch (const Error& error) {
      failure = error;
      header.error = error.errorClass();
    }
  }
  broadcastAmong(bridge, blockOf(header));
  if (failure)
    throw *failure;
  if (header.error != MPI_SUCCESS)
    fail(header.error, "the leader, rank ", bridge.leader, " of ", bridge.local->label(),
         ", could not reach the other group");
  theirs.resize(header.bytes);
  broadcastAmong(bridge, Block::ofBytes(theirs.data(), theirs.size()));
  return theirs;
}

Ref<Group> groupFrom(std::span<const std::byte> bytes) {
  std::vector<ProcessId> members(bytes.size() / sizeof(ProcessId));
  std::memcpy(members.data(), bytes.data(), members.size() * sizeof(ProcessId));
  return Group::of(std::move(members));
}

Ref<Group> swapGroups(const Bridge& bridge) {
  const std::vector<ProcessId> mine = bridge.local->group().members();
  return groupFrom(swap(bridge, std::as_bytes(std::span(mine))));
}

ContextLeases agreeAcross(const Bridge& bridge, std::uint64_t key) {
  ContextAgreement agreement(ContextIds::get(), key, 2);
  do {
    {
      JobHolder job(*bridge.local);
      reduceProposal(job->schedule(), *bridge.local, agreement.proposal());
      runThrough(*job);
    }
    const ContextProposal own = agreement.proposal();
    const auto bytes = swap(bridge, std::as_bytes(std::span(&own, 1)));
    ContextProposal theirs;
    std::memcpy(&theirs, bytes.data(), std::min(sizeof theirs, bytes.size()));
    ContextProposal::combine(theirs, agreement.proposal());
  } while (!agreement.settle());
  return {ContextLease(agreement.take()), ContextLease(agreement.take(1))};
}

} // namespace

Ref<Communicator> joinGroups(const Bridge& bridge) {
  const Ref<Group> remote = swapGroups(bridge);
  const Group& local = bridge.local->group();
  if (const auto common = local.intersect(*remote); common->size() != 0)
    fail(MPI_ERR_COMM, "the two groups have ", common->size(), " member(s) in common, among them rank ",
         common->process(0), " of the job");
  const auto first = std::min(local.process(0), remote->process(0));
  ContextLeases leases =
      agreeAcross(bridge, static_cast<std::uint64_t>(first) << 32 | static_cast<std::uint32_t>(bridge.tag));
  return makeChild(*bridge.local, bridge.local->groupRef(), remote, leases);
}

namespace {

/// The other side's wish: its leader's, told to all of this side. On both sides the leader's wish counts, so
/// that all come to the same order.
struct SwapWishes {
  static constexpr const char* name = "merge";
  Communicator* comm;
  int* mine;
  int* theirs;

  void build(Schedule&, Members) const {}
  void build(Schedule& schedule, Sides me) const {
    if (me.isLeader()) {
      schedule.receive(Block::ofBytes(theirs, sizeof *theirs), me.remote(0));
      schedule.send(Block::ofBytes(mine, sizeof *mine), me.remote(0));
      schedule.waitAll();
    }
    algorithm::broadcast(schedule, me.local, Block::ofBytes(mine, sizeof *mine), 0);
    algorithm::broadcast(schedule, me.local, Block::ofBytes(theirs, sizeof *theirs), 0);
  }
  void keep(Schedule&) const {}
};

} // namespace

MPI_Comm merge(Communicator& inter, bool high) {
  int mine = high ? 1 : 0;
  int theirs = 0;
  run(SwapWishes{&inter, &mine, &theirs});
  const bool first = mine != theirs ? mine == 0 : inter.group().process(0) < inter.peerGroup().process(0);
  ContextLease lease = agreeOnContext(inter);
  Ref<Group> all = first ? inter.group().unite(inter.peerGroup()) : inter.peerGroup().unite(inter.group());
  return makeChild(inter, std::move(all), lease)->giveHandle();
}

} // namespace mpl
