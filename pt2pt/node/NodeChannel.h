#pragma once

#include "pt2pt/node/Lane.h"
#include "pt2pt/node/LongReceives.h"
#include "pt2pt/node/LongSends.h"
#include "pt2pt/node/Matching.h"
#include "pt2pt/node/UndecidedReceives.h"

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace mpl {

/// Messages between processes that share a node, through memory. Every envelope goes through the mailbox of
/// its receiver, short data with it, data of middle size through a chunk of the sender's; long data is read
/// out of the sender's memory, or left to UCX, in a message of its own that only the envelope tells of. So
/// messages are matched here, in the order of their envelopes, and UCX's matching is for those who are
/// elsewhere.
///
/// One object, `nodeChannel`; closed where the processes of the node share no memory or there is only one.
/// Engine held.
class NodeChannel {
public:
  /// The longest message whose data is copied through memory by both sides.
  static constexpr std::uint64_t longestCopied = ChunkPool::room;

  /// Makes this process's memory; transportAddress: of UCX. Stays closed, and says so, where there is none.
  void open(ProcessId self, std::string_view transportAddress);
  bool isOpen() const noexcept { return memory_.has_value(); }
  /// For others, when they see this process end: it has left its job, or is a member again.
  void tellThatItLeft(bool left) noexcept {
    if (isOpen())
      memory_->setLeft(left);
  }
  /// What others need to send here; no key where it is closed.
  SharedSegment::Key key() const noexcept { return isOpen() ? memory_->key() : SharedSegment::Key{}; }

  /// Takes what has arrived, and goes on with what waits; returns how much happened.
  unsigned poll() {
    if (next_->state.load(std::memory_order_acquire) != nextReady_ && !hasDuties_) [[likely]]
      return 0;
    return work();
  }
  /// Whether UCX has data of messages of this node under way.
  bool needsTransport() const noexcept { return transfers_ != 0; }
  void transferBegins() noexcept { ++transfers_; }
  void transferEnds() noexcept { --transfers_; }

  /// The lane to a process, made where there is none. Errors: MPI_ERR_OTHER where the memory cannot be had.
  Lane& connect(ProcessId process, const SharedSegment::Key& key);
  /// nullptr where none was made.
  Lane* find(ProcessId process) const noexcept;

  /// Whether all that was sent has gone to its receivers' mailboxes.
  bool isFlushed() const noexcept { return waiting_.empty(); }
  /// The process is dead: sends that wait for room fail, what it was writing is passed over.
  void forget(ProcessId process) noexcept;

  /// A message for this process; the data is copied or the receive is handed to UCX.
  void deliver(const Incoming& message);
  /// Lets a send wait for room in its lane.
  void postpone(Lane& lane, Request& send);
  /// Something has to be looked at with every poll: see work().
  void setDuties() noexcept { hasDuties_ = true; }

  Matching& matching() noexcept { return matching_; }
  UndecidedReceives& undecided() noexcept { return undecided_; }
  ChunkPool& chunks() noexcept { return *chunks_; }
  LongSends& longSends() noexcept { return *longSends_; }
  LongReceives& longReceives() noexcept { return longReceives_; }
  std::uint32_t self() const noexcept { return static_cast<std::uint32_t>(self_); }
  std::uint64_t nextPosting() noexcept { return ++postings_; }

private:
  unsigned work();
  unsigned takeMail();
  void take(const MailSlot& slot);
  void meet(ProcessId writer, const SharedSegment::Key& key);
  bool sendWaiting(Lane& lane);
  void lookAtNext() noexcept;
  Lane& keep(std::unique_ptr<Lane> lane);

  // What every poll looks at.
  const MailSlot* next_ = &nothing;
  std::uint64_t nextReady_ = UINT64_MAX;
  bool hasDuties_ = false;
  std::uint64_t transfers_ = 0;

  std::optional<LaneMemory> memory_;
  std::optional<Mailbox> mailbox_;
  std::optional<ChunkPool> chunks_;
  std::optional<LongSends> longSends_;
  LongReceives longReceives_;
  Matching matching_;
  UndecidedReceives undecided_;
  std::unordered_map<ProcessId, std::unique_ptr<Lane>> lanes_;
  std::vector<Lane*> waiting_;
  std::vector<ProcessId> dead_;
  ProcessId self_ = 0;
  std::uint64_t postings_ = 0;

  static const MailSlot nothing;
};

[[gnu::visibility("hidden")]] extern NodeChannel nodeChannel;

} // namespace mpl
