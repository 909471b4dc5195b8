#include "onesided/ucx/MessageLink.h"

#include <algorithm>
#include <vector>

namespace mpl {

MessageHeader MessageLink::header(MessageKind kind) const {
  MessageHeader header;
  header.kind = kind;
  header.window = window_;
  return header;
}

std::uint64_t MessageLink::awaitData(std::byte* result, std::uint64_t bytes, Pending& pending) {
  auto* awaited = new Awaited;
  awaited->ownedHere = true;
  awaited->pending = &pending;
  awaited->result = result;
  awaited->bytesLeft = bytes;
  return rmaWorker.await(peer_, *awaited);
}

void MessageLink::put(const void* from, std::uint64_t remote, std::size_t bytes) {
  const auto* data = static_cast<const std::byte*>(from);
  MessageHeader message = header(MessageKind::put);
  for (std::size_t done = 0; done < bytes; done += largestPayload) {
    message.address = remote + done;
    rmaWorker.send(peer_, message, {data + done, std::min(largestPayload, bytes - done)});
  }
  dirty_ = true;
}

void MessageLink::get(void* to, std::uint64_t remote, std::size_t bytes, Pending& pending) {
  MessageHeader message = header(MessageKind::get);
  message.address = remote;
  message.count = bytes;
  message.token = awaitData(static_cast<std::byte*>(to), bytes, pending);
  rmaWorker.send(peer_, message, {});
}

void MessageLink::update(Op::Kind kind, ElementType type, std::span<const UpdateRun> runs,
                         const std::byte* operand, std::byte* previous, Pending& pending) {
  const std::size_t size = type.packedSize();
  const bool hasOperand = kind != Op::Kind::noOp;
  MessageHeader message = header(MessageKind::update);
  message.op = kind;
  message.element = type;

  std::vector<UpdateRun> some;
  std::size_t elements = 0; // in `some`
  const auto sendSome = [&] {
    if (some.empty())
      return;
    message.count = some.size();
    if (previous != nullptr) {
      message.token = awaitData(previous, elements * size, pending);
      previous += elements * size;
    }
    const std::size_t bytes = hasOperand ? elements * size : 0;
    rmaWorker.send(peer_, message, std::as_bytes(std::span(some)), {operand, bytes});
    operand += bytes;
    some.clear();
    elements = 0;
  };
  for (UpdateRun run : runs) {
    while (run.count != 0) {
      const std::size_t used = some.size() * sizeof(UpdateRun) + elements * size;
      const std::size_t fit =
          used + sizeof(UpdateRun) < largestPayload ? (largestPayload - used - sizeof(UpdateRun)) / size : 0;
      if (fit == 0) {
        sendSome();
        continue;
      }
      const UpdateRun part{run.address, std::min<std::uint64_t>(run.count, fit)};
      some.push_back(part);
      elements += part.count;
      run.address += part.count * type.extent();
      run.count -= part.count;
    }
  }
  sendSome();
  dirty_ = previous == nullptr; // an answer comes when all before it has been done
}

void MessageLink::compareAndSwap(ElementType type, std::uint64_t remote, const std::byte* compare,
                                 const std::byte* value, std::byte* previous, Pending& pending) {
  const std::size_t size = type.packedSize();
  MessageHeader message = header(MessageKind::compareAndSwap);
  message.element = type;
  message.address = remote;
  message.token = awaitData(previous, size, pending);
  rmaWorker.send(peer_, message, {compare, size}, {value, size});
}

void MessageLink::lock(bool exclusive, int owner, Pending& pending) {
  MessageHeader message = header(MessageKind::lock);
  message.count = exclusive ? 1 : 0;
  message.address = static_cast<std::uint64_t>(owner);
  message.token = awaitData(nullptr, 0, pending);
  rmaWorker.send(peer_, message, {});
}

void MessageLink::unlock(bool exclusive) {
  MessageHeader message = header(MessageKind::unlock);
  message.count = exclusive ? 1 : 0;
  rmaWorker.send(peer_, message, {});
}

void MessageLink::describe(std::vector<std::byte>& description, Pending& pending) {
  auto* awaited = new Awaited;
  awaited->ownedHere = true;
  awaited->pending = &pending;
  awaited->raw = &description;
  MessageHeader message = header(MessageKind::describe);
  message.token = rmaWorker.await(peer_, *awaited);
  rmaWorker.send(peer_, message, {});
}

void MessageLink::flush(Pending& pending) {
  if (!dirty_)
    return;
  dirty_ = false;
  MessageHeader message = header(MessageKind::fence);
  message.token = awaitData(nullptr, 0, pending);
  rmaWorker.send(peer_, message, {});
}

} // namespace mpl
