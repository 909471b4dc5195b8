#include "pt2pt/node/NodeReceive.h"

#include "pt2pt/Receive.h"
#include "pt2pt/Send.h"
#include "pt2pt/node/CopyMessage.h"

#include <algorithm>

namespace mpl::node {

namespace {

void dataDone(void* handed, ucs_status_t status, const ucp_tag_recv_info_t* info, void*) {
  Request& request = *static_cast<Request*>(handed);
  request.matched = false;
  nodeChannel.transferEnds();
  detail::receiveEnded(request, status, request.envelopeBits, info);
}

} // namespace

void receiveThroughTransport(Request& request, const Incoming& message) noexcept {
  // From now on the receive is one of a known message.
  request.kind = Request::Kind::NamedReceive;
  request.envelopeBits = message.envelope;
  request.matched = true;
  nodeChannel.transferBegins();
  const ucs_status_ptr_t status = detail::issueReceive(request, detail::bufferOf(request),
                                                       {message.transportTag, envelope::fullMask}, dataDone);
  if (UCS_PTR_IS_ERR(status)) [[unlikely]] {
    request.matched = false;
    nodeChannel.transferEnds();
    detail::completeRefused(request, status, message.length);
  }
}

void deposit(Request& request, const Incoming& message) noexcept {
  if (message.carrier == Carrier::Memory)
    return nodeChannel.longReceives().start(request, message);
  if (message.carrier == Carrier::Transport) [[unlikely]]
    return receiveThroughTransport(request, message);
  request.outcome = outcomeOf(request, message);
  const std::uint64_t bytes = std::min(message.length, request.capacity);
  if (request.datatype == nullptr) [[likely]]
    copyMessage(static_cast<std::byte*>(request.buffer), message.data, bytes);
  else
    request.datatype->cursor(request.buffer, static_cast<MPI_Count>(request.elements))
        .unpack(0, message.data, bytes);
  request.inTransport = false;
  request.complete();
}

void takeArrival(Request& request, Arrival& arrival) {
  Matching& matching = nodeChannel.matching();
  matching.take(arrival);
  deposit(request, arrival.incoming());
  matching.end(arrival);
}

void startReceive(Request& request, int source) {
  UndecidedReceives& undecided = nodeChannel.undecided();
  Communicator& comm = *request.comm;
  if (source == MPI_ANY_SOURCE) {
    if (comm.hasOnlyLanes())
      receive(request);
    else if (Arrival* arrival = nodeChannel.matching().find(request.wanted()))
      takeArrival(request, *arrival);
    else
      undecided.addAnySource(request);
    return;
  }
  const Route route = comm.sourceRoute(source);
  if (route.isLane())
    receive(request);
  else if (!route.isKnown() || !undecided.empty())
    undecided.add(request);
  else
    receiveFromTransport(request);
}

} // namespace mpl::node
