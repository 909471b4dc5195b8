#pragma once

#include "bootstrap/ProcessIdentity.h"

#include <chrono>
#include <span>
#include <utility>
#include <vector>

namespace mpl {

/// Finds out that processes of this node have died, without the launcher. Opens one descriptor per watched
/// peer (pidfd), or asks /proc where that is not possible. A peer that ended well after MPI_Finalize looks
/// the same as one that was killed: who waits for a peer decides which it is, by waiting a moment for what
/// the peer may have said before it went. One thread at a time. Nothing in here waits for another process.
class PeerWatch {
public:
  enum class Outcome {
    watching,          ///< poll() will tell
    dead,              ///< it is dead
    notLocal,          ///< on another node
    otherPidNamespace, ///< on this node, but its process id means nothing here: cannot be watched
    notYetKnown,       ///< it has not published its identity yet: ask again later
  };

  explicit PeerWatch(Process& process);
  ~PeerWatch();
  PeerWatch(const PeerWatch&) = delete;
  PeerWatch& operator=(const PeerWatch&) = delete;

  /// Starts watching a rank. Cheap when it is watched already; otherwise it asks the local server (some 0.3
  /// ms while the peer has published nothing). This process itself is `watching`. A peer that is found dead
  /// here is in the answer of the next poll() too.
  Outcome watch(int rank);
  /// watch() for every local peer; true when none is left `notYetKnown`. Call again until then: from the
  /// second on the launcher is asked about those who are silent, so that one that died before it published
  /// anything is found.
  bool watchLocalPeers();
  /// Starts watching a process given by its identity, under the number rank.
  Outcome watchProcess(int rank, const ProcessIdentity& identity);

  /// The ranks newly found dead since the last call; mostly none, at the price of one system call. The span
  /// lives until the next call.
  std::span<const int> poll();
  bool isDead(int rank) const noexcept;
  /// How many are watched and alive.
  std::size_t watched() const noexcept;

private:
  struct Peer {
    int rank;
    Outcome outcome;
    int descriptor; ///< -1: looked up in /proc at each poll()
    ProcessIdentity identity;
  };
  const Peer* find(int rank) const noexcept;
  Peer* find(int rank) noexcept { return const_cast<Peer*>(std::as_const(*this).find(rank)); }
  Outcome insert(Peer peer);
  void markDead(Peer& peer);
  void askLauncher();

  Process& process_;
  ProcessIdentity self_;
  std::vector<Peer> peers_; ///< ascending by rank
  std::vector<int> newlyDead_;
  std::vector<int> reported_;
  int epoll_;
  std::size_t withoutDescriptor_ = 0;
  static constexpr std::chrono::seconds askEvery{1};
  static constexpr int questionsAtATime = 8; // a caller that waits must not spend its time on the late ones
  std::chrono::steady_clock::time_point askAgain_{};
};

} // namespace mpl
