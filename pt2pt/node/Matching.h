#pragma once

#include "pt2pt/Request.h"
#include "pt2pt/node/Arrival.h"
#include "pt2pt/node/EnvelopeTable.h"

namespace mpl {

/// Brings messages and receives together (MPI-5.0, section 3.5): a message goes to the receive that was
/// posted first of those that it fits, a receive or probe takes the message that came first. A message or a
/// receive with a given source and tag is found in constant time however many wait; with wildcards, a list is
/// walked. Engine held.
class Matching {
public:
  /// Takes out the receive that a message goes to; nullptr where none fits.
  Request* receiveFor(std::uint64_t envelope) noexcept {
    Request* named = named_.find(envelope);
    if (!wild_.empty()) [[unlikely]]
      return wildOrNamed(envelope, named);
    if (named != nullptr)
      named_.remove(*named);
    return named;
  }

  /// Adds a receive that no message waits for; request.wanted says what it takes, request.postedAt when it
  /// was posted.
  void post(Request& request);
  /// Takes back a receive that is waiting here.
  void remove(Request& request) noexcept;

  /// The oldest message that fits; nullptr where there is none. It stays.
  Arrival* find(const envelope::Pattern& wanted) noexcept {
    if (order_.empty())
      return nullptr;
    return wanted.mask == envelope::fullMask ? arrivals_.find(wanted.bits) : findWild(wanted);
  }
  void keep(const Incoming& message);
  /// Takes it out of matching; ArrivalPool::end() comes when its data was taken.
  void take(Arrival& arrival) noexcept;
  void end(Arrival& arrival) noexcept { pool_.end(arrival); }
  /// The oldest of all; nullptr where none waits.
  Arrival* oldest() noexcept { return order_.first(); }

private:
  Request* wildOrNamed(std::uint64_t envelope, Request* named) noexcept;
  Arrival* findWild(const envelope::Pattern& wanted) noexcept;

  EnvelopeTable<Request> named_;
  IntrusiveList<Request, ByEnvelope> wild_; // in the order of posting
  EnvelopeTable<Arrival> arrivals_;
  IntrusiveList<Arrival, ByOrder> order_;
  ArrivalPool pool_;
};

} // namespace mpl
