#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace mpl {

/// What a message's data travels in.
enum class Carrier : std::uint8_t {
  Slot,      ///< the slot itself
  Chunk,     ///< a chunk of the sender's memory (ChunkPool.h): the slot tells which
  Memory,    ///< the sender's memory: the slot holds a LongMessage
  Transport, ///< a message of UCX: the slot tells its number
  Greeting,  ///< no message: the slot tells where the sender's memory is
};

/// Where the data of a long message is: at an address of the sender, with a record on its TransferBoard; or
/// in a message of UCX with this number, when the receiver cannot read it there.
struct LongMessage {
  std::uint64_t address;
  std::uint64_t number;
  std::uint32_t record;
};

/// One place of a mailbox: the envelope of a message, and the data itself where it is short. Two cache lines
/// that processors fetch together; up to 36 bytes of data need the first one only.
struct alignas(128) MailSlot {
  static constexpr std::size_t room = 100;

  std::atomic<std::uint64_t> state; // turn << 22 | writer << 2 | phase
  std::uint64_t envelope;
  std::uint64_t length;             // of the message, in bytes
  std::uint32_t writerAndCarrier;   // process << 3 | carrier
  std::array<std::byte, room> data; // of the message, or what the carrier needs

  void describe(std::uint64_t bits, std::uint64_t bytes, std::uint32_t writer, Carrier carrier) noexcept {
    envelope = bits;
    length = bytes;
    writerAndCarrier = writer << 3 | static_cast<std::uint32_t>(carrier);
  }
  std::uint32_t writer() const noexcept { return writerAndCarrier >> 3; }
  Carrier carrier() const noexcept { return static_cast<Carrier>(writerAndCarrier & 7); }
};
static_assert(sizeof(MailSlot) == 128);

/// A queue of slots in memory that the processes of a node share. Any of them posts, one owner takes; what
/// one process posts is taken in its order. A slot is claimed by one atomic operation that leaves the
/// claimer's number in it, so that the owner can pass over the slots of those who died while they wrote.
///
/// A view: every process has its own on the same memory.
class Mailbox {
public:
  static constexpr std::size_t slotCount = 512;

  /// Of memory, aligned to a cache line.
  static constexpr std::size_t bytes() noexcept { return sizeof(Shared); }

  /// On memory of zeros that initialise() made a mailbox of.
  explicit Mailbox(std::byte* memory) noexcept : shared_(std::launder(reinterpret_cast<Shared*>(memory))) {}

  /// For the owner, before anybody else sees the memory.
  static void initialise(std::byte* memory) noexcept;

  // For those who post.

  /// A slot to fill in, then to publish(); nullptr while all are taken. writer: this process's number on the
  /// owner's side, less than 2^20.
  MailSlot* claim(std::uint32_t writer) noexcept {
    std::uint64_t position = shared_->tail.load(std::memory_order_relaxed);
    if (position < knownHead_)
      position = knownHead_;
    for (;; ++position) {
      if (position - knownHead_ >= slotCount) [[unlikely]] {
        knownHead_ = shared_->head.load(std::memory_order_acquire);
        if (position < knownHead_)
          position = knownHead_;
        else if (position - knownHead_ >= slotCount)
          return nullptr;
      }
      MailSlot& slot = shared_->slots[position % slotCount];
      const std::uint64_t turn = position / slotCount + 1;
      std::uint64_t free = readyState(turn - 1);
      if (slot.state.compare_exchange_strong(free, turn << turnShift | std::uint64_t{writer} << 2 | writing,
                                             std::memory_order_acquire)) [[likely]] {
        // A hint, never beyond the first free one: everybody goes on from it to the next that is free.
        shared_->tail.store(position + 1, std::memory_order_relaxed);
        return &slot;
      }
    }
  }

  static void publish(MailSlot& slot) noexcept {
    const std::uint64_t turn = slot.state.load(std::memory_order_relaxed) >> turnShift;
    slot.state.store(readyState(turn), std::memory_order_release);
  }

  // For the owner.

  /// The oldest message, which stays; nullptr where there is none.
  MailSlot* front() noexcept {
    MailSlot& slot = shared_->slots[taken_ % slotCount];
    return slot.state.load(std::memory_order_acquire) == readyState(taken_ / slotCount + 1) ? &slot : nullptr;
  }
  void pop() noexcept {
    ++taken_;
    // Rarely, for it costs the others a cache miss.
    if (taken_ % (slotCount / 4) == 0)
      shared_->head.store(taken_, std::memory_order_release);
  }
  /// The slot that front() would look at next and the state in which it is a message.
  const MailSlot& next() const noexcept { return shared_->slots[taken_ % slotCount]; }
  std::uint64_t nextReady() const noexcept { return readyState(taken_ / slotCount + 1); }

  /// Where the oldest slot is one that was claimed and not published, its claimer; else -1.
  std::int64_t stuckWriter() const noexcept;
  /// Passes over it: its claimer is dead.
  void skip() noexcept;

private:
  static constexpr unsigned turnShift = 22;
  static constexpr std::uint64_t writing = 1;
  static constexpr std::uint64_t ready = 2;
  static constexpr std::uint64_t readyState(std::uint64_t turn) noexcept { return turn << turnShift | ready; }

  struct Shared {
    alignas(64) std::atomic<std::uint64_t> tail; // of those who post
    alignas(64) std::atomic<std::uint64_t> head; // of the owner: everything before is free again
    std::array<MailSlot, slotCount> slots;
  };

  Shared* shared_;
  std::uint64_t taken_ = 0;     // by the owner
  std::uint64_t knownHead_ = 0; // to one who posts
};

} // namespace mpl
