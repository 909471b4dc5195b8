// Imrecv gives a request like any other: every completing call, cancel, free, and many at a time.
#include "test/mprobe/Calls.h"

#include <algorithm>
#include <sched.h>

namespace mprobe {
namespace {

const std::size_t requestSizes[] = {0, 8, 5000, 20000, 400000};
constexpr std::size_t count = sizeof requestSizes / sizeof requestSizes[0];

/// Messages of each size from the rank before, matched and with Imrecv started, and the sends to the rank
/// after.
struct Open {
  explicit Open(Context& context) : context_(context) {
    const int to = (context.rank() + 1) % context.size();
    from = (context.rank() + context.size() - 1) % context.size();
    for (std::size_t i = 0; i < count; ++i) {
      data_.push_back(makeData(requestSizes[i], seedOf(context.rank(), static_cast<int>(i))));
      buffers.emplace_back(requestSizes[i]);
      MPI_Isend(data_[i].data(), static_cast<int>(requestSizes[i]), MPI_BYTE, to, static_cast<int>(i),
                context.comm(), &sends[i]);
    }
    for (std::size_t i = 0; i < count; ++i) {
      Found found = find(context, i % 2 ? ProbeCall::mprobe : ProbeCall::improbe, from, static_cast<int>(i));
      context.ok(MPI_Imrecv(buffers[i].data(), static_cast<int>(requestSizes[i]), MPI_BYTE, &found.message,
                            &receives[i]),
                 "MPI_Imrecv");
      context.check(found.message == MPI_MESSAGE_NULL, "MPI_Imrecv left the message's handle");
    }
  }

  /// Receive `i` is complete with this status.
  void completed(std::size_t i, const MPI_Status& status) {
    context_.statusIs(status, from, static_cast<int>(i), static_cast<MPI_Count>(requestSizes[i]));
    context_.check(isData(buffers[i].data(), buffers[i].size(), seedOf(from, static_cast<int>(i))),
                   "the data are wrong");
    context_.check(receives[i] == MPI_REQUEST_NULL, "the request's handle was left");
  }

  void finish() { context_.ok(MPI_Waitall(count, sends, MPI_STATUSES_IGNORE), "MPI_Waitall of the sends"); }

  int from = 0;
  std::vector<Bytes> buffers;
  MPI_Request sends[count];
  MPI_Request receives[count];

private:
  Context& context_;
  std::vector<Bytes> data_;
};

void byWait(Context& context) {
  Open open(context);
  for (std::size_t i = count; i-- > 0;) {
    MPI_Status status{};
    context.ok(MPI_Wait(&open.receives[i], &status), "MPI_Wait");
    open.completed(i, status);
  }
  open.finish();
}

void byTest(Context& context) {
  Open open(context);
  for (std::size_t left = count; left > 0;)
    for (std::size_t i = 0; i < count; ++i) {
      MPI_Status status{};
      int flag = 0;
      if (open.receives[i] == MPI_REQUEST_NULL)
        continue;
      context.ok(MPI_Test(&open.receives[i], &flag, &status), "MPI_Test");
      if (!flag)
        continue;
      open.completed(i, status);
      --left;
    }
  open.finish();
}

void byGetStatus(Context& context) {
  Open open(context);
  for (std::size_t i = 0; i < count; ++i) {
    MPI_Status status{};
    int flag = 0;
    while (!flag)
      context.ok(MPI_Request_get_status(open.receives[i], &flag, &status), "MPI_Request_get_status");
    context.check(open.receives[i] != MPI_REQUEST_NULL, "MPI_Request_get_status took the request");
    context.statusIs(status, open.from, static_cast<int>(i), static_cast<MPI_Count>(requestSizes[i]));
    MPI_Status again{};
    context.ok(MPI_Wait(&open.receives[i], &again), "MPI_Wait");
    open.completed(i, again);
  }
  open.finish();
}

void byAny(Context& context, bool waiting) {
  Open open(context);
  for (std::size_t left = count; left > 0;) {
    MPI_Status status{};
    int index = -1;
    int flag = 1;
    if (waiting)
      context.ok(MPI_Waitany(count, open.receives, &index, &status), "MPI_Waitany");
    else
      context.ok(MPI_Testany(count, open.receives, &index, &flag, &status), "MPI_Testany");
    if (!flag)
      continue;
    if (!context.check(index >= 0 && index < static_cast<int>(count), "the index is out of range"))
      break;
    open.completed(static_cast<std::size_t>(index), status);
    --left;
  }
  open.finish();
}

void bySome(Context& context, bool waiting) {
  Open open(context);
  for (std::size_t left = count; left > 0;) {
    MPI_Status statuses[count] = {};
    int indices[count] = {};
    int number = 0;
    if (waiting)
      context.ok(MPI_Waitsome(count, open.receives, &number, indices, statuses), "MPI_Waitsome");
    else
      context.ok(MPI_Testsome(count, open.receives, &number, indices, statuses), "MPI_Testsome");
    if (!context.check(number >= (waiting ? 1 : 0) && number <= static_cast<int>(left),
                       "the count is out of range"))
      break;
    for (int i = 0; i < number; ++i)
      open.completed(static_cast<std::size_t>(indices[i]), statuses[i]);
    left -= static_cast<std::size_t>(number);
  }
  open.finish();
}

void byAll(Context& context, bool waiting) {
  Open open(context);
  MPI_Status statuses[count] = {};
  int flag = 0;
  if (waiting)
    context.ok(MPI_Waitall(count, open.receives, statuses), "MPI_Waitall");
  while (!waiting && !flag)
    context.ok(MPI_Testall(count, open.receives, &flag, statuses), "MPI_Testall");
  for (std::size_t i = 0; i < count; ++i)
    open.completed(i, statuses[i]);
  open.finish();
}

/// Sends and matched receives in one array.
void mixedWithSends(Context& context) {
  Open open(context);
  MPI_Request all[2 * count];
  MPI_Status statuses[2 * count] = {};
  for (std::size_t i = 0; i < count; ++i) {
    all[2 * i] = open.sends[i];
    all[2 * i + 1] = open.receives[i];
    open.sends[i] = open.receives[i] = MPI_REQUEST_NULL;
  }
  context.ok(MPI_Waitall(2 * count, all, statuses), "MPI_Waitall");
  for (std::size_t i = 0; i < count; ++i)
    open.completed(i, statuses[2 * i + 1]);
  open.finish();
}

/// A cancel either does nothing, or the message is there to be found again.
void cancel(Context& context) {
  Open open(context);
  for (std::size_t i = 0; i < count; ++i) {
    MPI_Status status{};
    int cancelled = 0;
    context.ok(MPI_Cancel(&open.receives[i]), "MPI_Cancel");
    context.ok(MPI_Wait(&open.receives[i], &status), "MPI_Wait");
    MPI_Test_cancelled(&status, &cancelled);
    if (cancelled)
      takeData(context, {ProbeCall::mprobe, ReceiveCall::mrecv}, open.from, static_cast<int>(i),
               requestSizes[i], seedOf(open.from, static_cast<int>(i)));
    else
      open.completed(i, status);
  }
  open.finish();
}

/// An active request that is freed completes all the same: the sender's synchronous send ends, the data
/// arrive.
void freeActive(Context& context) {
  for (const std::size_t size : requestSizes) {
    const int to = (context.rank() + 1) % context.size();
    const int from = (context.rank() + context.size() - 1) % context.size();
    const Bytes data = makeData(size, 1);
    Bytes buffer(size);
    MPI_Request send;
    MPI_Request receive;
    MPI_Issend(data.data(), static_cast<int>(size), MPI_BYTE, to, 1, context.comm(), &send);
    Found found = find(context, ProbeCall::mprobe, from, 1);
    MPI_Imrecv(buffer.data(), static_cast<int>(size), MPI_BYTE, &found.message, &receive);
    context.ok(MPI_Request_free(&receive), "MPI_Request_free");
    context.check(receive == MPI_REQUEST_NULL, "MPI_Request_free left the request's handle");
    context.ok(MPI_Wait(&send, MPI_STATUS_IGNORE), "MPI_Wait of the send");
    // Nothing tells when a freed receive ends, but the data themselves; other messages keep things moving.
    volatile unsigned char* const last = size ? &buffer[size - 1] : nullptr;
    for (long tries = 0; last && *last != data[size - 1] && tries < 100000000; ++tries) {
      int flag = 0;
      MPI_Iprobe(MPI_ANY_SOURCE, 99, context.comm(), &flag, MPI_STATUS_IGNORE);
    }
    context.barrier();
    context.check(isData(buffer.data(), size, 1), "the data of a freed receive are wrong");
    context.barrier();
  }
}

/// Empty statuses for null requests beside a matched receive.
void amongNullRequests(Context& context) {
  Open open(context);
  MPI_Request padded[2 * count + 1];
  MPI_Status statuses[2 * count + 1] = {};
  std::fill(padded, padded + 2 * count + 1, MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < count; ++i)
    std::swap(padded[2 * i + 1], open.receives[i]);
  context.ok(MPI_Waitall(2 * count + 1, padded, statuses), "MPI_Waitall");
  for (std::size_t i = 0; i <= 2 * count; ++i) {
    if (i % 2)
      open.completed(i / 2, statuses[i]);
    else
      context.statusIs(statuses[i], MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
  }
  open.finish();
}

/// Many requests open at a time, completed from the last to the first.
void manyOpen(Context& context) {
  constexpr int many = 1000;
  const int to = (context.rank() + 1) % context.size();
  const int from = (context.rank() + context.size() - 1) % context.size();
  std::vector<std::vector<int>> sent(many, std::vector<int>(300));
  std::vector<std::vector<int>> received(many, std::vector<int>(300));
  std::vector<MPI_Request> sends(many);
  std::vector<MPI_Request> receives(many);
  for (std::size_t i = 0; i < many; ++i) {
    std::fill(sent[i].begin(), sent[i].end(), static_cast<int>(i));
    MPI_Isend(sent[i].data(), 300, MPI_INT, to, static_cast<int>(i), context.comm(), &sends[i]);
  }
  for (std::size_t i = 0; i < many; ++i) {
    Found found = find(context, ProbeCall::improbe, from, MPI_ANY_TAG);
    context.equal(found.status.MPI_TAG, static_cast<int>(i), "the tag");
    MPI_Imrecv(received[i].data(), 300, MPI_INT, &found.message, &receives[i]);
  }
  for (std::size_t i = many; i-- > 0;) {
    MPI_Status status{};
    MPI_Wait(&receives[i], &status);
    context.statusIs(status, from, static_cast<int>(i), 300 * sizeof(int));
    context.check(received[i] == sent[i], "the data are wrong");
  }
  MPI_Waitall(many, sends.data(), MPI_STATUSES_IGNORE);
}

} // namespace

void addRequestCases(Registry& registry) {
  registry.add("imrecv.wait", {}, byWait);
  registry.add("imrecv.test", {}, byTest);
  registry.add("imrecv.get_status", {}, byGetStatus);
  registry.add("imrecv.waitany", {}, [](Context& context) { byAny(context, true); });
  registry.add("imrecv.testany", {}, [](Context& context) { byAny(context, false); });
  registry.add("imrecv.waitsome", {}, [](Context& context) { bySome(context, true); });
  registry.add("imrecv.testsome", {}, [](Context& context) { bySome(context, false); });
  registry.add("imrecv.waitall", {}, [](Context& context) { byAll(context, true); });
  registry.add("imrecv.testall", {}, [](Context& context) { byAll(context, false); });
  registry.add("imrecv.mixed_with_sends", {}, mixedWithSends);
  registry.add("imrecv.cancel", {}, cancel);
  registry.add("imrecv.free_active", {}, freeActive);
  registry.add("imrecv.among_null_requests", {}, amongNullRequests);
  registry.add("imrecv.many_open", {}, manyOpen);
}

} // namespace mprobe
