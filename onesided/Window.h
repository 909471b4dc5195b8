#pragma once

#include "mpl/Attributes.h"
#include "mpl/Errhandler.h"
#include "mpl/HandleTable.h"
#include "mpl/Info.h"
#include "mpl/RefCounted.h"
#include "mpl/ZeroedArray.h"
#include "onesided/MemberBlock.h"
#include "onesided/NodeMemory.h"
#include "onesided/RmaProgress.h"
#include "onesided/Target.h"
#include "pt2pt/Communicator.h"
#include "pt2pt/Request.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mpl {

/// A window (MPI-5.0, chapter 12): this process's memory, the group, and what this process does with the
/// memory of the others. Of another member nothing is kept before it is first accessed; members on the same
/// node share a block of memory with 256 bytes for each of them.
///
/// Calls on one window may come from several threads (MPI_THREAD_MULTIPLE), as far as the standard allows.
/// Functions wait only where they say so.
class Window : public RefCounted<Window> {
public:
  enum class Flavor { create, allocate, dynamic, shared };

  struct Memory {
    std::byte* base = nullptr;
    std::uint64_t bytes = 0;
    std::int64_t dispUnit = 1;
  };

  /// What a member asks for.
  struct Wish {
    Flavor flavor = Flavor::create;
    void* base = nullptr; ///< MPI_Win_create
    MPI_Aint bytes = 0;
    MPI_Aint dispUnit = 1;
    const Info* hints = nullptr;
  };

  /// Collective over comm; waits. Where one member cannot have its part, all fail with its error. Errors:
  /// MPI_ERR_SIZE, MPI_ERR_DISP, MPI_ERR_BASE, MPI_ERR_RMA_SHARED (not all members on one node),
  /// MPI_ERR_NO_MEM, MPI_ERR_PROC_ABORTED.
  static Ref<Window> make(Communicator& parent, const Wish& wish);

  /// The window with this number, or nullptr. RmaLock held.
  static Window* findLocal(std::uint32_t id);
  /// The window whose own communicator this is, for errors of requests.
  static Window* ofCommunicator(const Communicator& comm);

  std::uint32_t id() const noexcept { return comm_->context(); }
  Communicator& comm() const noexcept { return *comm_; }
  const Memory& memory() const noexcept { return memory_; }
  Flavor flavor() const noexcept { return flavor_; }
  bool isDynamic() const noexcept { return flavor_ == Flavor::dynamic; }
  int size() const noexcept { return comm_->size(); }
  Ref<Group> groupRef() const noexcept { return userGroup_; }

  MPI_Win handle() const noexcept { return handle_; }
  MPI_Win giveHandle();
  WinAttributes& attributes() noexcept { return attributes_; }
  Ref<Errhandler> errhandler() const noexcept { return errhandler_; }
  void setErrhandler(Ref<Errhandler> handler) noexcept { errhandler_ = std::move(handler); }
  std::string name() const { return name_; }
  void setName(std::string name) { name_ = std::move(name); }
  std::string label() const;
  Info& hints() noexcept { return hints_; }
  /// Whether operations on a location that are not separated by synchronisation are all of the same kind.
  bool hasSameOps() const { return hints_.get("accumulate_ops") == "same_op"; }

  // Synchronisation (section 12.5). All check the epochs and throw MPI_ERR_RMA_SYNC for a call that does not
  // fit them; those that wait throw MPI_ERR_PROC_ABORTED when a member that they need has died, and errors of
  // operations that they complete.

  /// Waits for all members.
  void fence(int assertion);
  void post(const Group& group, int assertion);
  /// Waits until all of the group have posted.
  void start(const Group& group, int assertion);
  void complete();
  /// wait: true when it returns. Else: whether all have completed.
  bool finishExposure(bool wait);
  void lock(bool exclusive, int rank, int assertion);
  void unlock(int rank);
  void lockAll(int assertion);
  void unlockAll();
  /// local: only until this process's buffers may be used again.
  void flush(int rank, bool local);
  void flushAll(bool local);
  void sync();
  /// Elements that the target's transport was told to store are there when this returns: messages that come
  /// next do not overtake them (accumulate_ordering, section 12.7.2).
  void awaitStores(Target& target) {
    if (target.stored) [[unlikely]] {
      finish(target, true);
      target.stored = false;
    }
  }

  /// Before something is sent to the target: waits while too much is on its way. Throws MPI_ERR_PROC_ABORTED
  /// where the target is known to be dead.
  void awaitRoom(const Target& target) {
    if (rmaWorker.isCrowded()) [[unlikely]]
      rmaWait(*this, target.rank, [] { return !rmaWorker.isCrowded(); });
    checkDeaths(target.rank);
  }

  /// Collective; waits. Attribute callbacks have run before. The handle becomes stale.
  void free();
  /// Errors: MPI_ERR_RMA_SYNC where an epoch is open.
  void requireNoEpoch(const char* what) const;

  /// The target, when an access epoch is open that allows operations on it, else nullptr: for the common
  /// case.
  Target* openTarget(int rank) const noexcept {
    if (static_cast<unsigned>(rank) >= static_cast<unsigned>(targetCount_))
      return nullptr;
    Target* target = targets_[static_cast<std::size_t>(rank)];
    return target != nullptr && target->open.load(std::memory_order_acquire) ? target : nullptr;
  }
  /// The same where nothing but plain transfers is to be done and nobody counts them.
  Target* fastTarget(int rank) const noexcept {
    if (static_cast<unsigned>(rank) >= static_cast<unsigned>(targetCount_))
      return nullptr;
    Target* target = targets_[static_cast<std::size_t>(rank)];
    return target != nullptr && target->fast.load(std::memory_order_acquire) ? target : nullptr;
  }
  /// MPI_Win_flush and its local form in the common case, all in memory of the node: false where flush() has
  /// to do it, now and then too, to look for deaths.
  bool flushQuickly(int rank) const noexcept {
    if (static_cast<unsigned>(rank) >= static_cast<unsigned>(targetCount_))
      return false;
    Target* target = targets_[static_cast<std::size_t>(rank)];
    if (target == nullptr || !target->quick.load(std::memory_order_acquire) || target->isTimeToLook())
      return false;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    return true;
  }
  /// The same for any target: makes what is missing (the way to it, the lock of a lockAll), which may wait.
  Target& access(int rank);
  /// Whether it is a passive-target epoch that allows operations on that rank: for the request forms.
  bool isPassive() const noexcept { return access_ == Access::lock || access_ == Access::lockAll; }

  /// MPI_Win_shared_query. rank may be MPI_PROC_NULL: the first member with memory.
  Memory sharedQuery(int rank);

  /// Dynamic windows. Errors: MPI_ERR_RMA_FLAVOR, MPI_ERR_RMA_ATTACH.
  void attach(void* base, MPI_Aint bytes);
  void detach(const void* base);

  // For transports and for the service to others (RmaLock held).

  /// Whether an access of others to this process's memory is within what they may access.
  bool holds(std::uint64_t address, std::uint64_t bytes) const noexcept;
  std::uint64_t placeOf(std::uint64_t address) const noexcept {
    return isDynamic() ? address : address - reinterpret_cast<std::uint64_t>(memory_.base);
  }
  WindowLock& localLock() noexcept { return localBlock_->lock; }
  UpdateGate& localGate() noexcept { return localBlock_->gate; }
  /// Who updates elements in memory of the node: this process's program, and its service to others.
  const Updater& updater() const noexcept { return updater_; }
  const Updater& serviceUpdater() const noexcept { return serviceUpdater_; }
  /// The block of a member on this node, nullptr for others.
  MemberBlock* blockOf(int rank) const noexcept;
  std::byte* nodeMemory() const noexcept { return node_.data(); }
  /// A target tells that it could not execute a message.
  void noteFailure(ProcessId process, int errorClass) noexcept;

  /// Windows that were not freed, and their epochs, for a message.
  static std::string listAlive();
  /// Accesses are counted from now on, by transport.
  static void countAccesses();

private:
  friend class RefCounted<Window>;
  friend class WindowBuilder;

  enum class Access : std::uint8_t { none, fence, start, lock, lockAll };

  Window(Ref<Communicator> comm, Ref<Group> group, Flavor flavor);
  ~Window();

  Target& target(int rank);
  void connect(Target& target);
  void open(Target& target);
  void closeTargets() noexcept;
  void checkRank(int rank) const;
  [[noreturn]] void failSync(const char* what) const;
  const char* accessName() const noexcept;

  void leaveAll();
  void acquire(Target& target, bool exclusive);
  void giveBack(Target& target);
  void startFlush(Target& target);
  bool isFlushed(Target& target, bool remote);
  /// The common case of finish(), over a transport that answers at once: false where finish() has to do it.
  bool isFinishedSoon(Target& target, bool remote);
  void linger(Target& target);
  /// Until all operations on the target are over, or those with local buffers only.
  void finish(Target& target, bool remote);
  void finishAll(bool remote);
  void throwErrors(Target& target);
  void checkDeaths(int rank);
  /// For flushes that wait for nobody, now and then.
  void lookForDeath(Target& target);
  std::vector<int> ranksOf(const Group& group) const;
  void tell(const std::vector<int>& ranks, int tag);
  void barrier();

  ZeroedArray<Target*> targets_; // of the members that were accessed
  int targetCount_;
  Access access_ = Access::none;
  bool noCheck_ = false; // of MPI_Win_lock_all
  unsigned syncs_ = 0;
  bool queried_ = false;       // the program knows where the others' memory lies
  bool needsMessages_ = false; // others may come by messages
  int locks_ = 0;              // held by MPI_Win_lock
  Flavor flavor_;
  Ref<Communicator> comm_;
  Ref<Group> userGroup_;
  Memory memory_;
  MemberBlock* localBlock_ = nullptr;
  std::unique_ptr<MemberBlock> ownBlock_; // where there is none on the node
  Updater updater_;
  Updater serviceUpdater_;
  NodeMemory node_;
  std::vector<int> nodeRanks_; // members that share node_, ascending
  std::byte* allocated_ = nullptr;
  std::vector<Target*> opened_;
  std::vector<std::unique_ptr<Target>> owned_;
  std::vector<int> started_;
  bool posted_ = false;
  std::vector<int> exposedTo_;
  std::vector<Request*> completions_; // one for each of exposedTo_
  std::vector<Request*> notices_;     // sends under way
  std::map<std::uint64_t, std::uint64_t> attached_;
  MPI_Win handle_ = MPI_WIN_NULL;
  WinAttributes attributes_;
  Ref<Errhandler> errhandler_;
  std::string name_;
  Info hints_;
  std::uint64_t proof_ = 0; // read by others, see MemberBlock
  MPI_Aint sizeAttribute_ = 0;
  int dispUnitAttribute_ = 1;
  int flavorAttribute_ = 0;
  int modelAttribute_ = MPI_WIN_UNIFIED;
};

[[gnu::visibility("hidden")]] extern constinit Immortal<HandleTable<Window, MPI_Win>> windows;

/// The object of a handle that the program gave. Errors: MPI_ERR_WIN; MPI_ERR_OTHER before MPI_Init and after
/// MPI_Finalize.
[[noreturn, gnu::cold]] void failBadWindow(MPI_Win handle);
inline Window& windowOf(MPI_Win handle) {
  Window* window = windows->find(handle);
  if (window == nullptr) [[unlikely]]
    failBadWindow(handle);
  return *window;
}

} // namespace mpl
