#pragma once

#include "mpi.h"

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace mpl {

class Window;

/// The parts of an operation that a transport still has under way: it counts them up when it takes them over
/// and down when they have ended. Whoever waits polls isComplete(), without a lock, between rounds of
/// progress.
class Pending {
public:
  void begin(std::uint32_t parts = 1) noexcept { parts_.fetch_add(parts, std::memory_order_relaxed); }

  /// One part has ended; errorClass: the MPI error class it failed with. The first failure stays.
  void end(int errorClass = MPI_SUCCESS) noexcept {
    if (errorClass != MPI_SUCCESS) [[unlikely]]
      fail(errorClass);
    parts_.fetch_sub(1, std::memory_order_release);
  }

  /// A failure of a part that ended before it was known.
  void fail(int errorClass) noexcept {
    int none = MPI_SUCCESS;
    error_.compare_exchange_strong(none, errorClass, std::memory_order_relaxed);
  }

  bool isComplete() const noexcept { return parts_.load(std::memory_order_acquire) == 0; }
  std::uint32_t parts() const noexcept { return parts_.load(std::memory_order_acquire); }
  /// All parts have ended, and well.
  bool isOver() const noexcept { return isComplete() && error() == MPI_SUCCESS; }
  int error() const noexcept { return error_.load(std::memory_order_relaxed); }
  /// The error, which is forgotten: told once.
  int takeError() noexcept { return error_.exchange(MPI_SUCCESS, std::memory_order_relaxed); }

private:
  std::atomic<std::uint32_t> parts_{0};
  std::atomic<int> error_{MPI_SUCCESS};
};

/// Where the memory of a window lies at a target, as the target told it. Dynamic windows: base 0, bytes
/// 2^64-1, dispUnit 1; the target itself checks what is attached.
struct RemoteWindow {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;
  std::int64_t dispUnit = 1;
};

/// How far the way to a target is.
enum class LinkState {
  connecting, ///< wait, driving progress
  ready,
  refused, ///< this transport does not lead there: the next one is tried
  dead,    ///< the target is gone: operations fail with MPI_ERR_PROC_ABORTED
};

/// The way from this process to one window at one target. All functions are called with the transports' lock
/// (RmaLock) held and never wait.
template <class L>
concept TransportLink = requires(L link, const void* from, void* to, std::uint64_t remote, std::size_t bytes,
                                 Pending& pending) {
  /// Asked again and again until it is not `connecting` any more.
  { link.state() } -> std::same_as<LinkState>;
  /// Valid when ready.
  { link.remote() } -> std::convertible_to<const RemoteWindow&>;

  /// Starts to copy `bytes` (at least 1) from this process to the target's address `remote`; the range lies
  /// within remote(). Of any length: the transport splits. pending: a part for each piece that is not over
  /// when the call returns; it ends when `from` may be changed. The data arrives by the next flush.
  link.put(from, remote, bytes, pending);
  /// The other way; the part ends when the data is in `to`.
  link.get(to, remote, bytes, pending);
  /// Everything put over this link so far: the part ends when it has all arrived in the target's memory.
  /// Not called where nothing was put since the last flush.
  link.flush(pending);
};

/// One kind of way. There is one object of each for the process, made when a window first asks for it.
/// Functions are called with RmaLock held unless said otherwise, and never wait.
template <class T>
concept WindowTransport = requires(T transport, Window& window, int rank) {
  /// The word for it in MPL_ONESIDED, in reports and in counters.
  { T::name } -> std::convertible_to<const char*>;
  requires TransportLink<typename T::Link>;

  /// This process's part of the window is there (base(), bytes()), and the window has its id. Nothing may be
  /// exchanged with other processes and nothing per rank may be stored here; memory is registered by the
  /// first who asks for it, not here. Called without the lock, before any other process can know the window.
  /// Throws where the window cannot be had over this transport by force of MPL_ONESIDED.
  transport.opened(window);
  /// The window goes: no access to it is under way any more at any process. Called without the lock.
  transport.closing(window);

  /// Whether to try this way to that rank; cheap, decided by what this process knows by itself. Both sides
  /// need not agree.
  { transport.leadsTo(window, rank) } -> std::same_as<bool>;
  /// Starts to connect. The link is destroyed, with the lock held, before closing().
  { transport.connect(window, rank) } -> std::same_as<std::unique_ptr<typename T::Link>>;

  /// Moves everything on, for origins and for targets (connection requests of others included); returns how
  /// much happened. Called by whoever waits in MPI, and by the progress thread while nobody does.
  { transport.progress() } -> std::same_as<unsigned>;
  /// A descriptor that becomes readable when there is work for progress() (may be an epoll set), or -1 where
  /// the transport needs nothing while the program computes. armed(): called before sleeping on it; false
  /// where there is work already.
  { transport.wakeDescriptor() } -> std::same_as<int>;
  { transport.armed() } -> std::same_as<bool>;
};

} // namespace mpl
