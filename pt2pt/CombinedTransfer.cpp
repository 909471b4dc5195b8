#include "pt2pt/CombinedTransfer.h"

#include "pt2pt/Receive.h"
#include "pt2pt/Send.h"

namespace mpl {

namespace {

// The request completes when both halves have. A half that is under way belongs to the transport until then
// (detached): it gives itself back.
class Combined final : public Operation {
public:
  Combined(Request& request, std::unique_ptr<std::byte[]> owned)
      : request_(request), owned_(std::move(owned)) {}

  void begin(const TransferArguments& send, const TransferArguments& receive) {
    Request* incoming = nullptr;
    if (receive.peer == MPI_PROC_NULL) {
      outcome_ = Outcome::noProcess();
      --pending_;
    } else {
      incoming = &startReceive(*receive.comm, receive.comm->messageContext(),
                               messageBuffer(receive.buffer, receive.count, *receive.datatype),
                               receive.datatype.get(), receive.peer, receive.tag);
      follow(*incoming, receiveEnded);
    }
    Request* outgoing = nullptr;
    if (send.peer != MPI_PROC_NULL) {
      try {
        outgoing = startSend<SendMode::Standard>(*send.comm, send.comm->messageContext(),
                                                 messageBuffer(send.buffer, send.count, *send.datatype),
                                                 send.datatype.get(), send.peer, send.tag);
      } catch (const Error& error) {
        // The receive is under way and writes into the program's buffer: fail as a whole, at completion.
        outcome_.error = sendError_ = error.errorClass();
      }
    }
    if (outgoing != nullptr)
      follow(*outgoing, sendEnded);
    else
      ended();
  }

  const char* description() const override { return "combined send and receive"; }

private:
  void follow(Request& half, void (*end)(Request&)) {
    half.owner = this;
    if (half.isComplete()) {
      end(half);
      requestPool.releaseUnseen(half);
      return;
    }
    half.onComplete = end;
    half.detached = true;
  }

  static void receiveEnded(Request& half) {
    Combined& self = *static_cast<Combined*>(half.owner);
    self.outcome_ = half.outcome;
    if (half.outcome.error == MPI_ERR_TRUNCATE)
      self.request_.capacity = half.capacity;
    self.ended();
  }

  static void sendEnded(Request& half) {
    Combined& self = *static_cast<Combined*>(half.owner);
    self.sendError_ = half.outcome.error;
    self.ended();
  }

  void ended() {
    if (--pending_ != 0)
      return;
    request_.outcome = outcome_;
    if (outcome_.error == MPI_SUCCESS)
      request_.outcome.error = sendError_;
    owned_.reset();
    request_.complete();
  }

  Request& request_;
  std::unique_ptr<std::byte[]> owned_;
  Outcome outcome_;
  int sendError_ = MPI_SUCCESS;
  int pending_ = 2;
};

} // namespace

MPI_Request startCombined(const TransferArguments& send, const TransferArguments& receive,
                          std::unique_ptr<std::byte[]> owned) {
  EngineLock lock;
  Request& request = requestPool.take();
  request.begin(Request::Kind::Other);
  request.peer = receive.peer;
  request.tag = receive.tag;
  request.capacity = 0;
  request.attach(*receive.comm);
  auto operation = std::make_unique<Combined>(request, std::move(owned));
  Combined& combined = *operation;
  request.operation = std::move(operation);
  const MPI_Request handle = request.handle;
  try {
    combined.begin(send, receive);
  } catch (...) {
    request.active = false;
    requestPool.release(request);
    throw;
  }
  return handle;
}

std::unique_ptr<std::byte[]> packedCopy(const void* buffer, MPI_Count count, const Datatype& datatype,
                                        MPI_Count& bytes) {
  const PackCursor cursor = datatype.cursor(buffer, count);
  bytes = static_cast<MPI_Count>(cursor.totalBytes());
  auto copy = std::make_unique_for_overwrite<std::byte[]>(cursor.totalBytes() + 1);
  cursor.pack(0, copy.get(), cursor.totalBytes());
  return copy;
}

} // namespace mpl
