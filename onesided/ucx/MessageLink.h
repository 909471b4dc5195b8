#pragma once

#include "onesided/AtomicUpdate.h"
#include "onesided/ucx/RmaWorker.h"

#include <span>

namespace mpl {

/// What a target does for an origin on request, by active messages: everything that load and store or the
/// transport cannot do. One for each window and target. RmaLock is held; nothing waits.
class MessageLink {
public:
  MessageLink(RmaPeer& peer, std::uint32_t window) : peer_(peer), window_(window) {}

  /// Something was sent since the last flush whose end no awaited answer will tell.
  bool isDirty() const noexcept { return dirty_; }
  bool isDead() const noexcept { return peer_.state() == RmaPeer::State::dead; }

  /// Puts and gets that the target executes (dynamic windows). pending: as in TransportLink; `from` may be
  /// changed at once.
  void put(const void* from, std::uint64_t remote, std::size_t bytes);
  void get(void* to, std::uint64_t remote, std::size_t bytes, Pending& pending);

  /// updateAtomically() at the target. runs: addresses there and elements; operand: packed, not kept;
  /// previous: packed results, where not null, with parts of pending.
  void update(Op::Kind kind, ElementType type, std::span<const UpdateRun> runs, const std::byte* operand,
              std::byte* previous, Pending& pending);
  void compareAndSwap(ElementType type, std::uint64_t remote, const std::byte* compare,
                      const std::byte* value, std::byte* previous, Pending& pending);

  void lock(bool exclusive, int owner, Pending& pending);
  void unlock(bool exclusive);

  void describe(std::vector<std::byte>& description, Pending& pending);

  /// The part ends when all of the above that was asked for has been done. No part where nothing was, nor
  /// where the answers that are awaited tell it.
  void flush(Pending& pending);

private:
  MessageHeader header(MessageKind kind) const;
  /// Awaits an answer of data.
  std::uint64_t awaitData(std::byte* result, std::uint64_t bytes, Pending& pending);

  RmaPeer& peer_;
  std::uint32_t window_;
  bool dirty_ = false;
};

} // namespace mpl
