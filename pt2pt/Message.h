#pragma once

#include "pt2pt/Communicator.h"
#include "pt2pt/Engine.h"
#include "pt2pt/TagProbeInfo.h"

namespace mpl {

/// What an MPI_Message stands for: a message that MPI_Mprobe or MPI_Improbe took out of matching, and its
/// communicator, which stays alive as long as the message (MPI-5.0, section 3.8.2). Lives in MessagePool and
/// keeps its slot of the table; used with the engine held.
class Message {
public:
  /// Looks once for a message and takes it out of matching; whether there was one. source: of wanted.
  bool take(Communicator& from, int source, const envelope::Pattern& wanted) {
    comm = &from;
    return nodeChannel.isOpen() ? takeFromEither(source, wanted)
                                : probed.probeAgain(engine.worker(), wanted, true);
  }

  /// Whether it stands for a message that nobody has received yet.
  bool isHeld() const noexcept { return arrival != nullptr || probed.ownsMessage(); }
  /// Of a message that is held.
  TagRecvInfo info() const {
    return arrival != nullptr ? TagRecvInfo{arrival->envelope(), arrival->length()} : probed.getInfo();
  }

  TagProbeInfo probed;
  Arrival* arrival = nullptr;   ///< where the message came through memory (pt2pt/node)
  Communicator* comm = nullptr; ///< while it is held
  bool holdsComm = false;       ///< owns a reference to comm: its handle was freed meanwhile
  MPI_Message handle = MPI_MESSAGE_NULL;
  HandleTable<Message, MPI_Message>::Place* place = nullptr; ///< of the handle in the table
  Message* nextFree = nullptr;

private:
  bool takeFromEither(int source, const envelope::Pattern& wanted);
};

/// Gives out Message objects; memory is kept until the process ends. Engine held.
class MessagePool {
public:
  /// The object that takeFront() takes: there is always one.
  Message& front() {
    if (free_ == nullptr) [[unlikely]]
      grow();
    return *free_;
  }
  void takeFront() noexcept { free_ = free_->nextFree; }
  /// Ends what the object stands for: its handle becomes stale. UCX's handle was released.
  void putBack(Message& message) noexcept;
  /// The same where the object holds no communicator.
  void putBackQuickly(Message& message) noexcept;

private:
  void grow();

  Message* free_ = nullptr;
};

/// Objects in the pool have handles too: see Message::isHeld().
[[gnu::visibility("hidden")]] extern constinit Immortal<HandleTable<Message, MPI_Message>> messages;
[[gnu::visibility("hidden")]] extern constinit MessagePool messagePool;

inline void MessagePool::putBackQuickly(Message& message) noexcept {
  message.handle = messages->renew(message.handle, *message.place);
  message.nextFree = free_;
  free_ = &message;
}

/// The object of a handle that the program gave; nullptr for MPI_MESSAGE_NO_PROC. Errors: MPI_ERR_ARG for
/// MPI_MESSAGE_NULL and for handles that were received already. (The standard has no class of its own for
/// them.)
Message* messageOf(MPI_Message handle);

} // namespace mpl
