#include "pt2pt/Probe.h"

#include "pt2pt/Progress.h"
#include "pt2pt/Receive.h"
#include "pt2pt/Runtime.h"

#include <utility>

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

std::optional<Outcome> look(Communicator& comm, int source, const envelope::Pattern& wanted) {
  if (nodeChannel.isOpen()) {
    const MessageWays ways = waysFrom(comm, source);
    if (ways.node)
      if (const Arrival* arrival = nodeChannel.matching().find(wanted))
        return outcomeOf({arrival->envelope(), arrival->length()});
    if (!ways.transport)
      return std::nullopt;
  }
  const TagProbeInfo probed = TagProbeInfo::probe(engine.worker(), wanted, false);
  return probed.isMatched() ? std::optional(outcomeOf(probed.getInfo())) : std::nullopt;
}

// A probe that finds nothing costs nothing: the object goes back where it was.
std::optional<MatchedMessage> take(Communicator& comm, int source, const envelope::Pattern& wanted) {
  Message& message = messagePool.front();
  if (!message.take(comm, source, wanted))
    return std::nullopt;
  messagePool.takeFront();
  return MatchedMessage{message.handle, outcomeOf(message.info())};
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

Request& startReceiveOf(TagProbeInfo& probed, Communicator& comm, const MessageBuffer& data,
                        const Datatype* datatype) {
  Request& request = requestPool.take();
  const TagRecvInfo info = probed.getInfo();
  detail::prepareReceive(request, comm, data, datatype, info.source(), info.tag());
  const ucp_request_param_t param = detail::receiveParameters(request, data);
  const ucs_status_ptr_t status =
      ucp_tag_msg_recv_nbx(engine.worker(), data.address, data.count, probed.releaseHandle(), &param);
  if (UCS_PTR_IS_ERR(status))
    detail::failReceive(request, status);
  return request;
}

Request& startReceiveOf(Arrival& arrival, Communicator& comm, const MessageBuffer& data,
                        const Datatype* datatype) {
  Request& request = requestPool.take();
  detail::prepareReceive(request, comm, data, datatype, envelope::source(arrival.envelope()),
                         envelope::tag(arrival.envelope()));
  node::describe(request, data, {arrival.envelope(), envelope::fullMask});
  node::deposit(request, arrival.incoming());
  nodeChannel.matching().end(arrival);
  return request;
}

} // namespace

MessageWays waysFrom(Communicator& comm, int source) {
  UndecidedReceives& undecided = nodeChannel.undecided();
  if (!undecided.empty())
    undecided.advance();
  if (source == MPI_ANY_SOURCE)
    return {true, !comm.hasOnlyLanes()};
  const Route route = comm.sourceRoute(source);
  return {route.isLane() || !route.isKnown(), !route.isLane()};
}

std::optional<Outcome> tryProbe(Communicator& comm, int source, int tag) {
  const envelope::Pattern wanted = patternFor(comm, source, tag);
  EngineLock lock;
  auto found = lookTwice([&] { return look(comm, source, wanted); });
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
    found = look(comm, source, wanted);
    return foundOrDead(found, comm, source);
  });
  return *found;
}

std::optional<MatchedMessage> tryMatchedProbe(Communicator& comm, int source, int tag) {
  const envelope::Pattern wanted = patternFor(comm, source, tag);
  EngineLock lock;
  auto found = lookTwice([&] { return take(comm, source, wanted); });
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
    found = take(comm, source, wanted);
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
  if (Arrival* arrival = std::exchange(message.arrival, nullptr))
    return startReceiveOf(*arrival, *message.comm, data, &datatype);
  return startReceiveOf(message.probed, *message.comm, data, &datatype);
}

Request& startDiscard(Communicator& comm, TagProbeInfo& probed) {
  const MessageBuffer nothing;
  return startReceiveOf(probed, comm, nothing, nullptr);
}

Request& startDiscard(Communicator& comm, Arrival& arrival) {
  const MessageBuffer nothing;
  return startReceiveOf(arrival, comm, nothing, nullptr);
}

} // namespace mpl
