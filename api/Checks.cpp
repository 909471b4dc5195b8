#include "api/Checks.h"

#include "api/Guard.h"

namespace mpl::api {

int failHandles(const char* function, MPI_Comm comm, MPI_Datatype datatype) {
  return guarded(function, comm, [&] {
    communicatorOf(comm);
    datatypeOf(datatype);
  });
}

Communicator& intraCommunicatorOf(MPI_Comm handle, const char* why) {
  Communicator& comm = communicatorOf(handle);
  if (comm.isInter())
    fail(MPI_ERR_COMM, comm.label(), " is an inter-communicator, ", why);
  return comm;
}

void failCount(const char* name, MPI_Count count) {
  fail(MPI_ERR_COUNT, name, " is ", count, ", which is negative");
}

void failTag(int tag, bool anyAllowed) {
  fail(MPI_ERR_TAG, "tag is ", tag, ", which is ", anyAllowed ? "neither" : "not", " in 0..",
       envelope::maxTag, " (MPI_TAG_UB)", anyAllowed ? " nor MPI_ANY_TAG" : "",
       tag == MPI_ANY_TAG && !anyAllowed ? "; MPI_ANY_TAG is for receives" : "");
}

void failRank(const char* name, int rank, const Communicator& comm, bool anyAllowed) {
  fail(MPI_ERR_RANK, name, " is ", rank, ", which is not a rank of ", comm.label(), " (0..",
       comm.peerCount() - 1, ")",
       rank == MPI_ANY_SOURCE && !anyAllowed ? "; MPI_ANY_SOURCE is for receives" : "");
}

void failBuffer(const void* buffer, MPI_Count count) {
  fail(MPI_ERR_BUFFER, "the buffer is ",
       buffer == nullptr        ? "null"
       : buffer == MPI_IN_PLACE ? "MPI_IN_PLACE"
                                : "no address",
       " but count is ", count);
}

void failNull(const char* name) {
  fail(MPI_ERR_ARG, name, " is a null pointer");
}

} // namespace mpl::api
