#pragma once

#include "bootstrap/SharedSegment.h"
#include "pt2pt/node/ChunkPool.h"
#include "pt2pt/node/Mailbox.h"

namespace mpl {

/// What a process shares with the others of its node for messages: its mailbox, and chunks for the data that
/// it sends.
class LaneMemory {
public:
  /// This process's own. Errors: MPI_ERR_NO_MEM.
  LaneMemory() : segment_(Mailbox::bytes() + ChunkPool::bytes()) { Mailbox::initialise(segment_.data()); }
  /// That of another one. Errors: MPI_ERR_OTHER.
  explicit LaneMemory(const SharedSegment::Key& key) : segment_(key) {}

  SharedSegment::Key key() const noexcept { return segment_.key(); }
  std::byte* mailbox() const noexcept { return segment_.data(); }
  std::byte* chunks() const noexcept { return segment_.data() + Mailbox::bytes(); }

private:
  SharedSegment segment_;
};

} // namespace mpl
