#include "pt2pt/Send.h"

#include "pt2pt/Endpoints.h"

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

void detail::failSend(ucs_status_ptr_t status, Communicator& comm, const MessageBuffer& data, int destination,
                      int tag) {
  const ucs_status_t error = UCS_PTR_STATUS(status);
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
    failSend(status, comm, data, destination, tag);
  }
  markPending(request, comm, datatype, data, destination, tag);
  return &request;
}

} // namespace mpl
