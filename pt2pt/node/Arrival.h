#pragma once

#include "mpl/IntrusiveList.h"
#include "pt2pt/node/Mailbox.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace mpl {

struct ByEnvelope;
struct ByOrder;

/// A message at the moment of its arrival, wherever its data is.
struct Incoming {
  std::uint64_t envelope = 0;
  std::uint64_t length = 0; ///< bytes
  Carrier carrier = Carrier::Slot;
  std::uint64_t transportTag = 0;  ///< Transport, Memory: of UCX's message
  std::uint32_t record = 0;        ///< Memory: on the sender's board
  const std::byte* data = nullptr; ///< Memory: an address of the sender; Slot, Chunk: the data

  /// Whether the data can be copied from `data`.
  bool isHere() const noexcept { return carrier <= Carrier::Chunk; }
};

/// A message that arrived before anybody wanted it. Owns its data, unless they are with the sender
/// or UCX still. Made and ended
/// by ArrivalPool.
class Arrival : public ListLink<ByEnvelope>, public ListLink<ByOrder> {
public:
  std::uint64_t envelope() const noexcept { return envelope_; }
  std::uint64_t length() const noexcept { return length_; }
  Incoming incoming() const noexcept {
    return {envelope_, length_, carrier_, transportTag_, record_, data()};
  }

private:
  friend class ArrivalPool;

  static constexpr std::size_t room = MailSlot::room;

  const std::byte* data() const noexcept {
    return carrier_ == Carrier::Memory ? remote_ : longData_ ? longData_.get() : shortData_.data();
  }

  std::uint64_t envelope_ = 0;
  std::uint64_t length_ = 0;
  std::uint64_t transportTag_ = 0;
  const std::byte* remote_ = nullptr;
  std::uint32_t record_ = 0;
  Carrier carrier_ = Carrier::Slot;
  std::array<std::byte, room> shortData_{};
  std::unique_ptr<std::byte[]> longData_;
  Arrival* nextFree_ = nullptr;
};

/// Gives out Arrival objects; keeps their memory. Engine held.
class ArrivalPool {
public:
  /// Copies the data.
  Arrival& make(const Incoming& message);
  void end(Arrival& arrival) noexcept;

private:
  void grow();

  std::vector<std::unique_ptr<Arrival[]>> blocks_;
  Arrival* free_ = nullptr;
};

} // namespace mpl
