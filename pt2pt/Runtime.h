#pragma once

#include "bootstrap/PeerWatch.h"
#include "bootstrap/Process.h"
#include "pt2pt/Communicator.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>

namespace mpl {

class TagProbeInfo;

/// The library while it is in use: the job, the engine, and, between MPI_Init and MPI_Finalize,
/// MPI_COMM_WORLD and MPI_COMM_SELF. The World Model and any number of sessions share one engine; the first
/// of them starts it. Where MPI_Finalize is the last to leave, everything is torn down, with all others.
/// After the last MPI_Session_finalize, which others need not call at the same time, the process leaves the
/// job but keeps its engine until it ends or uses MPI again, so that nobody's messages to it are lost.
///
/// start() and finish() are called by one thread; the rest by any.
class Runtime {
public:
  /// Of the World Model.
  enum class State { before, active, finished };

  /// Joins the job and makes the world. level: the thread support that the program asked for.
  void start(int threadLevel);

  /// Ends communication with everybody (MPI_Finalize): waits for the others, receives what nobody took, says
  /// what was left over, and tears down. Does not hang for unexpected messages, unfinished sends or dead
  /// peers.
  void finish();

  /// MPI_Session_init and MPI_Session_finalize. Leaving waits for this process's sends.
  void openSession(int threadLevel);
  void closeSession();

  State state() const noexcept { return state_.load(std::memory_order_acquire); }
  /// Between MPI_Init and MPI_Finalize, or while there is a session.
  bool isActive() const noexcept { return state() == State::active || sessions_.load() != 0; }
  /// Errors: MPI_ERR_OTHER where it is not.
  void requireActive() const;

  /// All processes of the job, in a context of the library's own: communicators are made of groups over it.
  Communicator& universe() const noexcept { return *universe_; }

  Process& process() noexcept { return *process_; }
  int threadLevel() const noexcept { return threadLevel_; }
  bool isMainThread() const noexcept { return std::this_thread::get_id() == mainThread_; }
  bool oversubscribed() const noexcept { return oversubscribed_; }

  /// What a higher layer has to end when all others have come to the end too and before UCX goes;
  /// orderly: nobody has died and nothing is under way. Set when that layer comes to life.
  void setEnding(void (*ending)(bool orderly)) noexcept { ending_ = ending; }

  /// Whether deaths of peers are looked for at all.
  bool watchesPeers() const;
  /// Looks for peers that have died, at most once per watch interval. Takes the engine.
  void checkPeers();
  /// The same with the engine held.
  void checkPeersHeld();

private:
  bool checkIsDue();
  void lookAtPeers();
  void markEnded();
  void join(int threadLevel);
  void leave();
  void findWhoEnded();
  void makeWorld();
  void setAttributes();
  void waitForFence();
  void discard(Request& request);
  void discardHeldMessages();
  void sayWhatIsWaitedFor() const;
  bool isAnythingUnfinished(bool receives) const;
  bool leftInGoodOrder(int rank);
  void drain();
  /// Waits until no send is under way; false where a death keeps some from ending.
  bool settle();
  void dropCommunicators() noexcept;

  std::atomic<State> state_{State::before};
  std::atomic<int> sessions_{0};
  std::mutex lifeMutex_; // joining and leaving
  Ref<Communicator> universe_;
  bool joined_ = false;
  std::unique_ptr<Process> process_;
  std::unique_ptr<PeerWatch> watch_;
  std::atomic<std::chrono::steady_clock::rep> nextCheck_{0};
  void (*ending_)(bool orderly) = nullptr;
  bool allWatched_ = false;
  bool oversubscribed_ = false;
  int threadLevel_ = 0;
  std::thread::id mainThread_;
  std::uint64_t drainedMessages_ = 0;
  std::size_t pendingDiscards_ = 0;
};

extern Runtime runtime;

} // namespace mpl
