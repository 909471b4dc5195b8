#include "pt2pt/node/LongReceives.h"

#include "bootstrap/ProcessMemory.h"
#include "mpl/Log.h"
#include "mpl/ScratchMemory.h"
#include "mpl/TakeOut.h"
#include "pt2pt/Endpoints.h"
#include "pt2pt/Runtime.h"
#include "pt2pt/node/NodeReceive.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace mpl {

using State = TransferBoard::State;
using Record = TransferBoard::Record;

namespace {

// Data at an address of a sender, which may be this process itself.
class SendersMemory {
public:
  SendersMemory(const Lane& sender, const std::byte* from) noexcept : sender_(sender), from_(from) {}

  /// Gives 0 or the errno of the failure.
  int copy(std::uint64_t offset, std::uint64_t bytes, void* to) const noexcept {
    if (!sender_.isToSelf())
      return processMemory::read(sender_.systemId(), reinterpret_cast<std::uintptr_t>(from_) + offset, to,
                                 bytes);
    std::memmove(to, from_ + offset, bytes);
    return 0;
  }

private:
  const Lane& sender_;
  const std::byte* from_;
};

int copyUnpacking(Request& request, const SendersMemory& source, std::uint64_t bytes) {
  constexpr std::uint64_t atATime = 256 * 1024; // stays in the processor's cache
  auto cursor = request.datatype->cursor(request.buffer, static_cast<MPI_Count>(request.elements));
  const ScratchMemory piece(std::min(bytes, atATime));
  for (std::uint64_t offset = 0; offset < bytes; offset += atATime) {
    const std::uint64_t length = std::min(bytes - offset, atATime);
    if (const int error = source.copy(offset, length, piece.get()); error != 0)
      return error;
    cursor.unpack(offset, piece.get(), length);
  }
  return 0;
}

struct Copied {
  int error;              // errno of the failure, or 0
  bool isHelping = false; // the sender is still at the second half
};

// The first half; the second one too, unless the sender has taken that.
Copied copyWithHelp(Request& request, const SendersMemory& source, std::uint64_t bytes, Record& record) {
  constexpr std::uint64_t page = 4096;
  const std::uint64_t half = bytes / 2 / page * page;
  std::byte* const buffer = static_cast<std::byte*>(request.buffer);
  record.destination = reinterpret_cast<std::uintptr_t>(buffer + half);
  record.offset = half;
  record.bytes = bytes - half;
  record.state.store(State::Halved, std::memory_order_release);
  const int error = source.copy(0, half, buffer);
  State state = State::Halved;
  if (!record.state.compare_exchange_strong(state, State::Offered, std::memory_order_acquire) &&
      state == State::Helping)
    return {error, true};
  if (error != 0 || state == State::Helped)
    return {error};
  return {source.copy(half, bytes - half, buffer + half)};
}

Copied copy(Request& request, const Lane& sender, const Incoming& message, Record& record) {
  const std::uint64_t bytes = std::min(message.length, request.capacity);
  const SendersMemory source(sender, message.data);
  if (request.datatype != nullptr)
    return {copyUnpacking(request, source, bytes)};
  // While messages go both ways, each side is busy with reading.
  const bool mayHelp = nodeChannel.longSends().empty() && !sender.isToSelf() && !runtime.oversubscribed();
  if (bytes >= LongReceives::leastShared && mayHelp)
    return copyWithHelp(request, source, bytes, record);
  return {source.copy(0, bytes, request.buffer)};
}

void fail(Request& request, ProcessId process) noexcept {
  request.outcome.error = MPI_ERR_PROC_ABORTED;
  request.matched = request.inTransport = false;
  if (!endpoints.suspect(request, process))
    request.complete();
}

// After copying has ended with this error.
void end(Request& request, const Lane& sender, const Incoming& message, Record& record, int error) noexcept {
  if (error == 0) {
    record.state.store(State::Read, std::memory_order_release);
    request.matched = request.inTransport = false;
    return request.complete();
  }
  if (error == ESRCH)
    return fail(request, sender.process);
  log::debug("the memory of rank ", sender.process,
             " of MPI_COMM_WORLD cannot be read: ", std::strerror(error));
  node::receiveThroughTransport(request, message);
  record.state.store(State::Refused, std::memory_order_release);
}

} // namespace

void LongReceives::start(Request& request, const Incoming& message) noexcept {
  const ProcessId process = envelope::dataSender(message.transportTag);
  Lane& sender = *nodeChannel.find(process);
  Record& record = sender.board.record(message.record);
  request.outcome = node::outcomeOf(request, message);
  // What the system calls a dead process may be another one by now.
  const Copied copied = endpoints.isDead(process) ? Copied{ESRCH} : copy(request, sender, message, record);
  if (!copied.isHelping)
    return end(request, sender, message, record, copied.error);
  // From now on the receive is one of a known message.
  request.kind = Request::Kind::NamedReceive;
  request.envelopeBits = message.envelope;
  request.matched = true;
  joint_.push_back({&request, &sender, message, copied.error});
  nodeChannel.setDuties();
}

unsigned LongReceives::advance() noexcept {
  // Completing may start another receive.
  const std::vector<Joint> ended = takeOut(joint_, [](const Joint& joint) {
    return joint.sender->board.record(joint.message.record).state.load(std::memory_order_acquire) !=
           State::Helping;
  });
  for (const Joint& joint : ended) {
    Record& record = joint.sender->board.record(joint.message.record);
    int error = joint.error;
    if (error == 0 && record.state.load(std::memory_order_relaxed) == State::Failed)
      error = SendersMemory(*joint.sender, joint.message.data)
                  .copy(record.offset, record.bytes,
                        static_cast<std::byte*>(joint.request->buffer) + record.offset);
    end(*joint.request, *joint.sender, joint.message, record, error);
  }
  return static_cast<unsigned>(ended.size());
}

void LongReceives::forget(ProcessId process) noexcept {
  for (const Joint& lost :
       takeOut(joint_, [&](const Joint& joint) { return joint.sender->process == process; }))
    fail(*lost.request, process);
}

} // namespace mpl
