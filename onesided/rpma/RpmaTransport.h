#pragma once

#include "onesided/Transport.h"
#include "onesided/rpma/Directory.h"
#include "onesided/rpma/RpmaConnection.h"
#include "onesided/rpma/RpmaService.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mpl {

/// A window at a target over RDMA.
class RpmaLink {
public:
  RpmaLink(RpmaConnection& connection, std::uint32_t window) : connection_(connection), window_(window) {
    connection_.addWindow(window_);
  }
  ~RpmaLink();
  RpmaLink(const RpmaLink&) = delete;
  RpmaLink& operator=(const RpmaLink&) = delete;

  LinkState state();
  const RemoteWindow& remote() const noexcept { return remote_; }
  void put(const void* from, std::uint64_t remote, std::size_t bytes, Pending& pending);
  void get(void* to, std::uint64_t remote, std::size_t bytes, Pending& pending);
  /// Stores an aligned element of 8 bytes as a whole; false where the device cannot do it there.
  bool store(const void* from, std::uint64_t remote, Pending& pending);
  void flush(Pending& pending);
  /// Stays with the device for as long as it commonly takes, or until both are over.
  void linger(const Pending& first, const Pending& second);

private:
  /// A read of the target's directory, which may outlive the link.
  struct Lookup {
    std::array<std::byte, WindowDirectory::probeBytes> probe{};
    Pending pending;
    int attempts = 0;
  };
  void startLookup();
  LinkState finishLookup();
  LinkState accept(const WindowRecord& record);
  /// Waits for a connection that broke to be made anew; false, and the operation fails, where that does not
  /// work.
  bool isUsable(Pending& pending) { return connection_.isSound() || makeUsable(pending); }
  bool makeUsable(Pending& pending);

  RpmaConnection& connection_;
  std::uint32_t window_;
  RemoteWindow remote_;
  rpma_mr_remote* region_ = nullptr;
  std::unique_ptr<Lookup> lookup_;
  bool dirty_ = false;
  int lost_ = MPI_SUCCESS; ///< puts since the last flush that may not arrive
  LinkState state_ = LinkState::connecting;
};

/// Windows over librpma, between processes that both have an RDMA device. Processes of one node reach each
/// other by shared memory unless MPL_ONESIDED says rpma.
class RpmaTransport {
public:
  using Link = RpmaLink;
  static constexpr const char* name = "rpma";

  /// Opens the device and begins to listen; publishes where, or that there is no device, which the next
  /// Process::commit() makes known. Before the progress thread runs.
  void start();
  /// The process is dead: what is under way to it ends.
  void markDead(ProcessId process) noexcept;
  /// For MPL_STATS.
  std::string details() const;

  void opened(Window& window);
  void closing(Window& window) noexcept;
  bool leadsTo(Window& window, int rank);
  std::unique_ptr<RpmaLink> connect(Window& window, int rank);
  unsigned progress();
  int wakeDescriptor() const noexcept { return context_ ? context_->events.descriptor() : -1; }
  bool armed() const noexcept { return true; }

  /// The connection has operations under way.
  void watch(RpmaConnection& connection) {
    if (!std::exchange(connection.isWatched, true))
      watched_.push_back(&connection);
  }
  void tellRefusal(const RpmaConnection& connection);

private:
  bool forced_ = false;
  bool told_ = false;
  unsigned turn_ = 0;
  std::unique_ptr<RpmaContext> context_;
  std::unique_ptr<RpmaService> service_;
  std::unordered_map<ProcessId, std::unique_ptr<RpmaConnection>> connections_;
  std::vector<RpmaConnection*> watched_;
};

/// Never destroyed: a program may end without MPI_Finalize, with threads of the library at work.
extern RpmaTransport& rpmaTransport;

} // namespace mpl
