// Buffers for buffered sends: MPI-5.0, section 3.6.
//
// buffer: size bytes of the program's, or MPI_BUFFER_AUTOMATIC (memory is taken as needed; size is not looked
// at). Detaching and flushing wait until the messages in the buffer have left. Errors: MPI_ERR_BUFFER where a
// buffer is attached already, MPI_ERR_COMM, MPI_ERR_SIZE for a negative size. Any thread at
// MPI_THREAD_MULTIPLE.
#include "api/Checks.h"
#include "api/Guard.h"
#include "comm/Session.h"
#include "pt2pt/BsendBuffer.h"
#include "pt2pt/Request.h"
#include "pt2pt/Runtime.h"

#include <limits>

using namespace mpl;
using namespace mpl::api;

namespace {

BsendScope processScope() {
  runtime.requireActive();
  return {};
}
BsendScope scopeOf(MPI_Comm comm) {
  return {&communicatorOf(comm)};
}

BsendScope scopeOf(MPI_Session session) {
  return {nullptr, &sessionOf(session).scope()};
}

void attach(BsendScope scope, void* buffer, MPI_Count size) {
  if (size < 0)
    fail(MPI_ERR_SIZE, "size is ", size, ", which is negative");
  if (buffer == nullptr && size > 0)
    fail(MPI_ERR_BUFFER, "the buffer is null but size is ", size);
  attachBsendBuffer(scope, buffer, size);
}

template <class Size> void detach(BsendScope scope, void* address, Size* size) {
  checkPointer(address, "buffer_addr");
  checkPointer(size, "size");
  const auto buffer = detachBsendBuffer(scope);
  void* const was = buffer ? buffer->address() : nullptr;
  *static_cast<void**>(address) = was;
  const MPI_Count bytes = buffer && !buffer->isAutomatic() ? buffer->size() : 0;
  *size =
      bytes > std::numeric_limits<Size>::max() ? static_cast<Size>(MPI_UNDEFINED) : static_cast<Size>(bytes);
}

} // namespace

extern "C" {

int PMPI_Buffer_attach(void* buffer, int size) {
  return guarded("MPI_Buffer_attach", [&] { attach(processScope(), buffer, size); });
}
int PMPI_Buffer_attach_c(void* buffer, MPI_Count size) {
  return guarded("MPI_Buffer_attach_c", [&] { attach(processScope(), buffer, size); });
}
int PMPI_Buffer_detach(void* buffer_addr, int* size) {
  return guarded("MPI_Buffer_detach", [&] { detach(processScope(), buffer_addr, size); });
}
int PMPI_Buffer_detach_c(void* buffer_addr, MPI_Count* size) {
  return guarded("MPI_Buffer_detach_c", [&] { detach(processScope(), buffer_addr, size); });
}
int PMPI_Buffer_flush(void) {
  return guarded("MPI_Buffer_flush", [&] { flushBsendBuffer(processScope()); });
}
int PMPI_Buffer_iflush(MPI_Request* request) {
  return guarded("MPI_Buffer_iflush", [&] {
    checkPointer(request, "request");
    *request = startFlushOfBsendBuffer(processScope());
  });
}

/// The buffer of one communicator comes before the process's.
int PMPI_Comm_attach_buffer(MPI_Comm comm, void* buffer, int size) {
  return guarded("MPI_Comm_attach_buffer", comm, [&] { attach(scopeOf(comm), buffer, size); });
}
int PMPI_Comm_attach_buffer_c(MPI_Comm comm, void* buffer, MPI_Count size) {
  return guarded("MPI_Comm_attach_buffer_c", comm, [&] { attach(scopeOf(comm), buffer, size); });
}
int PMPI_Comm_detach_buffer(MPI_Comm comm, void* buffer_addr, int* size) {
  return guarded("MPI_Comm_detach_buffer", comm, [&] { detach(scopeOf(comm), buffer_addr, size); });
}
int PMPI_Comm_detach_buffer_c(MPI_Comm comm, void* buffer_addr, MPI_Count* size) {
  return guarded("MPI_Comm_detach_buffer_c", comm, [&] { detach(scopeOf(comm), buffer_addr, size); });
}
int PMPI_Comm_flush_buffer(MPI_Comm comm) {
  return guarded("MPI_Comm_flush_buffer", comm, [&] { flushBsendBuffer(scopeOf(comm)); });
}
int PMPI_Comm_iflush_buffer(MPI_Comm comm, MPI_Request* request) {
  return guarded("MPI_Comm_iflush_buffer", comm, [&] {
    checkPointer(request, "request");
    *request = startFlushOfBsendBuffer(scopeOf(comm));
  });
}

/// The buffer of a session is for the communicators that are made of its groups and have none of their own.
/// Errors also: MPI_ERR_SESSION.
int PMPI_Session_attach_buffer(MPI_Session session, void* buffer, int size) {
  return guarded("MPI_Session_attach_buffer", session, [&] { attach(scopeOf(session), buffer, size); });
}
int PMPI_Session_attach_buffer_c(MPI_Session session, void* buffer, MPI_Count size) {
  return guarded("MPI_Session_attach_buffer_c", session, [&] { attach(scopeOf(session), buffer, size); });
}
int PMPI_Session_detach_buffer(MPI_Session session, void* buffer_addr, int* size) {
  return guarded("MPI_Session_detach_buffer", session, [&] { detach(scopeOf(session), buffer_addr, size); });
}
int PMPI_Session_detach_buffer_c(MPI_Session session, void* buffer_addr, MPI_Count* size) {
  return guarded("MPI_Session_detach_buffer_c", session,
                 [&] { detach(scopeOf(session), buffer_addr, size); });
}
int PMPI_Session_flush_buffer(MPI_Session session) {
  return guarded("MPI_Session_flush_buffer", session, [&] { flushBsendBuffer(scopeOf(session)); });
}
int PMPI_Session_iflush_buffer(MPI_Session session, MPI_Request* request) {
  return guarded("MPI_Session_iflush_buffer", session, [&] {
    checkPointer(request, "request");
    *request = startFlushOfBsendBuffer(scopeOf(session));
  });
}

} // extern "C"

#include "api/buffer.aliases.h"
