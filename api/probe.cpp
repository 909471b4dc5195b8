// Probes and matched receives: MPI-5.0, section 3.8.
//
// source a rank, MPI_ANY_SOURCE or MPI_PROC_NULL (then flag is true, the message MPI_MESSAGE_NO_PROC and the
// status that of a receive from MPI_PROC_NULL); tag in 0..MPI_TAG_UB or MPI_ANY_TAG. Every call makes
// progress. Errors: MPI_ERR_COMM, MPI_ERR_RANK, MPI_ERR_TAG, MPI_ERR_PROC_ABORTED where the message can only
// come from a process that died; receives: MPI_ERR_ARG for a message that is null or was received, else as
// MPI_Recv. Any thread at MPI_THREAD_MULTIPLE: a message is given to exactly one.
#include "pt2pt/Probe.h"
#include "api/Checks.h"
#include "api/Guard.h"
#include "pt2pt/Completion.h"
#include "pt2pt/Receive.h"

using namespace mpl;
using namespace mpl::api;

namespace {

// The communicator, and whether source is more than MPI_PROC_NULL.
Communicator& checked(MPI_Comm comm, int source, int tag, bool& somebody) {
  Communicator& c = communicatorOf(comm);
  checkReceiveTag(tag);
  somebody = checkSource(c, source);
  return c;
}

// Takes the message over into a receive with the caller's buffer; nullptr for MPI_MESSAGE_NO_PROC. The
// message stays the program's when an argument is wrong: it can still be received.
Request* beginMatched(void* buffer, MPI_Count count, MPI_Datatype datatype, MPI_Message* message,
                      Ref<Communicator>& comm) {
  checkPointer(message, "message");
  Message* matched = messageOf(*message);
  if (matched != nullptr)
    comm = matched->comm;
  const Datatype& type = committedDatatypeOf(datatype);
  const MessageBuffer data = checkedBuffer(buffer, count, type);
  const MPI_Message handle = *message;
  *message = MPI_MESSAGE_NULL;
  return matched != nullptr ? &startMatchedReceive(*matched, handle, data, type) : nullptr;
}

// Runs a body in which a failure belongs to the message's communicator, which may be freed already.
template <class Body> int guardedByMessage(const char* function, Body&& body) {
  return guarded(function, [&] {
    Ref<Communicator> comm;
    try {
      body(comm);
    } catch (const Error& error) {
      if (!comm)
        throw;
      throw CommunicatorError(*comm, error.errorClass(), error.message());
    }
  });
}

int mrecv(const char* function, void* buffer, MPI_Count count, MPI_Datatype datatype, MPI_Message* message,
          MPI_Status* status) {
  return guardedByMessage(function, [&](Ref<Communicator>& comm) {
    if (Request* request = beginMatched(buffer, count, datatype, message, comm))
      finishBlocking(*request, status);
    else
      Outcome::noProcess().writeTo(status);
  });
}

int imrecv(const char* function, void* buffer, MPI_Count count, MPI_Datatype datatype, MPI_Message* message,
           MPI_Request* request) {
  return guardedByMessage(function, [&](Ref<Communicator>& comm) {
    checkPointer(request, "request");
    const Request* started = beginMatched(buffer, count, datatype, message, comm);
    *request = started != nullptr ? started->handle : completedNothing;
  });
}

} // namespace

extern "C" {

/// Waits until a message could be received; the status is what the receive would give.
int PMPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  return guarded("MPI_Probe", comm, [&] {
    bool somebody = false;
    Communicator& c = checked(comm, source, tag, somebody);
    (somebody ? waitProbe(c, source, tag) : Outcome::noProcess()).writeTo(status);
  });
}

int PMPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  return guarded("MPI_Iprobe", comm, [&] {
    checkPointer(flag, "flag");
    bool somebody = false;
    Communicator& c = checked(comm, source, tag, somebody);
    const std::optional<Outcome> found = somebody ? tryProbe(c, source, tag) : Outcome::noProcess();
    *flag = found.has_value();
    if (found)
      found->writeTo(status);
  });
}

/// As MPI_Probe; the message is taken out of matching and given as a handle for MPI_Mrecv or MPI_Imrecv.
int PMPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  return guarded("MPI_Mprobe", comm, [&] {
    checkPointer(message, "message");
    bool somebody = false;
    Communicator& c = checked(comm, source, tag, somebody);
    const MatchedMessage matched = somebody ? waitMatchedProbe(c, source, tag)
                                            : MatchedMessage{MPI_MESSAGE_NO_PROC, Outcome::noProcess()};
    *message = matched.handle;
    matched.outcome.writeTo(status);
  });
}

int PMPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  return guarded("MPI_Improbe", comm, [&] {
    checkPointer(flag, "flag");
    checkPointer(message, "message");
    bool somebody = false;
    Communicator& c = checked(comm, source, tag, somebody);
    const std::optional<MatchedMessage> matched =
        somebody ? tryMatchedProbe(c, source, tag)
                 : std::optional(MatchedMessage{MPI_MESSAGE_NO_PROC, Outcome::noProcess()});
    *flag = matched.has_value();
    if (!matched)
      return;
    *message = matched->handle;
    matched->outcome.writeTo(status);
  });
}

/// Receives a matched message; *message becomes MPI_MESSAGE_NULL.
int PMPI_Mrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status) {
  return mrecv("MPI_Mrecv", buf, count, datatype, message, status);
}
int PMPI_Mrecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message,
                 MPI_Status* status) {
  return mrecv("MPI_Mrecv_c", buf, count, datatype, message, status);
}
int PMPI_Imrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message, MPI_Request* request) {
  return imrecv("MPI_Imrecv", buf, count, datatype, message, request);
}
int PMPI_Imrecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message,
                  MPI_Request* request) {
  return imrecv("MPI_Imrecv_c", buf, count, datatype, message, request);
}

int PMPI_Message_toint(MPI_Message message) {
  return HandleTable<Message, MPI_Message>::toInt(message);
}
MPI_Message PMPI_Message_fromint(int message) {
  return messages->fromInt(message);
}

} // extern "C"

#include "api/probe.aliases.h"
