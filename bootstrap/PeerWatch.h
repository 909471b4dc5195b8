#pragma once

#include "bootstrap/ProcessIdentity.h"

#include <span>
#include <vector>

namespace mpl {

/// Finds out that processes of this node have died, without the launcher. Opens one descriptor per watched
/// peer (pidfd), or asks /proc where there are none. A peer that ended well after MPI_Finalize looks the same
/// as one that was killed: who waits for a peer decides which it is. One thread at a time.
class PeerWatch {
public:
  enum class Outcome {
    watching,          ///< poll() will tell
    dead,              ///< it is dead already; poll() reports it next time, once
    notLocal,          ///< on another node
    otherPidNamespace, ///< on this node, but its process id means nothing here: cannot be watched
    notYetKnown,       ///< it has not pinned its identity yet: ask again later
  };

  explicit PeerWatch(Process& process);
  ~PeerWatch();
  PeerWatch(const PeerWatch&) = delete;
  PeerWatch& operator=(const PeerWatch&) = delete;

  /// Starts watching a rank; never waits for it. Asking again is cheap. This process itself is `watching`.
  Outcome watch(int rank);
  /// watch() for every local peer; true when none is left `notYetKnown`. Call again until then.
  bool watchLocalPeers();
  /// Starts watching a process given by its identity, under the number rank.
  Outcome watchProcess(int rank, const ProcessIdentity& identity);

  /// The ranks newly found dead since the last call; empty at the price of one system call. The span lives
  /// until the next call.
  std::span<const int> poll();
  bool isDead(int rank) const noexcept;
  std::size_t watched() const noexcept;

private:
  struct Peer {
    int rank;
    Outcome outcome;
    int descriptor;
    ProcessIdentity identity;
  };
  Process& process_;
  ProcessIdentity self_;
  std::vector<Peer> peers_; ///< ascending by rank
  std::vector<int> newlyDead_;
  std::vector<int> reported_;
  int epoll_ = -1;
  std::size_t withoutDescriptor_ = 0;
};

} // namespace mpl
