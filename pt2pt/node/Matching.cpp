#include "pt2pt/node/Matching.h"

namespace mpl {

Request* Matching::wildOrNamed(std::uint64_t envelope, Request* named) noexcept {
  Request* wild = wild_.find([envelope](const Request& request) { return request.wanted().fits(envelope); });
  if (wild != nullptr && (named == nullptr || wild->postedAt < named->postedAt)) {
    unlist<ByEnvelope>(*wild);
    return wild;
  }
  if (named != nullptr)
    named_.remove(*named);
  return named;
}

void Matching::post(Request& request) {
  if (request.wanted().mask == envelope::fullMask)
    named_.add(request);
  else if (Request* last = wild_.last(); last == nullptr || last->postedAt < request.postedAt)
    wild_.append(request);
  else // one that waited until the way of its messages was known
    wild_.insertBefore(
        *wild_.find([&request](const Request& other) { return other.postedAt > request.postedAt; }), request);
}

void Matching::remove(Request& request) noexcept {
  if (request.wanted().mask == envelope::fullMask)
    named_.remove(request);
  else
    unlist<ByEnvelope>(request);
}

Arrival* Matching::findWild(const envelope::Pattern& wanted) noexcept {
  return order_.find([&wanted](const Arrival& arrival) { return wanted.fits(arrival.envelope()); });
}

void Matching::keep(const Incoming& message) {
  Arrival& arrival = pool_.make(message);
  arrivals_.add(arrival);
  order_.append(arrival);
}

void Matching::take(Arrival& arrival) noexcept {
  arrivals_.remove(arrival);
  unlist<ByOrder>(arrival);
}

} // namespace mpl
