// A probe that finds nothing leaves nothing behind.
#include "test/mpi/Memory.h"
#include "test/mprobe/Calls.h"

namespace mprobe {
namespace {

const ProbeCall lookCalls[] = {ProbeCall::iprobe, ProbeCall::improbe};
constexpr int misses = 2000;

/// Looks often for what is not there, in all ways.
void missOften(Context& context, ProbeCall call, int tag) {
  Found found;
  for (int i = 0; i < misses; ++i) {
    const int source = i % 2 ? MPI_ANY_SOURCE : context.size() - 1;
    if (!context.check(!look(context, call, source, tag, context.comm(), found), "found what was never sent"))
      return;
  }
}

ReceiveCall receiveFor(ProbeCall call) {
  return isMatching(call) ? ReceiveCall::mrecv : ReceiveCall::recv;
}

/// After many misses the message goes to a plain receive.
void missThenReceive(Context& context, ProbeCall call) {
  const int sender = context.size() - 1;
  for (const std::size_t size : {std::size_t{4}, std::size_t{20000}, std::size_t{400000}}) {
    const Bytes data = makeData(size, size);
    MPI_Request request = MPI_REQUEST_NULL;
    if (context.rank() == 0)
      missOften(context, call, MPI_ANY_TAG);
    context.barrier();
    if (context.rank() == sender)
      MPI_Isend(data.data(), static_cast<int>(size), MPI_BYTE, 0, 3, context.comm(), &request);
    if (context.rank() == 0) {
      Bytes buffer(size);
      MPI_Status status;
      context.ok(
          MPI_Recv(buffer.data(), static_cast<int>(size), MPI_BYTE, sender, 3, context.comm(), &status),
          "MPI_Recv");
      context.statusIs(status, sender, 3, static_cast<MPI_Count>(size));
      context.check(isData(buffer.data(), size, size), "the data are wrong");
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

/// Misses for a tag do not touch the messages of other tags that are there.
void missAmongOthers(Context& context, ProbeCall call) {
  const int sender = context.size() - 1;
  std::vector<MPI_Request> requests(20, MPI_REQUEST_NULL);
  std::vector<int> values(20);
  if (context.rank() == sender) {
    for (int i = 0; i < 20; ++i) {
      values[i] = i;
      MPI_Isend(&values[i], 1, MPI_INT, 0, i, context.comm(), &requests[i]);
    }
    if (sender != 0)
      context.signal(0);
  }
  if (context.rank() == 0) {
    if (sender != 0)
      context.await(sender);
    missOften(context, call, 99);
    for (int i = 0; i < 20; ++i) {
      Found found = find(context, call, sender, MPI_ANY_TAG);
      context.statusIs(found.status, sender, i, sizeof(int));
      int value = -1;
      context.ok(receive(context, receiveFor(call), &value, 1, MPI_INT, found, MPI_STATUS_IGNORE),
                 "the receive");
      context.equal(value, i, "the value received");
    }
  }
  MPI_Waitall(20, requests.data(), MPI_STATUSES_IGNORE);
}

/// A posted receive takes its message though probes with wildcards are under way: they never see it.
void postedReceiveFirst(Context& context, ProbeCall call, std::size_t size) {
  const int sender = context.size() - 1;
  const Bytes data = makeData(size, 7);
  Bytes buffer(size);
  MPI_Request receive = MPI_REQUEST_NULL;
  MPI_Request send = MPI_REQUEST_NULL;
  if (context.rank() == 0)
    MPI_Irecv(buffer.data(), static_cast<int>(size), MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, context.comm(),
              &receive);
  context.barrier();
  if (context.rank() == sender)
    MPI_Isend(data.data(), static_cast<int>(size), MPI_BYTE, 0, 7, context.comm(), &send);
  if (context.rank() == 0) {
    int done = 0;
    MPI_Status status;
    while (!done) {
      Found found;
      if (!context.check(!look(context, call, MPI_ANY_SOURCE, MPI_ANY_TAG, context.comm(), found),
                         "the probe saw a message that belongs to a posted receive"))
        break;
      context.ok(MPI_Test(&receive, &done, &status), "MPI_Test");
    }
    if (done) {
      context.statusIs(status, sender, 7, static_cast<MPI_Count>(size));
      context.check(isData(buffer.data(), size, 7), "the data are wrong");
    }
  }
  MPI_Wait(&send, MPI_STATUS_IGNORE);
}

/// A receive that was cancelled before leaves nothing that could take the message.
void afterCancelledReceive(Context& context, ProbeCall call) {
  const int sender = context.size() - 1;
  if (context.rank() == 0) {
    int unused = 0;
    MPI_Request receive;
    MPI_Irecv(&unused, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, context.comm(), &receive);
    missOften(context, call, MPI_ANY_TAG);
    MPI_Status status;
    int cancelled = 0;
    context.ok(MPI_Cancel(&receive), "MPI_Cancel");
    context.ok(MPI_Wait(&receive, &status), "MPI_Wait");
    MPI_Test_cancelled(&status, &cancelled);
    context.check(cancelled, "a receive without a message was not cancelled");
  }
  context.barrier();
  const int sent = 1234;
  MPI_Request send = MPI_REQUEST_NULL;
  if (context.rank() == sender)
    MPI_Isend(&sent, 1, MPI_INT, 0, 5, context.comm(), &send);
  if (context.rank() == 0) {
    Found found = find(context, call, MPI_ANY_SOURCE, 5);
    int value = 0;
    context.ok(receive(context, receiveFor(call), &value, 1, MPI_INT, found, MPI_STATUS_IGNORE),
               "the receive");
    context.equal(value, 1234, "the value received");
  }
  MPI_Wait(&send, MPI_STATUS_IGNORE);
}

/// Misses on one communicator do not change what another one gives.
void missOnOther(Context& context, ProbeCall call) {
  MPI_Comm other;
  context.ok(MPI_Comm_dup(context.comm(), &other), "MPI_Comm_dup");
  const int sender = context.size() - 1;
  const int sent = 77;
  MPI_Request send = MPI_REQUEST_NULL;
  if (context.rank() == sender)
    MPI_Isend(&sent, 1, MPI_INT, 0, 5, other, &send);
  if (context.rank() == 0) {
    missOften(context, call, MPI_ANY_TAG);
    Found found = find(context, call, MPI_ANY_SOURCE, MPI_ANY_TAG, other);
    context.statusIs(found.status, sender, 5, sizeof(int));
    int value = 0;
    context.ok(receive(context, receiveFor(call), &value, 1, MPI_INT, found, MPI_STATUS_IGNORE),
               "the receive");
    context.equal(value, 77, "the value received");
  }
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  MPI_Comm_free(&other);
}

/// Misses take no memory: 200,000 of them would show one of 100 bytes each.
void missTakesNoMemory(Context& context, ProbeCall call) {
  missOften(context, call, MPI_ANY_TAG);
  const long before = check::residentKiB();
  for (int i = 0; i < 100; ++i)
    missOften(context, call, i % 2 ? MPI_ANY_TAG : i);
  const long grown = check::residentKiB() - before;
  context.check(grown < 16384, "200,000 probes without a message took " + std::to_string(grown) + " KiB");
}

} // namespace

void addNoStateCases(Registry& registry) {
  for (const ProbeCall call : lookCalls) {
    const std::string prefix = "nostate." + std::string(name(call));
    const auto add = [&](const char* what, void (*body)(Context&, ProbeCall)) {
      registry.add(prefix + "." + what, {}, [=](Context& context) { body(context, call); });
    };
    add("miss_then_receive", missThenReceive);
    add("miss_among_others", missAmongOthers);
    add("after_cancelled_receive", afterCancelledReceive);
    add("miss_on_other_communicator", missOnOther);
    registry.add("promise." + prefix + ".miss_takes_no_memory", {1, 2},
                 [=](Context& context) { missTakesNoMemory(context, call); });
    registry.add(prefix + ".posted_receive_first", {}, [=](Context& context) {
      postedReceiveFirst(context, call, 8);
      postedReceiveFirst(context, call, 300000);
    });
  }
}

} // namespace mprobe
