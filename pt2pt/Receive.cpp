#include "pt2pt/Receive.h"

#include "pt2pt/Send.h"

#include <algorithm>

namespace mpl {

void detail::receiveDone(void* handed, ucs_status_t status, const ucp_tag_recv_info_t* info, void*) {
  Request& request = *static_cast<Request*>(handed);
  if (request.isComplete()) [[unlikely]] // it was given up
    return;
  Outcome& outcome = request.outcome;
  request.inTransport = false;
  outcome.error = MPI_SUCCESS;
  outcome.cancelled = false;
  if (status == UCS_ERR_CANCELED) [[unlikely]] {
    outcome.source = request.peerRank();
    outcome.tag = request.messageTag();
    outcome.bytes = 0;
    outcome.error = request.failWith;
    outcome.cancelled = request.failWith == MPI_SUCCESS;
    request.failWith = MPI_SUCCESS;
    request.complete();
    return;
  }
  // On truncation the info tells source, tag and the full length all the same.
  outcome.source = envelope::source(info->sender_tag);
  outcome.tag = envelope::tag(info->sender_tag);
  outcome.bytes = info->length;
  if (status != UCS_OK) [[unlikely]]
    return completeFailed(request, outcome.source, status);
  request.complete();
}

void detail::failReceive(Request& request, ucs_status_ptr_t status) {
  const ucs_status_t error = UCS_PTR_STATUS(status);
  const std::string where = request.comm->label();
  request.active = request.inTransport = false;
  requestPool.release(request);
  fail(errorClassOf(error), "the receive on ", where, " cannot be started: ", ucs_status_string(error));
}

std::string describeFailure(const Request& request) {
  const Outcome& outcome = request.outcome;
  const std::string where = request.comm != nullptr ? request.comm->label() : std::string("no communicator");
  const bool isReceive = request.isReceive();
  switch (outcome.error) {
  case MPI_ERR_TRUNCATE:
    return text("message of ", outcome.bytes, " bytes from ",
                request.comm != nullptr ? request.comm->describePeer(outcome.source) : std::string(),
                ", tag ", outcome.tag, " on ", where, " does not fit the buffer of ", request.capacity,
                " bytes");
  case MPI_ERR_PROC_ABORTED:
    if (request.comm != nullptr && endpoints.deadCount() != 0)
      for (ProcessId process : endpoints.dead()) {
        const int rank = request.comm->peerGroup().rankOf(process);
        if (rank != MPI_UNDEFINED && (request.peerRank() == rank || request.peerRank() == MPI_ANY_SOURCE))
          return text(isReceive ? "receive from " : "send to ",
                      request.comm->describePeer(request.peerRank()), ", tag ", request.messageTag(), " on ",
                      where, " cannot complete: ", request.comm->describePeer(rank), " ",
                      endpoints.causeOfDeath(process));
      }
    return text(isReceive ? "receive from " : "send to ", "rank ", request.peerRank(), ", tag ",
                request.messageTag(), " on ", where,
                " cannot complete: the process does not answer any more");
  default:
    if (request.operation)
      return text(request.operation->description(), " on ", where,
                  " failed: ", errorClassName(outcome.error));
    return text(isReceive ? "receive" : "send", " of ", request.capacity, " bytes, rank ", request.peerRank(),
                ", tag ", request.messageTag(), " on ", where,
                " failed: ", ucs_status_string(request.transportStatus));
  }
}

} // namespace mpl
