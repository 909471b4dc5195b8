#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mpl {

using Bytes = std::vector<std::byte>;

/// This process as a member of its job: who it is, who the others are, and a small board on which each
/// process pins values that the others read (PMIx below; alone, without a server, the board is local).
///
/// At most one object at a time; a new one may be made after finish(). Everything but start(), finish() and
/// the destructor may be called by several threads at once. A child made by fork() must not use the object:
/// its calls do nothing (finish, the destructor) or throw.
class Process {
public:
  /// Joins the job. Costs one exchange with the local server and nothing per peer. Throws MPI_ERR_OTHER when
  /// a launcher is seen that speaks no PMIx, or when the launcher's PMIx server cannot be reached
  /// (MPI-5.0, 11.2).
  static std::unique_ptr<Process> start();
  /// Does not leave the job: a program that ends without MPI_Finalize runs destructors too, and the launcher
  /// must see that it ended too early.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }
  /// True when there is no launcher: rank 0 of 1.
  bool singleton() const noexcept { return singleton_; }
  /// Names the job; different for different jobs on one node, and for different singletons.
  const std::string& jobId() const noexcept { return jobId_; }
  const std::string& hostName() const noexcept { return hostName_; }

  /// The following ask the local server at the first use.
  int localRank();
  /// Ranks on this node, ascending, this one among them.
  const std::vector<int>& localPeers();
  bool isLocal(int rank);
  std::optional<int> nodeCount();
  std::optional<int> universeSize();
  std::optional<int> appNumber();

  /// Ranks on this node that the launcher has seen end, in whatever way; empty when it does not tell. Asks
  /// the local server: for those who wait for a peer that has published nothing yet.
  std::vector<int> endedLocalPeers();
  /// Ranks on this node that are members of the job no longer and did not fail, or not yet; likewise.
  std::vector<int> departedLocalPeers();

  /// The process sets that the launcher knows, and the ranks of this job in one; empty where there are none.
  std::vector<std::string> processSets();
  std::vector<int> membersOf(std::string_view set);

  /// Pins a value (at most 64 KiB) under a key of at most 64 characters. Others see it after commit(). Values
  /// put before the first commit() reach the others in one message; a key put later can be read too.
  void put(std::string_view key, std::span<const std::byte> value);
  void putAddress(std::span<const std::byte> address) { put(addressKey, address); }
  void commit();

  /// A value on its way. Dropping it drops the answer.
  class Fetch {
  public:
    /// True once take() will not wait.
    bool done() const;
    /// The value. Waits up to the time-out given at the start; throws MPI_ERR_OTHER, naming rank and key,
    /// when it did not come.
    Bytes take();

  private:
    friend class Process;
    struct State;
    std::shared_ptr<State> state_;
  };

  /// Asks for the value that rank pins under key, waiting for it to be pinned; keep progressing until done().
  Fetch startFetch(int rank, std::string_view key, std::chrono::milliseconds timeout = defaultTimeout());
  Bytes get(int rank, std::string_view key, std::chrono::milliseconds timeout = defaultTimeout());
  Bytes fetchAddress(int rank, std::chrono::milliseconds timeout = defaultTimeout()) {
    return get(rank, addressKey, timeout);
  }
  /// The value if it is already there; never waits for the peer.
  std::optional<Bytes> tryGet(int rank, std::string_view key);
  /// MPL_CONNECT_TIMEOUT.
  static std::chrono::milliseconds defaultTimeout();

  /// A fence over the whole job: fenceDone() turns true when all have called startFence(). One at a time. It
  /// moves no data and does not drive messages: keep progressing while it runs.
  void startFence();
  bool fenceDone();
  /// True when the last fence that ended went on without some that had ended before they came to it.
  bool fenceWasPartial();

  /// Leaves the job in good order: PMIx_Finalize. Does nothing the second time and in a child made by fork().
  void finish() noexcept;

  /// Ends the job (MPI_Abort): one line with rank, host, code and message on standard error, then all
  /// processes are ended by the launcher, and this one by _exit(exitStatus(code)). Works at any time, before
  /// start() and after finish() too, where it ends this process only. Never returns.
  [[noreturn]] static void abort(int code, std::string_view message) noexcept;
  /// The exit status that abort gives for a code: its low 8 bits, or 1 where these are 0.
  static int exitStatus(int code) noexcept;

  static constexpr std::string_view addressKey = "mpl.addr";
  static constexpr std::string_view identityKey = "mpl.id";

private:
  Process();
  struct Server;

  int rank_ = 0;
  int size_ = 1;
  bool singleton_ = true;
  std::string jobId_;
  std::string hostName_;
  std::unique_ptr<Server> server_;
};

} // namespace mpl
