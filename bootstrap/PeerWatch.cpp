#include "bootstrap/PeerWatch.h"

#include "mpl/Error.h"

#include <algorithm>
#include <array>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace mpl {

namespace {

int openPidfd(pid_t pid) {
  return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
}

} // namespace

PeerWatch::PeerWatch(Process& process)
    : process_(process), self_(ProcessIdentity::ofThisProcess()), epoll_(::epoll_create1(EPOLL_CLOEXEC)) {}

PeerWatch::~PeerWatch() {
  for (const Peer& peer : peers_)
    if (peer.descriptor >= 0)
      ::close(peer.descriptor);
  if (epoll_ >= 0)
    ::close(epoll_);
}

const PeerWatch::Peer* PeerWatch::find(int rank) const noexcept {
  const auto at = std::lower_bound(peers_.begin(), peers_.end(), rank,
                                   [](const Peer& peer, int wanted) { return peer.rank < wanted; });
  return at != peers_.end() && at->rank == rank ? &*at : nullptr;
}

PeerWatch::Outcome PeerWatch::watch(int rank) {
  if (rank == process_.rank())
    return Outcome::watching;
  if (const Peer* known = find(rank))
    return known->outcome;
  if (!process_.isLocal(rank))
    return Outcome::notLocal;
  const auto bytes = process_.tryGet(rank, Process::identityKey);
  return bytes ? watchProcess(rank, ProcessIdentity::decode(*bytes)) : Outcome::notYetKnown;
}

bool PeerWatch::watchLocalPeers() {
  int unknown = 0;
  for (const int rank : process_.localPeers())
    if (watch(rank) == Outcome::notYetKnown && ++unknown == questionsAtATime)
      break;
  if (unknown > 0)
    askLauncher();
  return unknown == 0;
}

void PeerWatch::askLauncher() {
  // A start takes a while, and a question to the server has its price: ask seldom.
  const auto now = std::chrono::steady_clock::now();
  if (now < askAgain_)
    return;
  const bool first = askAgain_ == std::chrono::steady_clock::time_point{};
  askAgain_ = now + askEvery;
  if (first)
    return;
  for (const int rank : process_.endedLocalPeers())
    if (rank != process_.rank() && find(rank) == nullptr && !process_.tryGet(rank, Process::identityKey)) {
      insert(Peer{rank, Outcome::dead, -1, {}});
      newlyDead_.push_back(rank);
    }
}

PeerWatch::Outcome PeerWatch::watchProcess(int rank, const ProcessIdentity& identity) {
  if (const Peer* known = find(rank))
    return known->outcome;
  Peer peer{rank, Outcome::watching, -1, identity};
  if (identity.pid <= 0 || identity.pidNamespace != self_.pidNamespace) {
    peer.outcome = Outcome::otherPidNamespace;
  } else {
    peer.descriptor = openPidfd(static_cast<pid_t>(identity.pid));
    // Looked at after the descriptor is open: from then on it stands for the process that was looked at.
    if (!isAlive(static_cast<pid_t>(identity.pid), identity.startTime)) {
      peer.outcome = Outcome::dead;
      newlyDead_.push_back(rank);
      if (peer.descriptor >= 0)
        ::close(peer.descriptor);
      peer.descriptor = -1;
    } else if (peer.descriptor >= 0) {
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.u64 = static_cast<std::uint64_t>(rank);
      if (epoll_ < 0 || ::epoll_ctl(epoll_, EPOLL_CTL_ADD, peer.descriptor, &event) != 0) {
        ::close(peer.descriptor);
        peer.descriptor = -1;
      }
    }
    if (peer.outcome == Outcome::watching && peer.descriptor < 0)
      ++withoutDescriptor_;
  }
  return insert(std::move(peer));
}

PeerWatch::Outcome PeerWatch::insert(Peer peer) {
  const auto at = std::lower_bound(peers_.begin(), peers_.end(), peer.rank,
                                   [](const Peer& other, int wanted) { return other.rank < wanted; });
  return peers_.insert(at, std::move(peer))->outcome;
}

void PeerWatch::markDead(Peer& peer) {
  peer.outcome = Outcome::dead;
  newlyDead_.push_back(peer.rank);
  if (peer.descriptor >= 0)
    ::close(peer.descriptor); // takes it out of the epoll set as well
  else
    --withoutDescriptor_;
  peer.descriptor = -1;
}

std::span<const int> PeerWatch::poll() {
  std::array<epoll_event, 16> events;
  for (int count = static_cast<int>(events.size()); count == static_cast<int>(events.size());) {
    count = epoll_ < 0 ? 0 : ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 0);
    for (int i = 0; i < count; ++i)
      if (Peer* peer = find(static_cast<int>(events[static_cast<std::size_t>(i)].data.u64)))
        markDead(*peer);
  }
  if (withoutDescriptor_ > 0)
    for (Peer& peer : peers_)
      if (peer.outcome == Outcome::watching && peer.descriptor < 0 &&
          !isAlive(static_cast<pid_t>(peer.identity.pid), peer.identity.startTime))
        markDead(peer);
  reported_.swap(newlyDead_);
  newlyDead_.clear();
  return reported_;
}

bool PeerWatch::isDead(int rank) const noexcept {
  const Peer* peer = find(rank);
  return peer != nullptr && peer->outcome == Outcome::dead;
}

std::size_t PeerWatch::watched() const noexcept {
  return static_cast<std::size_t>(std::count_if(
      peers_.begin(), peers_.end(), [](const Peer& peer) { return peer.outcome == Outcome::watching; }));
}

} // namespace mpl
