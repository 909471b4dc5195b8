#include "comm/FromGroup.h"

#include "comm/Agreement.h"
#include "pt2pt/Runtime.h"

namespace mpl {

namespace {

// FNV-1a, folded to the width of a tag.
int hashOf(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return static_cast<int>((hash ^ hash >> 23 ^ hash >> 46) & envelope::maxTag);
}

// The members reach each other over a communicator of the library's own, in which ranks are those of the job.
std::vector<int> jobRanks(const Group& group) {
  std::vector<int> ranks(static_cast<std::size_t>(group.size()));
  for (int rank = 0; rank < group.size(); ++rank) {
    const ProcessId process = group.process(rank);
    if (process >= runtime.universe().size())
      fail(MPI_ERR_GROUP, "rank ", rank, " of the group is a process of another job");
    ranks[static_cast<std::size_t>(rank)] = static_cast<int>(process);
  }
  return ranks;
}

} // namespace

Ref<Communicator> createFromGroup(const Group& group, std::string_view tag, const Ref<Errhandler>& handler) {
  if (group.rank() == MPI_UNDEFINED)
    fail(MPI_ERR_GROUP, "this process is not among the ", group.size(), " of the group");
  const std::vector<int> ranks = jobRanks(group);
  ContextLease lease = agreeOnContext(runtime.universe(), ranks, hashOf(tag));
  Ref<Communicator> made = Communicator::create(Ref<Group>(const_cast<Group*>(&group)), {}, lease.take());
  made->setErrhandler(handler);
  made->sessionScope = group.origin();
  return made;
}

Ref<Communicator> joinGroups(const Group& local, int leader, const Group* remote, int remoteLeader,
                             std::string_view tag, const Ref<Errhandler>& handler) {
  const Ref<Communicator> side = createFromGroup(local, tag, handler);
  Bridge bridge{side.get(), leader, nullptr, 0, hashOf(tag)};
  if (bridge.isLeader()) {
    bridge.peer = &runtime.universe();
    bridge.remoteLeader = static_cast<int>(remote->process(remoteLeader));
  }
  return joinGroups(bridge);
}

} // namespace mpl
