#pragma once

#include "mpl/Datatype.h"

#include <cstddef>
#include <map>
#include <memory>

namespace mpl {

class Communicator;
class Request;
class SessionScope;

/// The buffer that buffered sends copy into (MPI-5.0, section 3.6): the program's memory, or memory taken as
/// needed (MPI_BUFFER_AUTOMATIC). Used with the engine held.
class BsendBuffer : public std::enable_shared_from_this<BsendBuffer> {
public:
  /// size in bytes; address MPI_BUFFER_AUTOMATIC: memory is taken from the heap.
  BsendBuffer(void* address, MPI_Count size) : address_(address), size_(size) {}

  void* address() const noexcept { return address_; }
  MPI_Count size() const noexcept { return size_; }
  bool isAutomatic() const noexcept { return address_ == MPI_BUFFER_AUTOMATIC; }
  bool isIdle() const noexcept { return used_.empty() && automatic_.empty(); }

  /// Room for a message, or nullptr where there is none now.
  std::byte* allocate(std::size_t bytes);
  void release(std::byte* block) noexcept;

private:
  void* address_;
  MPI_Count size_;
  std::map<std::byte*, std::size_t> used_; // blocks in the program's memory, by address
  std::map<std::byte*, std::unique_ptr<std::byte[]>> automatic_;
};

/// Which buffer an attach, detach or flush means: the communicator's, the session's, or the process's where
/// neither is given.
struct BsendScope {
  Communicator* comm = nullptr;
  SessionScope* session = nullptr;
};

/// MPI_Buffer_attach. Errors: MPI_ERR_BUFFER where one is attached already.
void attachBsendBuffer(BsendScope scope, void* address, MPI_Count size);
/// MPI_Buffer_detach: waits until all messages in it are sent. With no buffer: nullptr.
std::shared_ptr<BsendBuffer> detachBsendBuffer(BsendScope scope);
/// MPI_Buffer_flush: waits until all messages that are in it now are sent.
void flushBsendBuffer(BsendScope scope);
/// MPI_Buffer_iflush: a request that completes then.
MPI_Request startFlushOfBsendBuffer(BsendScope scope);

/// Copies the message into the buffer in force and starts to send it; engine held, destination is a rank.
/// Errors: MPI_ERR_BUFFER where no buffer is attached or it has no room.
void bsend(Communicator& comm, const void* buffer, MPI_Count count, const Datatype& datatype, int destination,
           int tag);

} // namespace mpl
