#pragma once

#include "onesided/MemberBlock.h"
#include "pt2pt/EngineLock.h"

#include <cstddef>

namespace mpl {

/// One who updates elements of a window's members in memory that several processes share: the program, or
/// the service to others, of one member.
///
/// Elements are updated by atomic instructions, which need no lock and cost about 6 ns for each 8 bytes. For
/// many elements at once that is far too slow, and a lock of the part is better, under which memory is
/// changed at its own speed. The two cannot be mixed. So a part begins with instructions; who spends much on
/// many elements turns it over to the lock, and when single elements are all that is updated for long it goes
/// back. Who uses instructions marks that before it looks which way the part is in; no fence is between the
/// two. Instead, whoever turns the part over has the system put one into all threads (membarrier), and waits
/// until nobody is marked any more. Where the system does not do that, all stays with instructions.
class Updater {
public:
  enum class Role : bool { program, service };

  Updater() = default;
  /// blocks: of the `count` members that share the memory, this process's own among them.
  Updater(MemberBlock* blocks, std::size_t count, std::size_t own, Role role) noexcept
      : blocks_(blocks), count_(count), own_(static_cast<std::uint32_t>(own)),
        mark_(role == Role::program ? &blocks[own].mark.program : &blocks[own].mark.service) {}

  /// Whether one element is updated, or many at once.
  enum class Amount : bool { single, many };

  /// The right to update elements of one part, as long as this object is there.
  class Entry {
  public:
    Entry(const Updater& updater, UpdateGate& gate, Amount amount)
        : updater_(updater), gate_(gate), amount_(amount) {
      updater.mark();
      if (gate.isLocked.load(std::memory_order_acquire)) [[unlikely]]
        isAlone_ = updater.enterLocked(gate);
    }
    ~Entry() {
      if (isAlone_) [[unlikely]]
        leaveLocked();
      else
        updater_.unmark();
    }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

    /// Nobody else updates the part: no atomic instructions are needed.
    bool isAlone() const noexcept { return isAlone_; }
    /// Says what many elements cost in instructions.
    void countMany(std::size_t instructions) noexcept {
      if (isAlone_)
        gate_.singles = 0;
      else
        gate_.excess.fetch_add(instructions, std::memory_order_relaxed);
    }

  private:
    // The part may go back to instructions now: this update is over.
    void leaveLocked() noexcept {
      if (amount_ == Amount::single)
        updater_.countSingle(gate_);
      gate_.lock.release();
    }

    const Updater& updater_;
    UpdateGate& gate_;
    Amount amount_;
    bool isAlone_ = false;
  };

  /// Turns a part over to its lock when that pays. Without an Entry.
  void settle(UpdateGate& gate) const noexcept {
    if (!gate.isLocked.load(std::memory_order_relaxed) &&
        gate.excess.load(std::memory_order_relaxed) > worthTurning())
      turnToLock(gate);
  }

  void take(SharedLock& lock) const noexcept {
    lock.take(own_, [this](std::uint32_t member) { return hasEnded(member); });
  }

private:
  // Several threads may be marked at once where the program has several.
  void mark() const noexcept {
    if (engineThreaded)
      mark_->fetch_add(1, std::memory_order_relaxed);
    else
      mark_->store(1, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  void unmark() const noexcept {
    if (engineThreaded)
      mark_->fetch_sub(1, std::memory_order_release);
    else
      mark_->store(0, std::memory_order_release);
  }
  bool enterLocked(UpdateGate& gate) const noexcept;
  void turnToLock(UpdateGate& gate) const noexcept;
  void countSingle(UpdateGate& gate) const noexcept;
  void waitForOthers() const noexcept;
  bool hasEnded(std::uint32_t member) const noexcept;
  static std::uint64_t worthTurning() noexcept;

  MemberBlock* blocks_ = nullptr;
  std::size_t count_ = 0;
  std::uint32_t own_ = 0;
  std::atomic<std::uint32_t>* mark_ = nullptr;
};

} // namespace mpl
