// MPI_PROC_NULL: every call gives source MPI_PROC_NULL, tag MPI_ANY_TAG and count 0, at once.
#include "test/mprobe/Calls.h"

#include <cstring>

namespace mprobe {
namespace {

constexpr int mark = 987654;

/// A status that holds nothing true.
MPI_Status spoiled() {
  MPI_Status status;
  std::memset(&status, 0x3C, sizeof status);
  status.MPI_SOURCE = 77;
  status.MPI_TAG = 78;
  status.MPI_ERROR = mark;
  return status;
}

void isNull(Context& context, const MPI_Status& status, int line = __builtin_LINE()) {
  int count = -1;
  int cancelled = 1;
  MPI_Get_count(&status, MPI_DOUBLE, &count);
  MPI_Test_cancelled(&status, &cancelled);
  context.equal(count, 0, "the count", line);
  context.check(!cancelled, "the status says cancelled", line);
  context.statusIs(status, MPI_PROC_NULL, MPI_ANY_TAG, 0, line);
}

/// One probe of MPI_PROC_NULL.
void probeNull(Context& context, ProbeCall call, int tag, MPI_Comm comm) {
  MPI_Status status = spoiled();
  MPI_Message message = MPI_MESSAGE_NULL;
  int flag = 0;
  switch (call) {
  case ProbeCall::probe:
    context.ok(MPI_Probe(MPI_PROC_NULL, tag, comm, &status), "MPI_Probe");
    break;
  case ProbeCall::iprobe:
    context.ok(MPI_Iprobe(MPI_PROC_NULL, tag, comm, &flag, &status), "MPI_Iprobe");
    context.check(flag, "MPI_Iprobe of MPI_PROC_NULL gave flag = false");
    break;
  case ProbeCall::mprobe:
    context.ok(MPI_Mprobe(MPI_PROC_NULL, tag, comm, &message, &status), "MPI_Mprobe");
    break;
  case ProbeCall::improbe:
    context.ok(MPI_Improbe(MPI_PROC_NULL, tag, comm, &flag, &message, &status), "MPI_Improbe");
    context.check(flag, "MPI_Improbe of MPI_PROC_NULL gave flag = false");
    break;
  }
  isNull(context, status);
  context.equal(status.MPI_ERROR, mark, "the status's MPI_ERROR");
  if (isMatching(call))
    context.check(message == MPI_MESSAGE_NO_PROC, "the message is not MPI_MESSAGE_NO_PROC");
}

void probeNullEverywhere(Context& context, ProbeCall call) {
  MPI_Comm copy;
  MPI_Comm_dup(context.comm(), &copy);
  for (MPI_Comm comm : {context.comm(), copy, MPI_COMM_SELF, MPI_COMM_WORLD})
    for (int tag : {MPI_ANY_TAG, 0, 5, 32767})
      probeNull(context, call, tag, comm);
  MPI_Comm_free(&copy);
}

/// Status objects may be ignored.
void probeNullIgnoring(Context& context) {
  MPI_Message message = MPI_MESSAGE_NULL;
  int flag = 0;
  context.ok(MPI_Probe(MPI_PROC_NULL, 1, context.comm(), MPI_STATUS_IGNORE), "MPI_Probe");
  context.ok(MPI_Iprobe(MPI_PROC_NULL, 1, context.comm(), &flag, MPI_STATUS_IGNORE), "MPI_Iprobe");
  context.check(flag, "MPI_Iprobe gave flag = false");
  context.ok(MPI_Mprobe(MPI_PROC_NULL, 1, context.comm(), &message, MPI_STATUS_IGNORE), "MPI_Mprobe");
  context.ok(MPI_Mrecv(nullptr, 0, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
  flag = 0;
  context.ok(MPI_Improbe(MPI_PROC_NULL, 1, context.comm(), &flag, &message, MPI_STATUS_IGNORE),
             "MPI_Improbe");
  context.check(flag, "MPI_Improbe gave flag = false");
  context.ok(MPI_Mrecv(nullptr, 0, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
  context.check(message == MPI_MESSAGE_NULL, "the handle was left");
}

MPI_Request imrecvNull(Context& context, int* buffer) {
  MPI_Message message = MPI_MESSAGE_NO_PROC;
  MPI_Request request = MPI_REQUEST_NULL;
  context.ok(MPI_Imrecv(buffer, 4, MPI_INT, &message, &request), "MPI_Imrecv");
  context.check(message == MPI_MESSAGE_NULL, "MPI_Imrecv left the message's handle");
  return request;
}

/// Mrecv of MPI_MESSAGE_NO_PROC, from a probe and from the constant.
void mrecvNull(Context& context) {
  for (const bool probed : {true, false}) {
    MPI_Message message = MPI_MESSAGE_NO_PROC;
    if (probed)
      context.ok(MPI_Mprobe(MPI_PROC_NULL, 3, context.comm(), &message, MPI_STATUS_IGNORE), "MPI_Mprobe");
    MPI_Status status = spoiled();
    int buffer[4] = {1, 2, 3, 4};
    context.ok(MPI_Mrecv(buffer, 4, MPI_INT, &message, &status), "MPI_Mrecv");
    isNull(context, status);
    context.equal(status.MPI_ERROR, mark, "the status's MPI_ERROR");
    context.check(message == MPI_MESSAGE_NULL, "MPI_Mrecv left the message's handle");
    context.check(buffer[0] == 1 && buffer[3] == 4, "the buffer was written");
  }
}

void mrecvNullLarge(Context& context) {
#if MPI_VERSION >= 4
  MPI_Message message = MPI_MESSAGE_NO_PROC;
  MPI_Status status = spoiled();
  int buffer[4] = {1, 2, 3, 4};
  context.ok(MPI_Mrecv_c(buffer, 4, MPI_INT, &message, &status), "MPI_Mrecv_c");
  isNull(context, status);
  context.check(message == MPI_MESSAGE_NULL, "MPI_Mrecv_c left the message's handle");
  message = MPI_MESSAGE_NO_PROC;
  MPI_Request request = MPI_REQUEST_NULL;
  context.ok(MPI_Imrecv_c(buffer, 4, MPI_INT, &message, &request), "MPI_Imrecv_c");
  context.check(message == MPI_MESSAGE_NULL, "MPI_Imrecv_c left the message's handle");
  status = spoiled();
  context.ok(MPI_Wait(&request, &status), "MPI_Wait");
  isNull(context, status);
  context.check(buffer[0] == 1 && buffer[3] == 4, "the buffer was written");
#else
  context.skip("no large-count calls");
#endif
}

void waitOne(Context& context) {
  int buffer[4] = {1, 2, 3, 4};
  MPI_Request request = imrecvNull(context, buffer);
  MPI_Status status = spoiled();
  context.ok(MPI_Wait(&request, &status), "MPI_Wait");
  isNull(context, status);
  context.equal(status.MPI_ERROR, mark, "the status's MPI_ERROR");
  context.check(request == MPI_REQUEST_NULL, "MPI_Wait left the request's handle");
  context.check(buffer[0] == 1 && buffer[3] == 4, "the buffer was written");
}

void testOne(Context& context) {
  int buffer[4] = {};
  MPI_Request request = imrecvNull(context, buffer);
  MPI_Status status = spoiled();
  int flag = 0;
  context.ok(MPI_Request_get_status(request, &flag, &status), "MPI_Request_get_status");
  context.check(flag, "MPI_Request_get_status gave flag = false");
  isNull(context, status);
  status = spoiled();
  flag = 0;
  context.ok(MPI_Test(&request, &flag, &status), "MPI_Test");
  context.check(flag, "MPI_Test gave flag = false");
  isNull(context, status);
  context.equal(status.MPI_ERROR, mark, "the status's MPI_ERROR");
  context.check(request == MPI_REQUEST_NULL, "MPI_Test left the request's handle");
}

void anyOf(Context& context, bool waiting) {
  int buffer[4] = {};
  MPI_Request requests[3] = {MPI_REQUEST_NULL, imrecvNull(context, buffer), MPI_REQUEST_NULL};
  MPI_Status status = spoiled();
  int index = -5;
  int flag = 1;
  if (waiting)
    context.ok(MPI_Waitany(3, requests, &index, &status), "MPI_Waitany");
  else
    context.ok(MPI_Testany(3, requests, &index, &flag, &status), "MPI_Testany");
  context.check(flag, "MPI_Testany gave flag = false");
  context.equal(index, 1, "the index");
  isNull(context, status);
  context.equal(status.MPI_ERROR, mark, "the status's MPI_ERROR");
  context.check(requests[1] == MPI_REQUEST_NULL, "the request's handle was left");
}

void allOf(Context& context, bool waiting) {
  int buffer[4] = {};
  MPI_Request requests[3];
  MPI_Status statuses[3];
  for (int i = 0; i < 3; ++i) {
    requests[i] = imrecvNull(context, buffer);
    statuses[i] = spoiled();
  }
  int flag = 1;
  if (waiting)
    context.ok(MPI_Waitall(3, requests, statuses), "MPI_Waitall");
  else
    context.ok(MPI_Testall(3, requests, &flag, statuses), "MPI_Testall");
  context.check(flag, "MPI_Testall gave flag = false");
  for (int i = 0; i < 3; ++i) {
    isNull(context, statuses[i]);
    context.equal(statuses[i].MPI_ERROR, mark, "the status's MPI_ERROR");
    context.check(requests[i] == MPI_REQUEST_NULL, "the request's handle was left");
  }
}

void someOf(Context& context, bool waiting) {
  int buffer[4] = {};
  MPI_Request requests[3] = {MPI_REQUEST_NULL, imrecvNull(context, buffer), imrecvNull(context, buffer)};
  bool seen[3] = {};
  for (int done = 0; done < 2;) {
    MPI_Status statuses[3] = {spoiled(), spoiled(), spoiled()};
    int indices[3] = {};
    int count = 0;
    if (waiting)
      context.ok(MPI_Waitsome(3, requests, &count, indices, statuses), "MPI_Waitsome");
    else
      context.ok(MPI_Testsome(3, requests, &count, indices, statuses), "MPI_Testsome");
    if (!context.check(count >= 1 && count <= 2, "none or too many completed"))
      return;
    for (int i = 0; i < count; ++i) {
      isNull(context, statuses[i]);
      context.equal(statuses[i].MPI_ERROR, mark, "the status's MPI_ERROR");
      seen[indices[i]] = true;
    }
    done += count;
  }
  context.check(seen[1] && seen[2], "a request was not completed");
}

/// Together with a receive that does transfer something.
void amongOthers(Context& context) {
  const int peer = (context.rank() + 1) % context.size();
  const int from = (context.rank() + context.size() - 1) % context.size();
  int buffer[4] = {1, 2, 3, 4};
  int value = -1;
  MPI_Request requests[3];
  MPI_Status statuses[3];
  const int mine = context.rank();
  MPI_Isend(&mine, 1, MPI_INT, peer, 5, context.comm(), &requests[0]);
  Found found = find(context, ProbeCall::mprobe, from, 5);
  requests[1] = imrecvNull(context, buffer);
  MPI_Imrecv(&value, 1, MPI_INT, &found.message, &requests[2]);
  context.ok(MPI_Waitall(3, requests, statuses), "MPI_Waitall");
  isNull(context, statuses[1]);
  context.statusIs(statuses[2], from, 5, sizeof(int));
  context.equal(value, from, "the value received");
}

/// Plain and persistent receives from MPI_PROC_NULL end with the same status.
void otherReceives(Context& context) {
  int buffer[4] = {};
  MPI_Status status = spoiled();
  context.ok(MPI_Recv(buffer, 4, MPI_INT, MPI_PROC_NULL, 5, context.comm(), &status), "MPI_Recv");
  isNull(context, status);
  MPI_Request request;
  status = spoiled();
  context.ok(MPI_Irecv(buffer, 4, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, context.comm(), &request),
             "MPI_Irecv");
  context.ok(MPI_Wait(&request, &status), "MPI_Wait");
  isNull(context, status);
  context.ok(MPI_Recv_init(buffer, 4, MPI_INT, MPI_PROC_NULL, 5, context.comm(), &request), "MPI_Recv_init");
  for (int i = 0; i < 2; ++i) {
    status = spoiled();
    context.ok(MPI_Start(&request), "MPI_Start");
    context.ok(MPI_Wait(&request, &status), "MPI_Wait");
    isNull(context, status);
  }
  MPI_Request_free(&request);
  status = spoiled();
  context.ok(MPI_Sendrecv(buffer, 1, MPI_INT, MPI_PROC_NULL, 1, buffer, 4, MPI_INT, MPI_PROC_NULL, 1,
                          context.comm(), &status),
             "MPI_Sendrecv");
  isNull(context, status);
}

/// MPI_PROC_NULL never finds what real ranks sent.
void notTheReal(Context& context) {
  const int next = (context.rank() + 1) % context.size();
  const int previous = (context.rank() + context.size() - 1) % context.size();
  const int mine = context.rank();
  MPI_Request request;
  MPI_Isend(&mine, 1, MPI_INT, next, 5, context.comm(), &request);
  find(context, ProbeCall::probe, previous, 5);
  for (const ProbeCall call : allProbeCalls())
    probeNull(context, call, MPI_ANY_TAG, context.comm());
  int value = -1;
  MPI_Recv(&value, 1, MPI_INT, previous, 5, context.comm(), MPI_STATUS_IGNORE);
  context.equal(value, previous, "the value received");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

} // namespace

void addProcNullCases(Registry& registry) {
  for (const ProbeCall call : allProbeCalls())
    registry.add("procnull." + std::string(name(call)), {},
                 [=](Context& context) { probeNullEverywhere(context, call); });
  registry.add("procnull.ignored_status", {}, probeNullIgnoring);
  registry.add("procnull.mrecv", {}, mrecvNull);
  registry.add("procnull.large_count_twins", {}, mrecvNullLarge);
  registry.add("procnull.imrecv_wait", {}, waitOne);
  registry.add("procnull.imrecv_test", {}, testOne);
  registry.add("procnull.imrecv_waitany", {}, [](Context& context) { anyOf(context, true); });
  registry.add("procnull.imrecv_testany", {}, [](Context& context) { anyOf(context, false); });
  registry.add("procnull.imrecv_waitall", {}, [](Context& context) { allOf(context, true); });
  registry.add("procnull.imrecv_testall", {}, [](Context& context) { allOf(context, false); });
  registry.add("procnull.imrecv_waitsome", {}, [](Context& context) { someOf(context, true); });
  registry.add("procnull.imrecv_testsome", {}, [](Context& context) { someOf(context, false); });
  registry.add("procnull.imrecv_among_others", {}, amongOthers);
  registry.add("procnull.other_receives", {}, otherReceives);
  registry.add("procnull.not_the_real", {}, notTheReal);
}

} // namespace mprobe
