#include "pt2pt/Transfer.h"

#include "pt2pt/Engine.h"
#include "pt2pt/Receive.h"
#include "pt2pt/Send.h"

namespace mpl::transfer {

namespace {

MessageBuffer bytesBuffer(const void* buffer, std::size_t bytes) {
  return {const_cast<void*>(buffer), bytes, bytes, 0, true};
}

} // namespace

Request* send(Communicator& comm, std::uint64_t context, const void* buffer, MPI_Count count,
              const Datatype& datatype, int destination, int tag) {
  return startSend<SendMode::Standard>(comm, context, messageBuffer(buffer, count, datatype), &datatype,
                                       destination, tag);
}

Request* receive(Communicator& comm, std::uint64_t context, void* buffer, MPI_Count count,
                 const Datatype& datatype, int source, int tag) {
  return &startReceive(comm, context, messageBuffer(buffer, count, datatype), &datatype, source, tag);
}

Request* sendBytes(Communicator& comm, std::uint64_t context, const void* buffer, std::size_t bytes,
                   int destination, int tag) {
  return startSend<SendMode::Standard>(comm, context, bytesBuffer(buffer, bytes), nullptr, destination, tag);
}

Request* receiveBytes(Communicator& comm, std::uint64_t context, void* buffer, std::size_t bytes, int source,
                      int tag) {
  return &startReceive(comm, context, bytesBuffer(buffer, bytes), nullptr, source, tag);
}

void cancel(Request& request) noexcept {
  withdraw(request);
}

} // namespace mpl::transfer
