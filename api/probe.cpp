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
#include "pt2pt/FastPath.h"
#include "pt2pt/Receive.h"

using namespace mpl;
using namespace mpl::api;

namespace {

namespace names {
constexpr const char* mrecv = "MPI_Mrecv";
constexpr const char* mrecvLarge = "MPI_Mrecv_c";
constexpr const char* imrecv = "MPI_Imrecv";
constexpr const char* imrecvLarge = "MPI_Imrecv_c";
} // namespace names

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
    comm = Ref<Communicator>(matched->comm);
  const Datatype& type = committedDatatypeOf(datatype);
  const MessageBuffer data = checkedBuffer(buffer, count, type);
  *message = MPI_MESSAGE_NULL;
  return matched != nullptr ? &startMatchedReceive(*matched, data, type) : nullptr;
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

// The general path.
[[gnu::noinline]] int mrecvGenerally(const char* function, void* buffer, MPI_Count count,
                                     MPI_Datatype datatype, MPI_Message* message, MPI_Status* status) {
  return guardedByMessage(function, [&](Ref<Communicator>& comm) {
    if (Request* request = beginMatched(buffer, count, datatype, message, comm))
      finishBlocking(*request, status);
    else
      Outcome::noProcess().writeTo(status);
  });
}

[[gnu::noinline]] int imrecvGenerally(const char* function, void* buffer, MPI_Count count,
                                      MPI_Datatype datatype, MPI_Message* message, MPI_Request* request) {
  return guardedByMessage(function, [&](Ref<Communicator>& comm) {
    checkPointer(request, "request");
    const Request* started = beginMatched(buffer, count, datatype, message, comm);
    *request = started != nullptr ? started->handle : completedNothing;
  });
}

// A message that waits already, taken by the fast path; else nullptr.
[[gnu::always_inline]] inline Message* takeWaiting(int source, int tag, MPI_Comm handle) {
  Communicator* comm = communicators->findPredefined(handle);
  if (comm == nullptr) [[unlikely]]
    comm = communicators->find(handle);
  return comm != nullptr && fastPath::fitsProbe(source, tag, comm) ? fastPath::take(*comm, source, tag)
                                                                   : nullptr;
}

Outcome outcomeOf(const TagRecvInfo& info) {
  return {info.source(), info.tag(), MPI_SUCCESS, false, info.length};
}

[[gnu::noinline]] int finishReceive(const char* function, Request& request, MPI_Status* status) {
  return guarded(function, request.comm->handle(), [&] { finishBlocking(request, status); });
}

template <const char* const& name, class Count>
[[gnu::always_inline]] inline int mrecv(void* buffer, Count count, MPI_Datatype datatype, MPI_Message* handle,
                                        MPI_Status* status) {
  const std::uint8_t size = plainSizeOf(datatype);
  Message* message = handle != nullptr ? messages->find(*handle) : nullptr;
  std::int64_t bytes = 0;
  if (size == 0 || message == nullptr || !fastPath::fitsMatched(buffer, count, size, *message, bytes))
      [[unlikely]]
    return mrecvGenerally(name, buffer, count, datatype, handle, status);
  *handle = MPI_MESSAGE_NULL;
  const TagRecvInfo info = message->info();
  if (Request* started = fastPath::receiveAtOnce(buffer, bytes, *message))
    return finishReceive(name, *started, status);
  outcomeOf(info).writeTo(status);
  return MPI_SUCCESS;
}

template <const char* const& name, class Count>
[[gnu::always_inline]] inline int imrecv(void* buffer, Count count, MPI_Datatype datatype,
                                         MPI_Message* handle, MPI_Request* request) {
  const std::uint8_t size = plainSizeOf(datatype);
  Message* message = handle != nullptr ? messages->find(*handle) : nullptr;
  std::int64_t bytes = 0;
  if (size == 0 || message == nullptr || request == nullptr ||
      !fastPath::fitsMatched(buffer, count, size, *message, bytes)) [[unlikely]]
    return imrecvGenerally(name, buffer, count, datatype, handle, request);
  *handle = MPI_MESSAGE_NULL;
  *request = fastPath::receive(buffer, bytes, *message)->handle;
  return MPI_SUCCESS;
}

[[gnu::noinline]] int mprobeGenerally(int source, int tag, MPI_Comm comm, MPI_Message* message,
                                      MPI_Status* status) {
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

[[gnu::noinline]] int improbeGenerally(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
                                       MPI_Status* status) {
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
  const Message* taken = message != nullptr ? takeWaiting(source, tag, comm) : nullptr;
  if (taken == nullptr)
    return mprobeGenerally(source, tag, comm, message, status);
  *message = taken->handle;
  outcomeOf(taken->info()).writeTo(status);
  return MPI_SUCCESS;
}

int PMPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  const Message* taken = flag != nullptr && message != nullptr ? takeWaiting(source, tag, comm) : nullptr;
  if (taken == nullptr)
    return improbeGenerally(source, tag, comm, flag, message, status);
  *flag = 1;
  *message = taken->handle;
  outcomeOf(taken->info()).writeTo(status);
  return MPI_SUCCESS;
}

/// Receives a matched message; *message becomes MPI_MESSAGE_NULL.
int PMPI_Mrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status) {
  return mrecv<names::mrecv>(buf, count, datatype, message, status);
}
int PMPI_Mrecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message,
                 MPI_Status* status) {
  return mrecv<names::mrecvLarge>(buf, count, datatype, message, status);
}
int PMPI_Imrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message, MPI_Request* request) {
  return imrecv<names::imrecv>(buf, count, datatype, message, request);
}
int PMPI_Imrecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message,
                  MPI_Request* request) {
  return imrecv<names::imrecvLarge>(buf, count, datatype, message, request);
}

int PMPI_Message_toint(MPI_Message message) {
  return HandleTable<Message, MPI_Message>::toInt(message);
}
MPI_Message PMPI_Message_fromint(int message) {
  return messages->fromInt(message);
}

} // extern "C"

#include "api/probe.aliases.h"
