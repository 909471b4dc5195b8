#pragma once

#include "bootstrap/PeerWatch.h"
#include "bootstrap/Process.h"
#include "pt2pt/Communicator.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace mpl {

class TagProbeInfo;

/// The library while it is in use: the job, the engine, and, between MPI_Init and MPI_Finalize,
/// MPI_COMM_WORLD and MPI_COMM_SELF. The World Model and any number of sessions share one engine; the first
/// of them starts it. After the last of them the process leaves the job but keeps its engine until it ends or
/// uses MPI again: others may go on, with messages to it under way, and if it comes back they find it where
/// it was. PMIx is left with MPI_Finalize, or, where sessions were the last, at the end of the process.
///
/// start() and finish() are called by one thread; the rest by any.
class Runtime {
public:
  /// Of the World Model.
  enum class State { before, active, finished };

  /// Joins the job and makes the world. level: the thread support that the program asked for.
  void start(int threadLevel);

  /// Ends communication with everybody (MPI_Finalize): waits for the others, receives what nobody took, says
  /// and what was left over. Does not hang for unexpected messages, unfinished sends or dead peers.
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

  /// What a higher layer has to say or end in MPI_Finalize, when no session goes on. Set when that layer
  /// comes to life.
  void setEnding(void (*ending)()) noexcept { ending_ = ending; }

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
  /// Waits for what nobody else waits for; function: of MPI, for messages.
  void waitForRest(const char* function);
  void findWhoEnded();
  void makeWorld();
  void setAttributes();
  void waitForFence();
  void discard(Request& request);
  void discardHeldMessages();
  bool isOfWorld(const Communicator& comm) const noexcept;
  std::vector<envelope::Pattern> unwantedMessages() const;
  /// Whether an operation under way is among those that are chosen.
  template <class Choose> bool isUnfinished(Choose&& choose) const;
  bool leftInGoodOrder(int rank);
  void drain();
  /// Waits until no send of the World Model is under way, or a death keeps some from ending.
  void settle();
  void dropCommunicators() noexcept;

  std::atomic<State> state_{State::before};
  std::atomic<int> sessions_{0};
  std::mutex lifeMutex_; // joining and leaving
  Ref<Communicator> universe_;
  bool joined_ = false;
  bool hasLeft_ = false; // all sessions, and PMIx not yet
  std::unique_ptr<Process> process_;
  std::unique_ptr<PeerWatch> watch_;
  std::atomic<std::chrono::steady_clock::rep> nextCheck_{0};
  void (*ending_)() = nullptr;
  bool allWatched_ = false;
  bool oversubscribed_ = false;
  int threadLevel_ = 0;
  std::thread::id mainThread_;
  std::uint64_t drainedMessages_ = 0;
  std::size_t pendingDiscards_ = 0;
};

extern Runtime runtime;

} // namespace mpl
