#pragma once

#include "bootstrap/Process.h"

namespace mpl {

/// The PMIx client calls, behind C++ types. One object a process at a time; used through Process, which says
/// what the functions do and serializes them.
class PmixServer {
public:
  /// Throws MPI_ERR_OTHER when the server that the environment names cannot be reached.
  PmixServer();
  /// Leaves nothing: see ~Process.
  ~PmixServer() = default;
  PmixServer(const PmixServer&) = delete;
  PmixServer& operator=(const PmixServer&) = delete;

  int rank() const noexcept { return rank_; }
  int jobSize() const noexcept { return jobSize_; }
  const std::string& jobId() const noexcept { return jobId_; }
  std::vector<int> localPeers() const;
  std::vector<int> endedLocalPeers() const;
  std::vector<int> departedLocalPeers() const;
  std::vector<std::string> processSets() const;
  std::vector<int> membersOf(std::string_view set) const;
  std::optional<int> nodeCount() const;
  std::optional<int> universeSize() const;
  std::optional<int> appNumber() const;

  void put(std::string_view key, std::span<const std::byte> value);
  void commit();

  /// A question to the server, or a fence, that runs. done() and take() by one thread at a time.
  class Pending {
  public:
    virtual ~Pending() = default;
    virtual bool done() = 0;
    /// Waits for the end; gives the value (of a fence: something when it went on without some that
    /// had ended, else nothing) or throws MPI_ERR_OTHER.
    virtual Bytes take() = 0;
  };
  std::shared_ptr<Pending> startGet(int rank, std::string_view key, std::chrono::milliseconds timeout);
  std::optional<Bytes> getIfThere(int rank, std::string_view key);
  std::shared_ptr<Pending> startFence();

  /// Leaves the job; does nothing the second time.
  void finish() noexcept;
  /// Has the launcher end all processes of the job. Returns, perhaps before they end.
  static void abortJob(int status) noexcept;

private:
  std::optional<int> number(int rank, const char* key) const;

  int rank_ = 0;
  int jobSize_ = 1;
  std::string jobId_;
  bool finished_ = false;
};

} // namespace mpl
