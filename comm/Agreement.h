#pragma once

#include "coll/Algorithms.h"
#include "comm/ContextIds.h"

#include <span>
#include <vector>

namespace mpl {

/// A context id that belongs to nobody yet: given back unless a communicator takes it.
class ContextLease {
public:
  ContextLease() = default;
  explicit ContextLease(std::uint32_t id) noexcept : id_(id) {}
  ContextLease(ContextLease&& other) noexcept : id_(std::exchange(other.id_, 0)) {}
  ContextLease& operator=(ContextLease&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~ContextLease() {
    if (id_ != 0)
      ContextIds::get().release(id_);
  }

  std::uint32_t take() noexcept { return std::exchange(id_, 0); }

private:
  std::uint32_t id_ = 0;
};

/// The ids of a communicator to be. An inter-communicator needs a second one, for its companion.
struct ContextLeases {
  ContextLease own;
  ContextLease companion;
};

/// Adds to a schedule on the communicator the all-reduce of a proposal, in place; on an inter-communicator
/// over both groups.
void reduceProposal(Schedule& schedule, Communicator& comm, ContextProposal& proposal);

/// What all members of a communicator agree on; collective, waits. Errors: MPI_ERR_OTHER where no id is free,
/// MPI_ERR_PROC_ABORTED.
ContextLease agreeOnContext(Communicator& parent);
/// For a child of the parent's kind.
ContextLeases agreeOnContexts(Communicator& parent);

/// The same among some members only (their ranks, this process's among them, in the same order at all), who
/// tell it from others by the tag: MPI_Comm_create_group.
ContextLease agreeOnContext(Communicator& parent, std::span<const int> ranks, int tag);

} // namespace mpl
