#include "pt2pt/Probe.h"

#include "pt2pt/Progress.h"
#include "pt2pt/Receive.h"
#include "pt2pt/Runtime.h"

#include <memory>

namespace mpl {

constinit Immortal<HandleTable<Message, MPI_Message>> messages;

namespace {

Outcome outcomeOf(const TagRecvInfo& info) {
  return {info.source(), info.tag(), MPI_SUCCESS, false, info.length};
}

// Looks, and when nothing is there, makes progress and looks again; engine held.
template <class Look> auto lookTwice(Look&& look) {
  auto found = look();
  if (!found) {
    engine.progress();
    found = look();
  }
  return found;
}

std::optional<Outcome> look(const envelope::Pattern& wanted) {
  const TagProbeInfo probed = TagProbeInfo::probe(engine.worker(), wanted, false);
  return probed.isMatched() ? std::optional(outcomeOf(probed.getInfo())) : std::nullopt;
}

std::optional<MatchedMessage> take(Communicator& comm, const envelope::Pattern& wanted) {
  // A probe that finds nothing must cost nothing: look before making a message object.
  if (!look(wanted))
    return std::nullopt;
  auto message = std::make_unique<Message>(comm, wanted, engine.worker());
  const Outcome outcome = outcomeOf(message->probed.getInfo());
  const MPI_Message handle = messages->insert(message.get());
  message.release();
  return MatchedMessage{handle, outcome};
}

envelope::Pattern patternFor(const Communicator& comm, int source, int tag) {
  return envelope::pattern(comm.messageContext(), source, tag);
}

// A message may be waiting although its sender died: only when there is none, the death matters.
template <class Found> bool foundOrDead(const Found& found, const Communicator& comm, int source) {
  if (!found)
    comm.checkAlive(source);
  return found.has_value();
}

Request& startReceiveOf(ucp_tag_message_h handle, Communicator& comm, const TagRecvInfo& info,
                        const MessageBuffer& data, const Datatype* datatype) {
  Request& request = requestPool.take();
  ucp_request_param_t param;
  detail::prepareReceive(request, param, comm, data, datatype, info.source(), info.tag());
  const ucs_status_ptr_t status =
      ucp_tag_msg_recv_nbx(engine.worker(), data.address, data.count, handle, &param);
  if (UCS_PTR_IS_ERR(status))
    detail::failReceive(request, status);
  return request;
}

} // namespace

Message* messageOf(MPI_Message handle) {
  if (handle == MPI_MESSAGE_NO_PROC)
    return nullptr;
  Message* message = messages->find(handle);
  if (message == nullptr) {
    runtime.requireActive();
    if (handle == MPI_MESSAGE_NULL)
      fail(MPI_ERR_ARG, "the message is MPI_MESSAGE_NULL");
    fail(MPI_ERR_ARG, "the message handle ", static_cast<const void*>(handle),
         " is not valid (was the message received already?)");
  }
  return message;
}

std::optional<Outcome> tryProbe(Communicator& comm, int source, int tag) {
  const envelope::Pattern wanted = patternFor(comm, source, tag);
  EngineLock lock;
  auto found = lookTwice([&] { return look(wanted); });
  foundOrDead(found, comm, source);
  lock.release();
  if (!found)
    foundNothing();
  return found;
}

Outcome waitProbe(Communicator& comm, int source, int tag) {
  const envelope::Pattern wanted = patternFor(comm, source, tag);
  std::optional<Outcome> found;
  waitUntil([&] {
    found = look(wanted);
    return foundOrDead(found, comm, source);
  });
  return *found;
}

std::optional<MatchedMessage> tryMatchedProbe(Communicator& comm, int source, int tag) {
  const envelope::Pattern wanted = patternFor(comm, source, tag);
  EngineLock lock;
  auto found = lookTwice([&] { return take(comm, wanted); });
  foundOrDead(found, comm, source);
  lock.release();
  if (!found)
    foundNothing();
  return found;
}

MatchedMessage waitMatchedProbe(Communicator& comm, int source, int tag) {
  const envelope::Pattern wanted = patternFor(comm, source, tag);
  std::optional<MatchedMessage> found;
  waitUntil([&] {
    found = take(comm, wanted);
    return foundOrDead(found, comm, source);
  });
  return *found;
}

Request& startMatchedReceive(Message& message, MPI_Message handle, const MessageBuffer& data,
                             const Datatype& datatype) {
  EngineLock lock;
  const std::unique_ptr<Message> owned(&message);
  messages->erase(handle);
  return startReceiveOf(owned->probed.releaseHandle(), *owned->comm, owned->probed.getInfo(), data,
                        &datatype);
}

Request& startDiscard(Communicator& comm, TagProbeInfo& probed) {
  const MessageBuffer nothing;
  return startReceiveOf(probed.releaseHandle(), comm, probed.getInfo(), nothing, nullptr);
}

} // namespace mpl
