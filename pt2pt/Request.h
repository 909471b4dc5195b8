#pragma once

#include "mpl/HandleTable.h"
#include "mpl/IntrusiveList.h"
#include "mpl/Status.h"
#include "pt2pt/Tag.h"

#include <ucp/api/ucp.h>

#include <atomic>
#include <cstdint>
#include <memory>

namespace mpl {

class Communicator;
class Datatype;
class Request;

// Lists that a request stands in while it waits (pt2pt/node).
struct ByEnvelope;
struct Undecided;

/// What a request does beyond one plain send or receive: persistent operations, collectives, generalized
/// requests, buffer flushes, combined send-receives. Plain sends and receives have none.
class Operation {
public:
  virtual ~Operation() = default;

  /// MPI_Start of a persistent operation; called with the engine held.
  virtual void start(Request& request);
  /// MPI_Cancel of the active operation; called with the engine held.
  virtual void cancel(Request& request);
  /// MPI_Request_free is about to do it: throws MPI_ERR_REQUEST where the standard does not allow that.
  virtual void checkFree(const Request& request) const;
  /// MPI_Request_free; called with the engine held. An active operation goes on.
  virtual void freed(Request& request);
  /// Called once when a wait or test completes the request, without the engine held; may change the outcome
  /// and may throw mpl::Error, whose class then becomes the request's error (generalized requests run their
  /// query function here).
  virtual void finished(Outcome& outcome);
  /// Called once after finished(), or when the program frees the request after completion, without the engine
  /// held: the program will not see the request again. May throw mpl::Error.
  virtual void retiring();
  /// Whose error handler gets errors of starting it; nullptr: MPI_COMM_SELF's.
  virtual Communicator* communicator() const { return nullptr; }
  /// What is said of the request in reports ("persistent send", "all-reduce").
  virtual const char* description() const = 0;
};

/// One MPI request. UCX's own request lies directly before it in memory (see RequestPool), so that an
/// operation allocates nothing and UCX's callbacks get the Request itself.
///
/// All members are changed with the engine held; isComplete() may be asked without it, and when it says yes
/// the outcome may be read.
class Request : public ListLink<ByEnvelope>, public ListLink<Undecided> {
public:
  /// NamedReceive: a receive of the fast path, which keeps `envelopeBits` in place of peer and tag.
  enum class Kind : std::uint8_t { Send, Receive, NamedReceive, Other };

  bool isReceive() const noexcept { return kind == Kind::Receive || kind == Kind::NamedReceive; }
  /// Source or destination in comm; MPI_ANY_SOURCE.
  int peerRank() const noexcept { return kind == Kind::NamedReceive ? envelope::source(envelopeBits) : peer; }
  /// MPI_ANY_TAG for receives of any.
  int messageTag() const noexcept { return kind == Kind::NamedReceive ? envelope::tag(envelopeBits) : tag; }

  bool isComplete() const noexcept {
    return std::atomic_ref<bool>(const_cast<bool&>(complete_)).load(std::memory_order_acquire);
  }
  /// A persistent request that was not started, or whose completion was already taken.
  bool isActive() const noexcept { return active; }

  /// Makes a fresh or restarted request pending.
  void begin(Kind what) noexcept {
    kind = what;
    active = true;
    complete_ = false;
  }

  /// begin() of a plain receive with a request from the pool: all marks in one store.
  void beginNamedReceive() noexcept {
    kind = Kind::NamedReceive;
    active = true;
    persistent = false;
    detached = false;
    inTransport = true;
    cancelRequested = false;
    holdsComm = false;
    complete_ = false;
  }

  /// Publishes the outcome. When the program freed the request meanwhile, it goes back to the pool.
  void complete() noexcept {
    if (detached) [[unlikely]] {
      completeDetached();
      return;
    }
    publish();
  }

  void completeWith(int errorClass) noexcept {
    outcome.error = errorClass;
    complete();
  }

  Outcome outcome;
  Kind kind = Kind::Other;
  bool active = false;
  bool persistent = false;
  bool detached = false;    // freed by the program while active: completion gives it back
  bool inTransport = false; // UCX holds it, or a queue of pt2pt/node
  bool cancelRequested = false;
  bool holdsComm = false; // owns a reference to comm

private:
  bool complete_ = false; // accessed by waiting threads too: see isComplete() and publish()

public:
  bool shared = false;                   // one of the pre-completed requests that all small sends return
  int failWith = MPI_SUCCESS;            // why we cancelled it, where the program did not
  ucs_status_t transportStatus = UCS_OK; ///< what UCX said, where it said that a send or receive has failed
  Request* nextFree = nullptr;
  MPI_Request handle = MPI_REQUEST_NULL;
  Communicator* comm = nullptr;   // while an operation runs
  Datatype* datatype = nullptr;   // a reference is held while the operation runs, where not null
  void* buffer = nullptr;         // for messages about errors, and for buffers that the request owns
  std::uint64_t capacity = 0;     // of a receive: bytes that its buffer takes
  std::uint64_t envelopeBits = 0; // of a named receive; of others what wanted() says
  int peer = MPI_ANY_SOURCE;      // of others: see peerRank()
  int tag = MPI_ANY_TAG;
  std::unique_ptr<Operation> operation;
  void (*onComplete)(Request&) = nullptr; // called by complete() of internal requests, engine held
  void* owner = nullptr;                  // for onComplete

  // For pt2pt/node, where a message may be looked at long after the call that it came from: the buffer as a
  // MessageBuffer has it (with buffer, capacity and datatype), what a receive takes, when it was posted.
  std::size_t elements = 0;
  ucp_datatype_t transportType = 0;
  std::uint64_t envelopeMask = 0;
  std::uint64_t postedAt = 0;
  bool synchronous = false; // of a send
  bool matched = false;     // a receive that has its message, of which UCX brings the data

  envelope::Pattern wanted() const noexcept { return {envelopeBits, envelopeMask}; }
  std::uint64_t envelope() const noexcept { return envelopeBits; }

  /// Ties the operation to its communicator, with a reference.
  void attach(Communicator& communicator) noexcept;

private:
  void completeDetached() noexcept;
  void publish() noexcept { std::atomic_ref<bool>(complete_).store(true, std::memory_order_release); }
};

/// Gives out requests. Memory is taken in blocks and kept until the process ends; a block holds, for every
/// request, the room that UCX asks for in front of it. Used with the engine held.
class RequestPool {
public:
  /// transportBytes: what ucp_context_query gave as the size of UCX's own request.
  void configure(std::size_t transportBytes) {
    transportBytes_ = transportBytes;
    grow();
  }

  Request& take() {
    Request* request = free_;
    free_ = request->nextFree;
    if (free_ == nullptr) [[unlikely]]
      grow();
    request->comm = nullptr;
    return *request;
  }

  /// The request that take() would give next: there is always one.
  Request& front() noexcept { return *free_; }
  /// Whether there is one more than the last, and taking it.
  bool hasSpare() const noexcept { return free_->nextFree != nullptr; }
  Request* takeSpare() noexcept {
    Request* request = free_;
    free_ = request->nextFree;
    return request;
  }
  /// Takes this one, which was the front a moment ago.
  void takeThis(Request& request);

  /// Puts a request back that no handle was given out for (a send that completed at once).
  void putBack(Request& request) noexcept {
    request.nextFree = free_;
    free_ = &request;
  }

  /// Drops the references to communicator and datatype that a started operation holds.
  void dropReferences(Request& request) noexcept;

  /// Ends the life of a request whose handle nobody ever saw.
  void releaseUnseen(Request& request) noexcept {
    dropReferences(request);
    request.active = false;
    putBack(request);
  }

  /// Ends a request's life: its handle becomes stale, references are dropped.
  void release(Request& request) noexcept;

private:
  void grow();

  Request* free_ = nullptr;
  std::size_t transportBytes_ = 0;
};

extern constinit Immortal<HandleTable<Request, MPI_Request>> requests;
[[gnu::visibility("hidden")]] extern constinit RequestPool requestPool;

/// Handles of two requests that are complete from the start and are never freed: what MPI_Isend gives when
/// the message left at once, and what operations with MPI_PROC_NULL give. (Values of the ABI's range for
/// predefined requests that the ABI leaves free.)
inline const MPI_Request completedSend = reinterpret_cast<MPI_Request>(0x181);
inline const MPI_Request completedNothing = reinterpret_cast<MPI_Request>(0x182);

/// Makes the two shared requests known; at MPI_Init.
void registerSharedRequests();

} // namespace mpl
