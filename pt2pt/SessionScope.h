#pragma once

#include "mpi.h"

#include "mpl/Errhandler.h"
#include "mpl/Guarded.h"

#include <atomic>
#include <memory>

namespace mpl {

class BsendBuffer;

/// What a session keeps for its groups and the communicators that are made of them; theirs as long as they
/// live.
class SessionScope {
public:
  explicit SessionScope(Ref<Errhandler> handler) : errhandler(std::move(handler)) {}

  /// The session; MPI_SESSION_NULL before and after its life.
  std::atomic<MPI_Session> handle{MPI_SESSION_NULL};
  /// For errors of calls on the session and on its groups.
  Guarded<Ref<Errhandler>> errhandler;
  /// For buffered sends on its communicators, where they have none of their own. Engine held.
  std::shared_ptr<BsendBuffer> bsendBuffer;
};

} // namespace mpl
