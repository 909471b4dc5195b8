#include "pt2pt/Message.h"

#include "pt2pt/Probe.h"
#include "pt2pt/Runtime.h"

namespace mpl {

constinit Immortal<HandleTable<Message, MPI_Message>> messages;
constinit MessagePool messagePool;

bool Message::takeFromEither(int source, const envelope::Pattern& wanted) {
  const MessageWays ways = waysFrom(*comm, source);
  if (ways.node) {
    Matching& matching = nodeChannel.matching();
    arrival = matching.find(wanted);
    if (arrival != nullptr) {
      matching.take(*arrival);
      return true;
    }
  }
  return ways.transport && probed.probeAgain(engine.worker(), wanted, true);
}

void MessagePool::putBack(Message& message) noexcept {
  if (message.holdsComm) {
    message.holdsComm = false;
    message.comm->release();
  }
  message.comm = nullptr;
  putBackQuickly(message);
}

void MessagePool::grow() {
  constexpr int perBlock = 32;
  auto* block = new Message[perBlock];
  for (int i = 0; i < perBlock; ++i) {
    block[i].handle = messages->insert(&block[i]);
    block[i].place = &messages->place(block[i].handle);
    block[i].nextFree = free_;
    free_ = &block[i];
  }
}

Message* messageOf(MPI_Message handle) {
  if (handle == MPI_MESSAGE_NO_PROC)
    return nullptr;
  Message* message = messages->find(handle);
  if (message == nullptr || !message->isHeld()) {
    runtime.requireActive();
    if (handle == MPI_MESSAGE_NULL)
      fail(MPI_ERR_ARG, "the message is MPI_MESSAGE_NULL");
    fail(MPI_ERR_ARG, "the message handle ", static_cast<const void*>(handle),
         " is not valid (was the message received already?)");
  }
  return message;
}

} // namespace mpl
