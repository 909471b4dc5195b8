#include "pt2pt/node/LongSends.h"

#include "bootstrap/ProcessMemory.h"
#include "mpl/TakeOut.h"
#include "pt2pt/node/NodeSend.h"

#include <algorithm>

namespace mpl {

using State = TransferBoard::State;

namespace {

State stateOf(TransferBoard board, std::uint32_t record) noexcept {
  return board.record(record).state.load(std::memory_order_acquire);
}

} // namespace

LongSends::LongSends(TransferBoard board) : board_(board) {
  for (std::uint32_t record = TransferBoard::recordCount; record-- > 0;)
    free_.push_back(record);
  underWay_.reserve(TransferBoard::recordCount);
}

std::uint32_t LongSends::offer(Lane& lane, Request& request, std::uint64_t number) {
  const std::uint32_t record = free_.back();
  free_.pop_back();
  board_.record(record).state.store(State::Offered, std::memory_order_relaxed);
  underWay_.push_back({record, &lane, &request, number});
  return record;
}

void LongSends::free(std::uint32_t record) noexcept {
  board_.record(record).state.store(State::Free, std::memory_order_relaxed);
  free_.push_back(record);
}

void LongSends::withdraw(std::uint32_t record) noexcept {
  std::erase_if(underWay_, [record](const Offer& offer) { return offer.record == record; });
  free(record);
}

bool LongSends::takeIfRead(std::uint32_t record) noexcept {
  if (stateOf(board_, record) != State::Read)
    return false;
  withdraw(record);
  return true;
}

unsigned LongSends::advance() {
  unsigned helped = 0;
  // Completing a send may start another one: the list is not to be walked meanwhile.
  const std::vector<Offer> ended = takeOut(underWay_, [&](const Offer& offer) {
    const State state = stateOf(board_, offer.record);
    if (state == State::Halved)
      helped += help(offer) ? 1 : 0;
    return state == State::Read || state == State::Refused;
  });
  for (const Offer& offer : ended) {
    const bool isRefused = stateOf(board_, offer.record) == State::Refused;
    free(offer.record);
    if (isRefused) {
      offer.lane->isReadable = false;
      node::sendRefused(*offer.lane, *offer.request, offer.number);
    } else {
      node::completeSend(*offer.request, MPI_SUCCESS);
    }
  }
  return helped + static_cast<unsigned>(ended.size());
}

// Copies the second half of a message if its receiver has not begun with that.
bool LongSends::help(const Offer& offer) noexcept {
  TransferBoard::Record& record = board_.record(offer.record);
  State state = State::Halved;
  if (!record.state.compare_exchange_strong(state, State::Helping, std::memory_order_acquire))
    return false;
  const int error = processMemory::write(offer.lane->systemId(),
                                         static_cast<std::byte*>(offer.request->buffer) + record.offset,
                                         record.destination, record.bytes);
  record.state.store(error == 0 ? State::Helped : State::Failed, std::memory_order_release);
  return true;
}

void LongSends::forget(ProcessId process) noexcept {
  for (const Offer& lost :
       takeOut(underWay_, [&](const Offer& offer) { return offer.lane->process == process; })) {
    free(lost.record);
    node::completeSend(*lost.request, MPI_ERR_PROC_ABORTED);
  }
}

} // namespace mpl
