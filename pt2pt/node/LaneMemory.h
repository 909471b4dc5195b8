#pragma once

#include "bootstrap/SharedSegment.h"
#include "pt2pt/node/ChunkPool.h"
#include "pt2pt/node/Mailbox.h"
#include "pt2pt/node/TransferBoard.h"

namespace mpl {

/// What a process shares with the others of its node for messages: its mailbox, chunks for the data that it
/// sends, and a board for its long messages.
class LaneMemory {
public:
  /// This process's own. Errors: MPI_ERR_NO_MEM.
  LaneMemory() : segment_(Mailbox::bytes() + TransferBoard::bytes() + ChunkPool::bytes()) {
    Mailbox::initialise(segment_.data());
  }
  /// That of another one. Errors: MPI_ERR_OTHER.
  explicit LaneMemory(const SharedSegment::Key& key) : segment_(key) {}

  SharedSegment::Key key() const noexcept { return segment_.key(); }
  std::byte* mailbox() const noexcept { return segment_.data(); }
  std::byte* board() const noexcept { return segment_.data() + Mailbox::bytes(); }
  std::byte* chunks() const noexcept { return board() + TransferBoard::bytes(); }

private:
  SharedSegment segment_;
};

} // namespace mpl
