#pragma once

#include "pt2pt/Message.h"
#include "pt2pt/MessageBuffer.h"
#include "pt2pt/Request.h"

#include <optional>

namespace mpl {

/// Where a message that a probe looks for can be.
struct MessageWays {
  bool node;      ///< in Matching (pt2pt/node)
  bool transport; ///< in UCX
};

/// Of messages from a rank or MPI_ANY_SOURCE, while the channel of the node is open. Messages that older
/// receives fit are given to them first. Engine held.
MessageWays waysFrom(Communicator& comm, int source);

/// MPI_Iprobe and MPI_Probe for a rank or MPI_ANY_SOURCE (not MPI_PROC_NULL); take the engine. Every call
/// makes progress. Errors: MPI_ERR_PROC_ABORTED where the message can only come from a dead process.
std::optional<Outcome> tryProbe(Communicator& comm, int source, int tag);
Outcome waitProbe(Communicator& comm, int source, int tag);

/// What a matched probe gives: a new message handle and the status.
struct MatchedMessage {
  MPI_Message handle;
  Outcome outcome;
};

/// MPI_Improbe and MPI_Mprobe: as above, and the message is taken out of matching in the same step.
std::optional<MatchedMessage> tryMatchedProbe(Communicator& comm, int source, int tag);
MatchedMessage waitMatchedProbe(Communicator& comm, int source, int tag);

/// MPI_Imrecv: starts the receive of a matched message with the caller's buffer (never the probed length),
/// and ends the handle. Takes the engine. The request has no handle given out yet.
Request& startMatchedReceive(Message& message, const MessageBuffer& data, const Datatype& datatype);

/// Receives a message into nothing, which lets a waiting sender go: one that UCX had, or one that came
/// through memory and was taken out of matching, which ends. Engine held; the caller waits for the request
/// and releases it.
Request& startDiscard(Communicator& comm, TagProbeInfo& probed);
Request& startDiscard(Communicator& comm, Arrival& arrival);

} // namespace mpl
