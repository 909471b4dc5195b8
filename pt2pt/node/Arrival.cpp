#include "pt2pt/node/Arrival.h"

#include <cstring>

namespace mpl {

Arrival& ArrivalPool::make(const Incoming& message) {
  if (free_ == nullptr)
    grow();
  Arrival& arrival = *free_;
  if (message.isHere() && message.length != 0) {
    std::byte* to = arrival.shortData_.data();
    if (message.length > Arrival::room) {
      arrival.longData_ = std::make_unique_for_overwrite<std::byte[]>(message.length);
      to = arrival.longData_.get();
    }
    std::memcpy(to, message.data, message.length);
  }
  free_ = arrival.nextFree_;
  arrival.envelope_ = message.envelope;
  arrival.length_ = message.length;
  arrival.carrier_ = message.carrier;
  arrival.transportTag_ = message.transportTag;
  arrival.record_ = message.record;
  arrival.remote_ = message.data;
  return arrival;
}

void ArrivalPool::end(Arrival& arrival) noexcept {
  arrival.longData_.reset();
  arrival.nextFree_ = free_;
  free_ = &arrival;
}

void ArrivalPool::grow() {
  constexpr int perBlock = 64;
  Arrival* block = blocks_.emplace_back(std::make_unique<Arrival[]>(perBlock)).get();
  for (int i = perBlock; i-- > 0;)
    end(block[i]);
}

} // namespace mpl
