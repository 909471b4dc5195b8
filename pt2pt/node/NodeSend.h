#pragma once

#include "pt2pt/Communicator.h"
#include "pt2pt/MessageBuffer.h"
#include "pt2pt/node/CopyMessage.h"
#include "pt2pt/node/NodeChannel.h"

namespace mpl::node {

/// A message that is to be sent through a lane.
struct Outgoing {
  std::uint64_t envelope;
  const MessageBuffer& data;
  const Datatype* datatype; ///< wanted where the data is not plain
  bool synchronous;
};

/// Who brings the data of a message to a lane's process.
inline Carrier carrierFor(const Lane& lane, std::uint64_t bytes, bool plain, bool synchronous) noexcept {
  // Without a record UCX: the receiver may want a later message first, and would wait for ever.
  if (bytes > NodeChannel::longestCopied)
    return plain && lane.isReadable && nodeChannel.longSends().hasRoom() ? Carrier::Memory
                                                                         : Carrier::Transport;
  if (synchronous) // UCX tells when it has begun to be received
    return Carrier::Transport;
  return bytes > MailSlot::room ? Carrier::Chunk : Carrier::Slot;
}

/// What a send through a lane needs before it can start. Errors as of Endpoints::connect().
inline void prepare(Lane& lane, std::uint64_t bytes, bool synchronous) {
  // Long data may be read out of memory, but the receiver can refuse that.
  if (lane.transport == nullptr && (bytes > NodeChannel::longestCopied || synchronous)) [[unlikely]]
    lane.transport = endpoints.transportOf(lane);
}

/// What became of a send.
enum class Sent {
  Done,     ///< the buffer can be used again
  UnderWay, ///< UCX has it, with the request
  NoRoom,   ///< nothing was done
  Failed,   ///< request.transportStatus says why
};

/// Sends if there is room and nothing waits before it. After prepare().
Sent trySend(Lane& lane, Request& request, const Outgoing& message);

/// Sends in turn: what comes back is Done, UnderWay (the request is a pending send then, waiting for room
/// perhaps) or Failed.
Sent send(Lane& lane, Request& request, Communicator& comm, const Outgoing& message, int destination,
          int tag);

/// A send of plain data with all but the quickest case; the request, or nullptr when the message has gone.
Request* sendPlainSlowly(Lane& lane, Communicator& comm, const void* buffer, std::uint64_t bytes,
                         int destination, int tag) noexcept;

/// The same with the quickest case.
inline Request* sendPlain(Lane& lane, Communicator& comm, const void* buffer, std::uint64_t bytes,
                          int destination, int tag) noexcept {
  if (bytes <= MailSlot::room && lane.isQuick()) [[likely]] {
    const std::uint32_t self = nodeChannel.self();
    if (MailSlot* slot = lane.mailbox.claim(self)) [[likely]] {
      slot->describe(comm.sendBits() | static_cast<std::uint32_t>(tag), bytes, self, Carrier::Slot);
      copyMessage(slot->data.data(), static_cast<const std::byte*>(buffer), bytes);
      Mailbox::publish(*slot);
      return nullptr;
    }
  }
  return sendPlainSlowly(lane, comm, buffer, bytes, destination, tag);
}

/// Tries once more to send what waits for room; false where there is none still.
bool resume(Lane& lane, Request& request);
/// Ends what waits for room: the receiver is dead.
void failWaiting(Request& request) noexcept;
/// Ends a pending send.
void completeSend(Request& request, int errorClass) noexcept;
/// Has UCX bring the data of a message that its receiver could not read out of memory.
void sendRefused(Lane& lane, Request& request, std::uint64_t number) noexcept;

} // namespace mpl::node
