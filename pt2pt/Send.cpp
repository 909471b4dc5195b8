#include "pt2pt/Send.h"

#include "pt2pt/Endpoints.h"
#include "pt2pt/node/NodeSend.h"

namespace mpl {

int errorClassOf(ucs_status_t status) noexcept {
  switch (status) {
  case UCS_OK:
    return MPI_SUCCESS;
  case UCS_ERR_MESSAGE_TRUNCATED:
    return MPI_ERR_TRUNCATE;
  case UCS_ERR_NO_MEMORY:
    return MPI_ERR_NO_MEM;
  case UCS_ERR_CONNECTION_RESET:
  case UCS_ERR_ENDPOINT_TIMEOUT:
  case UCS_ERR_NOT_CONNECTED:
  case UCS_ERR_CANCELED: // of a send: its endpoint was closed because the peer died
    return MPI_ERR_PROC_ABORTED;
  default:
    return MPI_ERR_OTHER;
  }
}

void detail::sendDone(void* handed, ucs_status_t status, void*) {
  Request& request = *static_cast<Request*>(handed);
  if (request.isComplete()) [[unlikely]] // it was given up
    return;
  request.inTransport = false;
  if (status != UCS_OK) [[unlikely]]
    return detail::completeFailed(request, request.peerRank(), status);
  request.completeWith(MPI_SUCCESS);
}

void detail::completeFailed(Request& request, int peer, ucs_status_t status) {
  request.transportStatus = status;
  request.outcome.error = errorClassOf(status);
  // What UCX has no better word for is most often a copy from the memory of a process that has just died.
  const bool inDoubt = request.outcome.error == MPI_ERR_OTHER && request.comm != nullptr && peer >= 0;
  if (!inDoubt || !endpoints.suspect(request, request.comm->peerGroup().process(peer)))
    request.complete();
}

void detail::failSend(ucs_status_t error, Communicator& comm, const MessageBuffer& data, int destination,
                      int tag) {
  fail(errorClassOf(error), "the message of ", data.bytes, " bytes to ", comm.describePeer(destination),
       ", tag ", tag, " on ", comm.label(), " cannot be sent: ", ucs_status_string(error));
}

void detail::markPending(Request& request, Communicator& comm, const Datatype* datatype,
                         const MessageBuffer& data, int destination, int tag) {
  request.begin(Request::Kind::Send);
  request.inTransport = true;
  request.outcome = Outcome::empty();
  request.capacity = data.bytes;
  request.peer = destination;
  request.tag = tag;
  request.attach(comm);
  if (datatype != nullptr) {
    datatype->retain();
    request.datatype = const_cast<Datatype*>(datatype);
  }
}

Request* detail::finishStartingSend(ucs_status_ptr_t status, Request& request, Communicator& comm,
                                    const Datatype* datatype, const MessageBuffer& data, int destination,
                                    int tag) {
  if (UCS_PTR_IS_ERR(status)) {
    requestPool.putBack(request);
    failSend(UCS_PTR_STATUS(status), comm, data, destination, tag);
  }
  markPending(request, comm, datatype, data, destination, tag);
  return &request;
}

Request* detail::startNodeSend(Lane& lane, Communicator& comm, std::uint64_t contextBits,
                               const MessageBuffer& data, const Datatype* datatype, int destination, int tag,
                               bool synchronous) {
  node::prepare(lane, data.bytes, synchronous);
  Request& request = requestPool.take();
  const node::Outgoing message{envelope::make(contextBits, comm.rank(), tag), data, datatype, synchronous};
  const node::Sent sent = node::send(lane, request, comm, message, destination, tag);
  if (sent == node::Sent::UnderWay)
    return &request;
  const ucs_status_t status = request.transportStatus;
  requestPool.putBack(request);
  if (sent == node::Sent::Failed)
    failSend(status, comm, data, destination, tag);
  return nullptr;
}

void detail::restartNodeSend(Request& request, Lane& lane, Communicator& comm, const MessageBuffer& data,
                             const Datatype* datatype, int destination, int tag, bool synchronous) {
  node::prepare(lane, data.bytes, synchronous);
  const node::Outgoing message{envelope::make(comm.messageContext(), comm.rank(), tag), data, datatype,
                               synchronous};
  const node::Sent sent = node::send(lane, request, comm, message, destination, tag);
  if (sent == node::Sent::UnderWay)
    return;
  if (sent == node::Sent::Failed)
    failSend(request.transportStatus, comm, data, destination, tag);
  request.begin(Request::Kind::Send);
  request.outcome = Outcome::empty();
  request.complete();
}

} // namespace mpl
