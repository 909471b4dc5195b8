#pragma once

#include "pt2pt/Communicator.h"
#include "pt2pt/MessageBuffer.h"
#include "pt2pt/node/NodeChannel.h"

namespace mpl::node {

/// Notes in a request what a receive that has to wait needs later: the buffer, and what it takes. It is
/// marked as a receive of comm already, and holds the datatype where the data is not plain.
inline void describe(Request& request, const MessageBuffer& data, const envelope::Pattern& wanted) noexcept {
  request.buffer = data.address;
  request.elements = data.count;
  request.transportType = data.type;
  request.envelopeBits = wanted.bits;
  request.envelopeMask = wanted.mask;
  request.postedAt = nodeChannel.nextPosting();
}

/// How a receive ends that gets this message.
inline Outcome outcomeOf(const Request& request, const Incoming& message) noexcept {
  return {envelope::source(message.envelope), envelope::tag(message.envelope),
          message.length <= request.capacity ? MPI_SUCCESS : MPI_ERR_TRUNCATE, false, message.length};
}

/// Has UCX bring the data of a message whose envelope has come.
void receiveThroughTransport(Request& request, const Incoming& message) noexcept;

/// Puts a message into the buffer of its receive, which completes, or gets the data from its sender.
void deposit(Request& request, const Incoming& message) noexcept;

/// Takes a message that waits out of matching and deposits it.
void takeArrival(Request& request, Arrival& arrival);

/// Gives a described receive the message that waits for it, or lets it wait for one.
inline void receive(Request& request) {
  Matching& matching = nodeChannel.matching();
  if (Arrival* arrival = matching.find(request.wanted()))
    takeArrival(request, *arrival);
  else
    matching.post(request);
}

/// A receive whose message may come from this node or from elsewhere (UndecidedReceives.h) or through
/// memory: all receives while the channel is open. Prepared and described.
void startReceive(Request& request, int source);

inline void beginPlain(Request& request, Communicator& comm, void* buffer, std::uint64_t bytes,
                       std::uint64_t envelope) noexcept {
  request.beginNamedReceive();
  request.comm = &comm;
  request.capacity = bytes;
  request.buffer = buffer;
  request.envelopeBits = envelope;
  request.envelopeMask = envelope::fullMask;
  request.postedAt = nodeChannel.nextPosting();
}

/// A receive of plain data from a rank to which there is a lane; the request is fresh from the pool.
inline void startPlainReceive(Request& request, Communicator& comm, void* buffer, std::uint64_t bytes,
                              int source, int tag) {
  beginPlain(request, comm, buffer, bytes, envelope::make(comm.messageContext(), source, tag));
  receive(request);
}

/// A receive of plain data of a message that a probe took out of matching; the request is fresh from the
/// pool.
inline void startMatched(Request& request, Communicator& comm, void* buffer, std::uint64_t bytes,
                         const Incoming& message) {
  beginPlain(request, comm, buffer, bytes, message.envelope);
  deposit(request, message);
}

} // namespace mpl::node
