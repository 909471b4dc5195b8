#pragma once

#include "mpl/Attributes.h"
#include "mpl/Errhandler.h"
#include "mpl/Group.h"
#include "mpl/Guarded.h"
#include "mpl/HandleTable.h"
#include "mpl/Info.h"
#include "mpl/RefCounted.h"
#include "mpl/ZeroedArray.h"
#include "pt2pt/Endpoints.h"
#include "pt2pt/Tag.h"

#include <memory>
#include <optional>
#include <string>

namespace mpl {

class BsendBuffer;
class CollectiveState;
class ProcessTopology;

/// A communicator as point-to-point and collectives need it: groups, context ids, routes. How
/// communicators are made of others is the business of comm/. The program's handle owns one reference; active
/// operations and matched messages own more, so that MPI_Comm_free may come before they end.
class Communicator : public RefCounted<Communicator> {
public:
  /// context: an even id that all members agreed on. remote: the other side of an inter-communicator, where
  /// not null. Gives no handle.
  static Ref<Communicator> create(Ref<Group> local, Ref<Group> remote, std::uint32_t context);

  /// Rank of this process in the (local) group.
  int rank() const noexcept { return rank_; }
  /// Members of the local group.
  int size() const noexcept { return localSize_; }
  /// How many ranks can be sent to: members of the remote group where there is one.
  int peerCount() const noexcept { return peerCount_; }
  /// peerCount(), or 0 while operations have to take the general path: with several threads at once, or after
  /// a process died (FastPath.h).
  unsigned fastPeerCount() const noexcept { return fastPeerCount_; }
  /// The same for receives which UCX alone can serve: 0 while messages may come through memory.
  unsigned transportSources() const noexcept { return transportSources_; }
  /// For all communicators, for ever. Engine held.
  static void closeFastPath() noexcept;
  bool isInter() const noexcept { return static_cast<bool>(remote_); }
  const Group& group() const noexcept { return *local_; }
  /// The group that ranks of messages count in: remote for inter-communicators.
  const Group& peerGroup() const noexcept { return remote_ ? *remote_ : *local_; }
  Ref<Group> groupRef() const noexcept { return local_; }
  Ref<Group> peerGroupRef() const noexcept { return remote_ ? remote_ : local_; }
  std::uint32_t context() const noexcept { return context_; }
  /// For one whose id is agreed on after it was made (MPI_Comm_idup): before anything was sent on it.
  void setContext(std::uint32_t context) noexcept {
    context_ = context;
    messageContext_ = envelope::contextPart(context);
    sendBits_ = envelope::make(messageContext_, rank_, 0);
  }

  /// The context bits of an envelope, for the program's messages and for collectives.
  std::uint64_t messageContext() const noexcept { return messageContext_; }
  /// The envelope of a message of the program's from this process, without its tag.
  std::uint64_t sendBits() const noexcept { return sendBits_; }
  std::uint64_t collectiveContext() const noexcept { return messageContext_ | envelope::contextPart(1); }

  /// The way to a rank of the peer group, 0 <= rank < peerCount(), as far as it is known.
  Route knownRoute(int rank) const noexcept { return routes_[static_cast<std::size_t>(rank)]; }
  /// The same for a send: connects at the first use. Engine held.
  Route route(int rank) {
    const Route known = knownRoute(rank);
    return known.isConnected() ? known : connect(rank);
  }
  /// The way of messages from a rank; not known while the address of a process of this node is on its way.
  /// Engine held.
  Route sourceRoute(int rank) {
    const Route known = knownRoute(rank);
    return known.isKnown() ? known : askForSource(rank);
  }
  /// Whether messages from all ranks come through memory (pt2pt/node). Engine held.
  bool hasOnlyLanes() {
    return sources_ == Sources::lanes || (sources_ == Sources::unknown && findOnlyLanes());
  }
  /// Makes all communicators forget the way to a process that died. Engine held.
  static void forgetRoutes(ProcessId process);

  /// The handle that the program has, MPI_COMM_NULL once it was freed.
  MPI_Comm handle() const noexcept { return handle_; }
  /// Gives the program a handle, which owns a reference.
  MPI_Comm giveHandle();
  /// Binds a predefined handle (MPI_COMM_WORLD, MPI_COMM_SELF).
  void bindHandle(MPI_Comm predefined);
  /// MPI_Comm_free, MPI_Comm_disconnect: the handle becomes stale and its reference is dropped. Engine held.
  void dropHandle() noexcept;
  /// Whether operations on it are under way: started, and not complete. Engine held.
  bool isBusy() const;

  CommAttributes& attributes() noexcept { return attributes_; }
  Ref<Errhandler> errhandler() const { return errhandler_.get(); }
  void setErrhandler(Ref<Errhandler> handler) { errhandler_.set(std::move(handler)); }
  std::string name() const { return name_.get(); }
  void setName(std::string name) { name_.set(std::move(name)); }
  /// The name, or something to tell it by: for messages and reports.
  std::string label() const;
  Info& info() noexcept { return info_; }

  /// "rank 3 (world 7)": a rank of the peer group, for messages.
  std::string describePeer(int rank) const;

  /// The rank itself where it has ended; for MPI_ANY_SOURCE one of the peer group that has died, or that has
  /// left in good order as the last one but this process. Engine held.
  std::optional<int> deadPeer(int rank) const noexcept;
  /// Throws MPI_ERR_PROC_ABORTED where there is one.
  void checkAlive(int rank) const;
  /// The same before a receive: a message that has come already is received all the same.
  void checkSource(std::uint64_t contextBits, int source, int tag) const;
  /// Throws MPI_ERR_PROC_ABORTED when the rank, or any member for MPI_ANY_SOURCE, has died. Those who left in
  /// good order have done their part of whatever is under way.
  void checkNotDied(int rank) const;

  /// Counts collective calls, so that each gets a tag of its own (modulo the tags there are). Engine held.
  int nextCollectiveTag() noexcept {
    collectiveCalls_ = (collectiveCalls_ + 1) & envelope::maxTag;
    return collectiveCalls_;
  }

  /// Buffer for buffered sends of this communicator alone, where one is attached.
  std::shared_ptr<BsendBuffer> bsendBuffer;
  /// Of a communicator that comes from a session.
  std::shared_ptr<SessionScope> sessionScope;
  /// What coll/ keeps with a communicator; coll/ makes it at the first use.
  std::shared_ptr<CollectiveState> collectiveState;
  /// Of an inter-communicator: the local group by itself, with a context of its own and no handle. Used only
  /// by what runs on the inter-communicator, with that one's tags.
  Ref<Communicator> companion;
  /// The virtual topology, where it has one; comm/ makes it, and copies share it.
  std::shared_ptr<const ProcessTopology> topology;
  /// Called when the last reference goes: comm/ gives the context id back.
  static void (*onDestroy)(std::uint32_t context);

private:
  friend class RefCounted<Communicator>;

  Communicator(Ref<Group> local, Ref<Group> remote, std::uint32_t context);
  ~Communicator();
  /// What is known of the ways that messages can come.
  enum class Sources : std::uint8_t { unknown, lanes, mixed };

  [[noreturn]] void failDead(int rank) const;
  Route connect(int rank);
  Route askForSource(int rank);
  bool findOnlyLanes();
  void forgetRoute(ProcessId process);
  template <class Visit> static void forEach(Visit&& visit);

  // What every send looks at comes first.
  std::uint64_t sendBits_;
  std::uint64_t messageContext_;
  unsigned fastPeerCount_;
  int peerCount_;
  int rank_;
  ZeroedArray<Route> routes_; // to the ranks that were sent to or received from
  unsigned transportSources_;
  Sources sources_ = Sources::unknown;
  int localSize_;
  std::uint32_t context_;
  MPI_Comm handle_ = MPI_COMM_NULL;
  int collectiveCalls_ = 0;
  Ref<Group> local_;
  Ref<Group> remote_;
  Guarded<Ref<Errhandler>> errhandler_;
  CommAttributes attributes_;
  Guarded<std::string> name_;
  Info info_;
  // All that are alive, those without a handle too.
  Communicator* before_ = nullptr;
  Communicator* after_ = nullptr;
};

[[gnu::visibility("hidden")]] extern constinit Immortal<HandleTable<Communicator, MPI_Comm>> communicators;

/// The object of a handle that the program gave. Errors: MPI_ERR_COMM; MPI_ERR_OTHER before MPI_Init and
/// after MPI_Finalize.
[[noreturn, gnu::cold]] void failBadComm(MPI_Comm handle);
inline Communicator& communicatorOf(MPI_Comm handle) {
  Communicator* comm = communicators->find(handle);
  if (comm == nullptr) [[unlikely]]
    failBadComm(handle);
  return *comm;
}

/// An error that belongs to a communicator which the failing call did not name (MPI_Wait, MPI_Mrecv): api/
/// gives it to that communicator's error handler.
class CommunicatorError : public Error {
public:
  CommunicatorError(Communicator& comm, int errorClass, std::string message)
      : Error(errorClass, std::move(message)), comm_(&comm) {}
  Communicator& communicator() const noexcept { return *comm_; }

private:
  Ref<Communicator> comm_;
};

} // namespace mpl
