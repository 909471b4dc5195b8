#pragma once

#include "pt2pt/BsendBuffer.h"
#include "pt2pt/Communicator.h"
#include "pt2pt/Request.h"
#include "pt2pt/Send.h"

namespace mpl {

/// The argument list that a persistent send or receive keeps (MPI-5.0, section 3.9). peer may be
/// MPI_PROC_NULL.
struct TransferArguments {
  void* buffer;
  MPI_Count count;
  Ref<const Datatype> datatype;
  Ref<Communicator> comm;
  int peer;
  int tag;
};

enum class PersistentKind { Standard, Synchronous, Ready, Buffered, Receive };

/// A persistent send or receive; the request that owns it is its transport's request each time it is started.
class PersistentTransfer final : public Operation {
public:
  PersistentTransfer(PersistentKind kind, TransferArguments arguments)
      : kind_(kind), arguments_(std::move(arguments)) {}

  void start(Request& request) override;
  Communicator* communicator() const override { return arguments_.comm.get(); }
  const char* description() const override;

private:
  PersistentKind kind_;
  TransferArguments arguments_;
};

/// Makes an inactive persistent request; takes the engine.
MPI_Request makePersistent(PersistentKind kind, TransferArguments arguments);

/// MPI_Start. Errors: MPI_ERR_REQUEST where the request is not persistent or is active.
void startPersistent(Request& request);

} // namespace mpl
