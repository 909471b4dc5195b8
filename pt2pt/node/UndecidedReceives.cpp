#include "pt2pt/node/UndecidedReceives.h"

#include "pt2pt/Communicator.h"
#include "pt2pt/Engine.h"
#include "pt2pt/Receive.h"
#include "pt2pt/TagProbeInfo.h"
#include "pt2pt/node/NodeChannel.h"
#include "pt2pt/node/NodeReceive.h"

namespace mpl {

namespace {

// Those of any source do.
bool standsInMatching(const Request& request) {
  return isListed<ByEnvelope>(request);
}

// Whether a message that UCX has went to the receive.
bool takeFromTransport(Request& request) {
  TagProbeInfo probed = TagProbeInfo::probe(engine.worker(), request.wanted(), true);
  if (!probed.isMatched())
    return false;
  if (standsInMatching(request))
    nodeChannel.matching().remove(request);
  nodeChannel.undecided().leave(request);
  receiveMatched(request, probed);
  return true;
}

} // namespace

void UndecidedReceives::addAnySource(Request& request) {
  list_.append(request);
  nodeChannel.matching().post(request);
  nodeChannel.setDuties();
  advance();
}

void UndecidedReceives::add(Request& request) {
  list_.append(request);
  nodeChannel.setDuties();
  advance();
}

unsigned UndecidedReceives::advance() {
  if (advancing_) // a lane was made on the way
    return 0;
  advancing_ = true;
  unsigned events = 0;
  bool behindAnySource = false;
  for (Request* request = list_.first(); request != nullptr;) {
    Request* const next = list_.after(*request);
    events += advance(*request, behindAnySource) ? 1 : 0;
    request = next;
  }
  advancing_ = false;
  return events;
}

bool UndecidedReceives::advance(Request& request, bool& behindAnySource) {
  if (standsInMatching(request)) {
    const bool taken = takeFromTransport(request);
    behindAnySource = behindAnySource || !taken;
    return taken;
  }
  const Route route = request.comm->sourceRoute(request.peerRank());
  if (!route.isKnown())
    return false;
  if (route.isLane()) {
    leave(request);
    node::receive(request);
    return true;
  }
  if (behindAnySource)
    return takeFromTransport(request);
  leave(request);
  receiveFromTransport(request);
  return true;
}

} // namespace mpl
