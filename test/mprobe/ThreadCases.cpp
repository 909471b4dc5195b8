// Two to four threads look for the same messages: each message is matched exactly once.
#include "test/mprobe/Calls.h"

#include <atomic>
#include <sched.h>

namespace mprobe {
namespace {

constexpr int stopTag = 9999;
constexpr int perSender = 1500;

std::size_t sizeOf(int number) {
  if (number % 97 == 5)
    return 40000;
  return number % 13 == 4 ? 9000 : static_cast<std::size_t>(8 + number % 50);
}

/// What was taken, and how often. Any thread may add.
class Taken {
public:
  Taken(Context& context, int senders)
      : context_(context), counts_(static_cast<std::size_t>(senders) * perSender) {}

  /// Takes note of a message of which the status and the data are given.
  void note(const MPI_Status& status, const Bytes& data) {
    const int source = status.MPI_SOURCE;
    const int number = status.MPI_TAG;
    if (!context_.check(source >= 0 && source < context_.size() && number >= 0 && number < perSender,
                        "source or tag were never sent"))
      return;
    context_.equal(data.size(), sizeOf(number), "the size");
    context_.check(isData(data.data(), data.size(), seedOf(source, number)), "the data are wrong");
    ++counts_[static_cast<std::size_t>(source * perSender + number)];
  }

  void checkAll(int firstSender) {
    for (std::size_t i = static_cast<std::size_t>(firstSender) * perSender; i < counts_.size(); ++i)
      if (!context_.equal(counts_[i].load(), 1, "the number of times that a message was matched"))
        break;
  }

private:
  Context& context_;
  std::vector<std::atomic<int>> counts_;
};

void sendNumbered(Context& context, int to) {
  for (int number = 0; number < perSender; ++number) {
    const Bytes data = makeData(sizeOf(number), seedOf(context.rank(), number));
    MPI_Send(data.data(), static_cast<int>(data.size()), MPI_BYTE, to, number, context.comm());
  }
}

void sendStops(Context& context, int to, int count) {
  for (int i = 0; i < count; ++i)
    MPI_Send(nullptr, 0, MPI_BYTE, to, stopTag, context.comm());
}

/// Takes messages by a blocking or non-blocking matched probe until `left` of them are taken by all threads
/// together; with the blocking one until a stop message comes.
void takeUntilDone(Context& context, Path path, Taken& taken, std::atomic<int>& left) {
  while (path.probe == ProbeCall::mprobe || left > 0) {
    Found found;
    if (path.probe == ProbeCall::mprobe) {
      found = find(context, path.probe, MPI_ANY_SOURCE, MPI_ANY_TAG);
    } else if (!look(context, path.probe, MPI_ANY_SOURCE, MPI_ANY_TAG, context.comm(), found)) {
      sched_yield();
      continue;
    }
    int bytes = 0;
    MPI_Get_count(&found.status, MPI_BYTE, &bytes);
    Bytes data(static_cast<std::size_t>(bytes));
    MPI_Status status{};
    const int probedTag = found.status.MPI_TAG;
    const int probedSource = found.status.MPI_SOURCE;
    context.ok(receive(context, path.receive, data.data(), bytes, MPI_BYTE, found, &status),
               name(path.receive));
    context.statusIs(status, probedSource, probedTag, bytes);
    if (probedTag == stopTag)
      return;
    taken.note(status, data);
    --left;
  }
}

void exactlyOnce(Context& context, Path path, int threads) {
  if (context.rank() == 0) {
    Taken taken(context, context.size());
    std::atomic<int> left{(context.size() - 1) * perSender};
    runThreads(threads, [&](int) { takeUntilDone(context, path, taken, left); });
    taken.checkAll(1);
  } else {
    sendNumbered(context, 0);
    if (context.rank() == 1 && path.probe == ProbeCall::mprobe) {
      // The stops must come last of all.
      for (int other = 2; other < context.size(); ++other)
        context.await(other);
      sendStops(context, 0, threads);
    } else if (context.rank() > 1 && path.probe == ProbeCall::mprobe) {
      context.signal(1);
    }
  }
}

/// Threads that match share the messages with threads that receive by wildcards.
void matchersAndReceivers(Context& context, int matchers, int receivers) {
  if (context.rank() != 0) {
    sendNumbered(context, 0);
    context.signal(0);
    context.await(0);
    if (context.rank() == 1)
      sendStops(context, 0, receivers);
    return;
  }
  Taken taken(context, context.size());
  std::atomic<int> left{(context.size() - 1) * perSender};
  std::atomic<int> matching{matchers};
  runThreads(matchers + receivers + 1, [&](int thread) {
    if (thread == 0) {
      for (int source = 1; source < context.size(); ++source)
        context.await(source);
      // A matcher that is still at work could take a stop message.
      while (left > 0 || matching > 0)
        sched_yield();
      for (int source = 1; source < context.size(); ++source)
        context.signal(source);
    } else if (thread <= matchers) {
      takeUntilDone(context, {ProbeCall::improbe, ReceiveCall::mrecv}, taken, left);
      --matching;
    } else {
      for (;;) {
        Bytes data(40000);
        MPI_Status status{};
        context.ok(
            MPI_Recv(data.data(), 40000, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, context.comm(), &status),
            "MPI_Recv");
        int bytes = 0;
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        data.resize(static_cast<std::size_t>(bytes));
        if (status.MPI_TAG == stopTag)
          return;
        taken.note(status, data);
        --left;
      }
    }
  });
  taken.checkAll(1);
}

/// All ranks send and match at a time, each with several threads: thread i sends to thread i of the next
/// rank.
void bothWays(Context& context, int threads, bool ownComms) {
  std::vector<MPI_Comm> comms(static_cast<std::size_t>(threads), context.comm());
  if (ownComms)
    for (MPI_Comm& comm : comms)
      MPI_Comm_dup(context.comm(), &comm);
  const int to = (context.rank() + 1) % context.size();
  const int from = (context.rank() + context.size() - 1) % context.size();
  runThreads(threads, [&](int thread) {
    const MPI_Comm comm = comms[static_cast<std::size_t>(thread)];
    const int tag = ownComms ? 1 : thread;
    for (int i = 0; i < 300; ++i) {
      const std::size_t size = sizeOf(i + thread);
      const Bytes data = makeData(size, seedOf(context.rank(), thread, static_cast<std::uint64_t>(i)));
      MPI_Request request;
      MPI_Isend(data.data(), static_cast<int>(size), MPI_BYTE, to, tag, comm, &request);
      Found found = find(context, i % 2 ? ProbeCall::mprobe : ProbeCall::improbe, from, tag, comm);
      context.statusIs(found.status, from, tag, static_cast<MPI_Count>(size));
      receiveData(context, {ProbeCall::mprobe, i % 3 ? ReceiveCall::mrecv : ReceiveCall::imrecv}, from, tag,
                  found, size, seedOf(from, thread, static_cast<std::uint64_t>(i)));
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  });
  if (ownComms)
    for (MPI_Comm& comm : comms)
      MPI_Comm_free(&comm);
}

/// Probe and receive of a tag of the thread's own are safe though others probe with their own tags.
void probesOfOwnTags(Context& context, ProbeCall call, int threads) {
  runThreads(threads, [&](int thread) {
    for (int i = 0; i < 200; ++i) {
      const int value = thread * 1000 + i;
      MPI_Request request;
      MPI_Isend(&value, 1, MPI_INT, context.rank(), thread, context.comm(), &request);
      Found found = find(context, call, MPI_ANY_SOURCE, thread);
      int got = -1;
      MPI_Status status{};
      context.ok(receive(context, isMatching(call) ? ReceiveCall::mrecv : ReceiveCall::recv, &got, 1, MPI_INT,
                         found, &status),
                 "the receive");
      context.statusIs(status, context.rank(), thread, sizeof(int));
      context.equal(got, value, "the value received");
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  });
}

} // namespace

void addThreadCases(Registry& registry) {
  const Needs needs = {2, 3, MPI_THREAD_MULTIPLE};
  const Path paths[] = {{ProbeCall::mprobe, ReceiveCall::mrecv},
                        {ProbeCall::mprobe, ReceiveCall::imrecv},
                        {ProbeCall::improbe, ReceiveCall::mrecv},
                        {ProbeCall::improbe, ReceiveCall::imrecv}};
  for (const Path path : paths)
    for (int threads = 1; threads <= 4; ++threads)
      registry.add("thread." + name(path) + ".exactly_once_" + std::to_string(threads), needs,
                   [=](Context& context) { exactlyOnce(context, path, threads); });
  registry.add("thread.matchers_and_receivers", needs,
               [](Context& context) { matchersAndReceivers(context, 1, 1); });
  registry.add("thread.more_matchers_and_receivers", needs,
               [](Context& context) { matchersAndReceivers(context, 2, 1); });
  for (int threads = 2; threads <= 4; ++threads) {
    registry.add("thread.own_tags_" + std::to_string(threads), {1, 3, MPI_THREAD_MULTIPLE},
                 [=](Context& context) { bothWays(context, threads, false); });
    registry.add("thread.own_communicators_" + std::to_string(threads), {1, 3, MPI_THREAD_MULTIPLE},
                 [=](Context& context) { bothWays(context, threads, true); });
  }
  for (const ProbeCall call : allProbeCalls())
    registry.add("thread." + std::string(name(call)) + ".own_tags_at_self", {1, 2, MPI_THREAD_MULTIPLE},
                 [=](Context& context) { probesOfOwnTags(context, call, 4); });
}

} // namespace mprobe
