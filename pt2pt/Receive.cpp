#include "pt2pt/Receive.h"

#include "pt2pt/Send.h"

#include <algorithm>

namespace mpl {

namespace {

void completeCancelled(Request& request) noexcept {
  request.inTransport = false;
  const int error = request.failWith;
  request.failWith = MPI_SUCCESS;
  request.cancelRequested = false;
  request.outcome = {request.peerRank(), request.messageTag(), error, error == MPI_SUCCESS, 0};
  request.complete();
}

void endCancelled(Request& request) noexcept {
  if (request.cancelRequested || request.failWith != MPI_SUCCESS)
    return completeCancelled(request);
  // UCX did it of its own: the sender's connection is closed, and the data will not come.
  request.inTransport = false;
  request.outcome = {request.peerRank(), request.messageTag(), MPI_SUCCESS, false, 0};
  detail::completeFailed(request, request.peerRank(), UCS_ERR_CANCELED);
}

} // namespace

void detail::completeRefused(Request& request, ucs_status_ptr_t status, std::uint64_t bytes) noexcept {
  request.inTransport = false;
  request.outcome = {request.peerRank(), request.messageTag(), MPI_SUCCESS, false, bytes};
  request.transportStatus = UCS_PTR_STATUS(status);
  request.completeWith(errorClassOf(request.transportStatus));
}

ucs_status_ptr_t detail::issueReceive(Request& request, const MessageBuffer& data,
                                      const envelope::Pattern& wanted, ucp_tag_recv_nbx_callback_t done) {
  const ucp_request_param_t param = receiveParameters(request, data, done);
  return ucp_tag_recv_nbx(engine.worker(), data.address, data.count, wanted.bits, wanted.mask, &param);
}

void detail::receiveDone(void* handed, ucs_status_t status, const ucp_tag_recv_info_t* info, void*) {
  receiveEnded(*static_cast<Request*>(handed), status, info->sender_tag, info);
}

void detail::receiveEnded(Request& request, ucs_status_t status, std::uint64_t bits,
                          const ucp_tag_recv_info_t* info) noexcept {
  if (request.isComplete()) [[unlikely]] // it was given up
    return;
  if (status == UCS_ERR_CANCELED) [[unlikely]]
    return endCancelled(request);
  Outcome& outcome = request.outcome;
  request.inTransport = false;
  outcome.error = MPI_SUCCESS;
  outcome.cancelled = false;
  // On truncation the info tells the full length all the same.
  outcome.source = envelope::source(bits);
  outcome.tag = envelope::tag(bits);
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

void withdraw(Request& request) noexcept {
  if (!request.isReceive() || !request.inTransport || request.isComplete() || request.matched)
    return;
  const bool isUndecided = isListed<Undecided>(request);
  const bool isPosted = isListed<ByEnvelope>(request);
  if (isPosted)
    nodeChannel.matching().remove(request);
  nodeChannel.undecided().leave(request);
  request.cancelRequested = true;
  if (isPosted || isUndecided)
    completeCancelled(request);
  else
    ucp_request_cancel(engine.worker(), &request);
}

void receiveFromTransport(Request& request) noexcept {
  const ucs_status_ptr_t status = detail::issueReceive(request, detail::bufferOf(request), request.wanted());
  if (UCS_PTR_IS_ERR(status)) [[unlikely]]
    detail::completeRefused(request, status);
}

void receiveMatched(Request& request, TagProbeInfo& probed) noexcept {
  const MessageBuffer data = detail::bufferOf(request);
  const ucp_request_param_t param = detail::receiveParameters(request, data);
  const ucs_status_ptr_t status =
      ucp_tag_msg_recv_nbx(engine.worker(), data.address, data.count, probed.releaseHandle(), &param);
  if (UCS_PTR_IS_ERR(status)) [[unlikely]]
    detail::completeRefused(request, status);
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
    if (request.comm != nullptr)
      if (const std::optional<int> rank = request.comm->deadPeer(request.peerRank()))
        return text(isReceive ? "receive from " : "send to ", request.comm->describePeer(request.peerRank()),
                    ", tag ", request.messageTag(), " on ", where,
                    " cannot complete: ", request.comm->describePeer(*rank), " ",
                    endpoints.causeOfDeath(request.comm->peerGroup().process(*rank)));
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
