#pragma once

#include "bootstrap/PeerWatch.h"
#include "bootstrap/Process.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

namespace mpl {

class Communicator;
class TagProbeInfo;

/// The library between MPI_Init and MPI_Finalize: the job, the engine, MPI_COMM_WORLD and MPI_COMM_SELF.
/// start() and finish() are called by one thread; the rest by any.
class Runtime {
public:
  enum class State { before, active, finished };

  /// Joins the job and makes the world. level: the thread support that the program asked for.
  void start(int threadLevel);

  /// Ends communication with everybody (MPI_Finalize): waits for the others, receives what nobody took, says
  /// what was left over, and tears down. Does not hang for unexpected messages, unfinished sends or dead
  /// peers.
  void finish();

  State state() const noexcept { return state_.load(std::memory_order_acquire); }
  bool isActive() const noexcept { return state() == State::active; }
  /// Errors: MPI_ERR_OTHER before MPI_Init and after MPI_Finalize.
  void requireActive() const;

  Process& process() noexcept { return *process_; }
  int threadLevel() const noexcept { return threadLevel_; }
  bool isMainThread() const noexcept { return std::this_thread::get_id() == mainThread_; }
  bool oversubscribed() const noexcept { return oversubscribed_; }

  /// What a higher layer has to end when all others have come to the end too and before UCX goes;
  /// orderly: nobody has died and nothing is under way. Set when that layer comes to life.
  void setEnding(void (*ending)(bool orderly)) noexcept { ending_ = ending; }

  /// Looks for peers that have died, at most once per watch interval. Takes the engine.
  void checkPeers();
  /// The same with the engine held.
  void checkPeersHeld();

private:
  bool checkIsDue();
  void lookAtPeers();
  void markEnded();
  void findWhoEnded();
  void makeWorld();
  void setAttributes();
  void waitForFence();
  void discard(Communicator& comm, TagProbeInfo& probed);
  void drain();
  /// Waits until no send is under way; false where a death keeps some from ending.
  bool settle();
  void dropCommunicators() noexcept;

  std::atomic<State> state_{State::before};
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
