// Persistent sends and receives: MPI-5.0, section 3.9.
//
// Arguments and errors are those of the blocking calls; they are checked once, here. The buffer must stay
// until the request is freed. Any thread at MPI_THREAD_MULTIPLE.
#include "api/Checks.h"
#include "api/Guard.h"
#include "pt2pt/Completion.h"
#include "pt2pt/PersistentTransfer.h"
#include "pt2pt/Runtime.h"

using namespace mpl;
using namespace mpl::api;

namespace {

int make(const char* function, PersistentKind kind, const void* buffer, MPI_Count count,
         MPI_Datatype datatype, int peer, int tag, MPI_Comm comm, MPI_Request* request) {
  return guarded(function, comm, [&] {
    checkPointer(request, "request");
    Communicator& c = communicatorOf(comm);
    const Datatype& type = committedDatatypeOf(datatype);
    checkedBuffer(buffer, count, type);
    if (kind == PersistentKind::Receive) {
      checkReceiveTag(tag);
      checkSource(c, peer);
    } else {
      checkSendTag(tag);
      checkDestination(c, peer);
    }
    *request = makePersistent(kind, {const_cast<void*>(buffer), count, Ref<const Datatype>(&type),
                                     Ref<Communicator>(&c), peer, tag});
  });
}

} // namespace

extern "C" {

int PMPI_Send_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                   MPI_Request* request) {
  return make("MPI_Send_init", PersistentKind::Standard, buf, count, datatype, dest, tag, comm, request);
}
int PMPI_Send_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                     MPI_Comm comm, MPI_Request* request) {
  return make("MPI_Send_init_c", PersistentKind::Standard, buf, count, datatype, dest, tag, comm, request);
}
int PMPI_Bsend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                    MPI_Request* request) {
  return make("MPI_Bsend_init", PersistentKind::Buffered, buf, count, datatype, dest, tag, comm, request);
}
int PMPI_Bsend_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                      MPI_Comm comm, MPI_Request* request) {
  return make("MPI_Bsend_init_c", PersistentKind::Buffered, buf, count, datatype, dest, tag, comm, request);
}
int PMPI_Ssend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                    MPI_Request* request) {
  return make("MPI_Ssend_init", PersistentKind::Synchronous, buf, count, datatype, dest, tag, comm, request);
}
int PMPI_Ssend_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                      MPI_Comm comm, MPI_Request* request) {
  return make("MPI_Ssend_init_c", PersistentKind::Synchronous, buf, count, datatype, dest, tag, comm,
              request);
}
int PMPI_Rsend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                    MPI_Request* request) {
  return make("MPI_Rsend_init", PersistentKind::Ready, buf, count, datatype, dest, tag, comm, request);
}
int PMPI_Rsend_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                      MPI_Comm comm, MPI_Request* request) {
  return make("MPI_Rsend_init_c", PersistentKind::Ready, buf, count, datatype, dest, tag, comm, request);
}
int PMPI_Recv_init(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                   MPI_Request* request) {
  return make("MPI_Recv_init", PersistentKind::Receive, buf, count, datatype, source, tag, comm, request);
}
int PMPI_Recv_init_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
                     MPI_Request* request) {
  return make("MPI_Recv_init_c", PersistentKind::Receive, buf, count, datatype, source, tag, comm, request);
}

/// Starts a persistent operation of any kind. MPI_ERR_REQUEST where the request is null, not persistent or
/// active.
int PMPI_Start(MPI_Request* request) {
  return guarded("MPI_Start", [&] {
    checkPointer(request, "request");
    startPersistent(existingRequest(*request));
  });
}

int PMPI_Startall(int count, MPI_Request array_of_requests[]) {
  return guarded("MPI_Startall", [&] {
    runtime.requireActive();
    checkCount(count);
    if (count != 0)
      checkPointer(array_of_requests, "array_of_requests");
    for (int i = 0; i < count; ++i) {
      Request* found = requestOf(array_of_requests[i]);
      if (found == nullptr)
        fail(MPI_ERR_REQUEST, "array_of_requests[", i, "] is MPI_REQUEST_NULL");
      startPersistent(*found);
    }
  });
}

} // extern "C"

#include "api/persistent.aliases.h"
