// Wrong arguments, the error handlers that hear of them, and that all works afterwards.
#include "test/mprobe/Calls.h"

#include <atomic>

namespace mprobe {
namespace {

/// One probe call with these arguments; gives its error code.
int callProbe(ProbeCall call, int source, int tag, MPI_Comm comm) {
  MPI_Status status;
  MPI_Message message = MPI_MESSAGE_NULL;
  int flag = 0;
  switch (call) {
  case ProbeCall::probe:
    return MPI_Probe(source, tag, comm, &status);
  case ProbeCall::iprobe:
    return MPI_Iprobe(source, tag, comm, &flag, &status);
  case ProbeCall::mprobe:
    return MPI_Mprobe(source, tag, comm, &message, &status);
  case ProbeCall::improbe:
    break;
  }
  return MPI_Improbe(source, tag, comm, &flag, &message, &status);
}

/// A message to oneself goes through: nothing was lost.
void stillWorks(Context& context, ProbeCall call) {
  const int value = 31;
  MPI_Request request;
  MPI_Isend(&value, 1, MPI_INT, context.rank(), 8, context.comm(), &request);
  Found found = find(context, call, context.rank(), 8);
  int got = 0;
  context.ok(receive(context, isMatching(call) ? ReceiveCall::mrecv : ReceiveCall::recv, &got, 1, MPI_INT,
                     found, MPI_STATUS_IGNORE),
             "the receive after an error");
  context.equal(got, 31, "the value after an error");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void wrongRank(Context& context, ProbeCall call) {
  for (const int source : {context.size(), context.size() + 1000, -77, 2147483647, -2147483647}) {
    context.hasClass(callProbe(call, source, 1, context.comm()), MPI_ERR_RANK, name(call));
    stillWorks(context, call);
  }
}

void wrongTag(Context& context, ProbeCall call) {
  for (const int tag : {-5, -1000, -2147483647}) {
    context.hasClass(callProbe(call, 0, tag, context.comm()), MPI_ERR_TAG, name(call));
    stillWorks(context, call);
  }
}

void tagTooLarge(Context& context, ProbeCall call) {
  int* upper = nullptr;
  int flag = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &upper, &flag);
  if (!flag || *upper == 2147483647) {
    context.skip("every tag is valid");
    return;
  }
  context.hasClass(callProbe(call, 0, *upper + 1, context.comm()), MPI_ERR_TAG, name(call));
  stillWorks(context, call);
}

/// Errors without a valid object go to MPI_COMM_SELF's handler (MPI_COMM_WORLD's before MPI 4.0); both return
/// here.
void wrongComm(Context& context, ProbeCall call) {
  context.hasClass(callProbe(call, 0, 1, MPI_COMM_NULL), MPI_ERR_COMM, name(call));
  stillWorks(context, call);
}

/// MPI_PROC_NULL does not make other arguments right.
void procNullWrongTag(Context& context, ProbeCall call) {
  context.hasClass(callProbe(call, MPI_PROC_NULL, -5, context.comm()), MPI_ERR_TAG, name(call));
  stillWorks(context, call);
}

int receiveNull(ReceiveCall call, MPI_Message* message) {
  int buffer = 0;
  MPI_Status status;
  MPI_Request request = MPI_REQUEST_NULL;
  switch (call) {
  case ReceiveCall::mrecv:
    return MPI_Mrecv(&buffer, 1, MPI_INT, message, &status);
  case ReceiveCall::imrecv:
    return MPI_Imrecv(&buffer, 1, MPI_INT, message, &request);
#if MPI_VERSION >= 4
  case ReceiveCall::mrecvLarge:
    return MPI_Mrecv_c(&buffer, 1, MPI_INT, message, &status);
  case ReceiveCall::imrecvLarge:
    return MPI_Imrecv_c(&buffer, 1, MPI_INT, message, &request);
#endif
  default:
    return MPI_ERR_REQUEST;
  }
}

/// No error class is made for messages: MPI_ERR_REQUEST and MPI_ERR_ARG are both fair.
void nullMessage(Context& context, ReceiveCall call) {
  MPI_Message message = MPI_MESSAGE_NULL;
  int errorClass = MPI_SUCCESS;
  MPI_Error_class(receiveNull(call, &message), &errorClass);
  context.check(errorClass == MPI_ERR_REQUEST || errorClass == MPI_ERR_ARG,
                std::string(name(call)) + " of MPI_MESSAGE_NULL gave error class " +
                    std::to_string(errorClass));
  context.check(message == MPI_MESSAGE_NULL, "the null handle was changed");
  stillWorks(context, ProbeCall::improbe);
}

/// A handle is good for one receive: after it, it is null, and a second receive is an error.
void secondReceive(Context& context, Path path) {
  const int value = 6;
  MPI_Request request;
  MPI_Isend(&value, 1, MPI_INT, context.rank(), 8, context.comm(), &request);
  Found found = find(context, path.probe, context.rank(), 8);
  int got = 0;
  context.ok(receive(context, path.receive, &got, 1, MPI_INT, found, MPI_STATUS_IGNORE), name(path.receive));
  context.check(receiveNull(path.receive, &found.message) != MPI_SUCCESS, "a second receive succeeded");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  stillWorks(context, path.probe);
}

enum class Wrong { count, type, uncommitted };

/// Wrong arguments for the receive of a message that is there.
void wrongReceive(Context& context, ReceiveCall call, Wrong wrong) {
  const int value = 6;
  MPI_Request send;
  MPI_Isend(&value, 1, MPI_INT, context.rank(), 8, context.comm(), &send);
  Found found = find(context, ProbeCall::mprobe, context.rank(), 8);
  MPI_Datatype type = MPI_INT;
  int wanted = MPI_ERR_COUNT;
  if (wrong != Wrong::count)
    wanted = MPI_ERR_TYPE;
  if (wrong == Wrong::type)
    type = MPI_DATATYPE_NULL;
  if (wrong == Wrong::uncommitted)
    MPI_Type_contiguous(1, MPI_INT, &type);
  int buffer[4] = {};
  MPI_Request request = MPI_REQUEST_NULL;
  const int count = wrong == Wrong::count ? -3 : 1;
  const int code = call == ReceiveCall::mrecv
                       ? MPI_Mrecv(buffer, count, type, &found.message, MPI_STATUS_IGNORE)
                       : MPI_Imrecv(buffer, count, type, &found.message, &request);
  context.hasClass(code, wanted, name(call));
  if (wrong == Wrong::uncommitted)
    MPI_Type_free(&type);
  // Whether the message is still there after such an error is not laid down.
  if (found.message != MPI_MESSAGE_NULL)
    context.ok(MPI_Mrecv(buffer, 1, MPI_INT, &found.message, MPI_STATUS_IGNORE), "MPI_Mrecv");
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  stillWorks(context, ProbeCall::mprobe);
}

std::atomic<int> heard{0};
std::atomic<int> heardClass{0};

void countErrors(MPI_Comm*, int* code, ...) {
  int errorClass = 0;
  MPI_Error_class(*code, &errorClass);
  heardClass = errorClass;
  ++heard;
}

/// A user's own handler on the communicator hears of an error in the receive.
void ownHandler(Context& context, Path path, bool communicatorFreed) {
  MPI_Comm comm;
  MPI_Errhandler handler;
  for (const std::size_t size : {std::size_t{100}, std::size_t{20000}, std::size_t{400000}}) {
    MPI_Comm_dup(context.comm(), &comm);
    MPI_Comm_create_errhandler(countErrors, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    const Bytes data = makeData(size, 1);
    MPI_Request request;
    MPI_Isend(data.data(), static_cast<int>(size), MPI_BYTE, context.rank(), 8, comm, &request);
    Found found = find(context, path.probe, context.rank(), 8, comm);
    if (communicatorFreed)
      MPI_Comm_free(&comm);
    heard = 0;
    heardClass = 0;
    Bytes buffer(size / 2);
    const int code = receive(context, path.receive, buffer.data(), static_cast<MPI_Count>(buffer.size()),
                             MPI_BYTE, found, MPI_STATUS_IGNORE);
    context.hasClass(code, MPI_ERR_TRUNCATE, name(path.receive));
    context.equal(heard.load(), 1, "the number of calls of the error handler");
    context.equal(heardClass.load(), MPI_ERR_TRUNCATE, "the error class that the handler heard");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (!communicatorFreed)
      MPI_Comm_free(&comm);
  }
}

/// Wrong arguments of a probe are heard by the handler of the communicator that was asked, and of no other.
void probeHandler(Context& context, ProbeCall call) {
  MPI_Comm comm;
  MPI_Errhandler handler;
  MPI_Comm_dup(context.comm(), &comm);
  MPI_Comm_create_errhandler(countErrors, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Errhandler_free(&handler);
  heard = 0;
  context.hasClass(callProbe(call, context.size() + 3, 1, comm), MPI_ERR_RANK, name(call));
  context.equal(heard.load(), 1, "the number of calls of the error handler");
  context.hasClass(callProbe(call, context.size() + 3, 1, context.comm()), MPI_ERR_RANK, name(call));
  context.equal(heard.load(), 1, "the number of calls of the error handler");
  MPI_Comm_free(&comm);
}

} // namespace

void addErrorCases(Registry& registry) {
  const Needs few = {1, 2};
  for (const ProbeCall call : allProbeCalls()) {
    const std::string prefix = "error." + std::string(name(call)) + ".";
    const auto add = [&](const char* what, void (*body)(Context&, ProbeCall)) {
      registry.add(prefix + what, few, [=](Context& context) { body(context, call); });
    };
    add("wrong_rank", wrongRank);
    add("wrong_tag", wrongTag);
    add("tag_too_large", tagTooLarge);
    add("wrong_comm", wrongComm);
    add("proc_null_wrong_tag", procNullWrongTag);
    add("handler_of_the_communicator", probeHandler);
  }
  for (const Path path : matchedPaths()) {
    const std::string prefix = "error." + name(path) + ".";
    if (path.probe == ProbeCall::mprobe)
      registry.add("error." + std::string(name(path.receive)) + ".null_message", few,
                   [=](Context& context) { nullMessage(context, path.receive); });
    registry.add(prefix + "second_receive", few, [=](Context& context) { secondReceive(context, path); });
    registry.add(prefix + "own_handler", few, [=](Context& context) { ownHandler(context, path, false); });
    registry.add("promise." + prefix + "own_handler_after_free", few,
                 [=](Context& context) { ownHandler(context, path, true); });
  }
  for (const ReceiveCall call : {ReceiveCall::mrecv, ReceiveCall::imrecv}) {
    const std::string prefix = "error." + std::string(name(call)) + ".";
    registry.add(prefix + "negative_count", few,
                 [=](Context& context) { wrongReceive(context, call, Wrong::count); });
    registry.add(prefix + "null_type", few,
                 [=](Context& context) { wrongReceive(context, call, Wrong::type); });
    registry.add(prefix + "uncommitted_type", few,
                 [=](Context& context) { wrongReceive(context, call, Wrong::uncommitted); });
  }
}

} // namespace mprobe
