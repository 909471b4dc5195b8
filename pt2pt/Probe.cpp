#include "pt2pt/Probe.h"

#include "pt2pt/Progress.h"
#include "pt2pt/Receive.h"
#include "pt2pt/Runtime.h"

namespace mpl {

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

// A probe that finds nothing costs nothing: the object goes back where it was.
std::optional<MatchedMessage> take(Communicator& comm, const envelope::Pattern& wanted) {
  Message& message = messagePool.front();
  if (!message.take(comm, wanted, engine.worker()))
    return std::nullopt;
  messagePool.takeFront();
  return MatchedMessage{message.handle, outcomeOf(message.probed.getInfo())};
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

Request& startMatchedReceive(Message& message, const MessageBuffer& data, const Datatype& datatype) {
  EngineLock lock;
  // Whatever happens, the message is not the program's any more.
  struct PutBack {
    Message& message;
    ~PutBack() { messagePool.putBack(message); }
  } const whenDone{message};
  const TagRecvInfo info = message.probed.getInfo();
  return startReceiveOf(message.probed.releaseHandle(), *message.comm, info, data, &datatype);
}

Request& startDiscard(Communicator& comm, TagProbeInfo& probed) {
  const MessageBuffer nothing;
  return startReceiveOf(probed.releaseHandle(), comm, probed.getInfo(), nothing, nullptr);
}

} // namespace mpl
