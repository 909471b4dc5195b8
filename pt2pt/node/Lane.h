#pragma once

#include "mpl/Group.h"
#include "pt2pt/Request.h"
#include "pt2pt/node/LaneMemory.h"

#include <ucp/api/ucp.h>

#include <memory>
#include <string>

namespace mpl {

/// The way to another process of the node, or to this one: its memory, and UCX for large data. Engine held.
class alignas(64) Lane {
public:
  /// To another process, whose memory has this key. Errors: MPI_ERR_OTHER.
  Lane(ProcessId process, const SharedSegment::Key& key)
      : process(process), memory_(std::make_unique<LaneMemory>(key)), mailbox(memory_->mailbox()),
        chunks(memory_->chunks()), board(memory_->board()), transportAddress(memory_->transportAddress()) {}
  /// To this process itself, whose memory this is.
  Lane(ProcessId self, const LaneMemory& own) noexcept
      : process(self), mailbox(own.mailbox()), chunks(own.chunks()), board(own.board()) {}

  bool isToSelf() const noexcept { return memory_ == nullptr; }
  /// What the system calls the other process; not of a lane to this one.
  pid_t systemId() const noexcept { return static_cast<pid_t>(memory_->key().pid); }
  /// Whether the other process has left its job in good order.
  bool hasLeft() const noexcept { return !isToSelf() && memory_->hasLeft(); }
  /// Whether a short message may go into the mailbox right away.
  bool isQuick() const noexcept { return isGreeted && !isWaiting; }

  const ProcessId process;

private:
  const std::unique_ptr<LaneMemory> memory_; // null for this process

public:
  bool isGreeted = false; ///< the other process knows where this one's memory is
  bool isWaiting = false; ///< backlog is not empty
  Mailbox mailbox;
  ChunkPool chunks;       ///< the other's, to read from
  TransferBoard board;    ///< the other's, to tell it what was read
  bool isReadable = true; ///< as far as is known the other can read this process's memory
  std::uint64_t transportMessages = 0;
  ucp_ep_h transport = nullptr;               ///< made when the first large data is sent
  std::string transportAddress;               ///< where it is known
  IntrusiveList<Request, ByEnvelope> backlog; ///< sends that wait for room, in order
};

} // namespace mpl
