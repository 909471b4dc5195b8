// Very many messages that nobody expects.
#include "test/mpi/Memory.h"
#include "test/mprobe/Calls.h"

namespace mprobe {
namespace {

constexpr int flood = 100000;

/// Rank 1 sends many messages that rank 0 takes once all are there, and tells which.
void sendFlood(Context& context, int count, int tags) {
  for (int i = 0; i < count; ++i)
    MPI_Send(&i, 1, MPI_INT, 0, i % tags, context.comm());
  context.signal(0);
}

void takeValue(Context& context, Path path, int source, int tag, int wanted) {
  Found found = find(context, path.probe, source, tag);
  int value = -1;
  context.ok(receive(context, path.receive, &value, 1, MPI_INT, found, MPI_STATUS_IGNORE),
             name(path.receive));
  context.equal(value, wanted, "the value received");
}

/// 100,000 messages, taken in order with wildcards or by source and tag.
void takeFlood(Context& context, Path path, bool wildcard) {
  if (context.rank() == 1) {
    sendFlood(context, flood, 1);
    context.await(0);
  } else {
    context.await(1);
    for (int i = 0; i < flood && context.failure().empty(); ++i)
      takeValue(context, path, wildcard ? MPI_ANY_SOURCE : 1, wildcard ? MPI_ANY_TAG : 0, i);
    context.signal(1);
  }
}

/// As many, each with a tag of its own, taken from the last to the first.
void takeBackwards(Context& context, Path path) {
  constexpr int count = 20000;
  if (context.rank() == 1) {
    sendFlood(context, count, count);
    context.await(0);
  } else {
    context.await(1);
    for (int i = count - 1; i >= 0 && context.failure().empty(); --i)
      takeValue(context, path, 1, i, i);
    context.signal(1);
  }
}

/// Probes for one that is not there, among many that are; then it comes, and is found.
void missAmongMany(Context& context, ProbeCall call) {
  constexpr int count = 20000;
  constexpr int missing = 30001;
  if (context.rank() == 1) {
    sendFlood(context, count, 100);
    context.await(0);
    MPI_Send(&count, 1, MPI_INT, 0, missing, context.comm());
    context.await(0);
    return;
  }
  context.await(1);
  Found found;
  for (int i = 0; i < 200; ++i)
    context.check(!look(context, call, i % 2 ? 1 : MPI_ANY_SOURCE, missing, context.comm(), found),
                  "found what was not sent");
  context.signal(1);
  const Path path = {call, isMatching(call) ? ReceiveCall::mrecv : ReceiveCall::recv};
  takeValue(context, path, MPI_ANY_SOURCE, missing, count);
  for (int i = 0; i < count && context.failure().empty(); ++i)
    takeValue(context, path, MPI_ANY_SOURCE, MPI_ANY_TAG, i);
  context.signal(1);
}

/// 10,000 messages are matched before the first of them is received.
void holdMany(Context& context, Path path) {
  constexpr int count = 10000;
  if (context.rank() == 1) {
    sendFlood(context, count, 1);
    return;
  }
  std::vector<Found> held;
  for (int i = 0; i < count; ++i)
    held.push_back(find(context, path.probe, 1, MPI_ANY_TAG));
  context.await(1);
  for (int i = count - 1; i >= 0 && context.failure().empty(); --i) {
    int value = -1;
    context.ok(receive(context, path.receive, &value, 1, MPI_INT, held[static_cast<std::size_t>(i)],
                       MPI_STATUS_IGNORE),
               name(path.receive));
    context.equal(value, i, "the value received");
  }
}

/// Many large messages wait at their sender.
void manyLarge(Context& context, Path path) {
  constexpr int count = 500;
  constexpr std::size_t size = 100000;
  if (context.rank() == 1) {
    std::vector<MPI_Request> requests(count);
    const Bytes data = makeData(size, 1);
    for (int i = 0; i < count; ++i)
      MPI_Isend(data.data(), static_cast<int>(size), MPI_BYTE, 0, i, context.comm(),
                &requests[static_cast<std::size_t>(i)]);
    MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
    return;
  }
  for (int i = count - 1; i >= 0; i -= 2)
    takeData(context, path, 1, i, size, 1);
  for (int i = 0; i < count; i += 2)
    takeData(context, path, 1, i, size, 1);
}

/// Floods come and go: memory does not grow from one to the next.
void memoryOfFloods(Context& context) {
  constexpr int count = 30000;
  long first = 0;
  for (int round = 0; round < 6; ++round) {
    if (context.rank() == 1) {
      sendFlood(context, count, 1);
      context.await(0);
      continue;
    }
    context.await(1);
    for (int i = 0; i < count && context.failure().empty(); ++i)
      takeValue(context, {ProbeCall::improbe, ReceiveCall::mrecv}, MPI_ANY_SOURCE, MPI_ANY_TAG, i);
    if (round == 1)
      first = check::residentKiB();
    if (round == 5) {
      const long grown = check::residentKiB() - first;
      context.check(grown < 8192, "four floods of 30,000 messages left " + std::to_string(grown) + " KiB");
    }
    context.signal(1);
  }
}

} // namespace

void addManyCases(Registry& registry) {
  const Needs two = {2, 2};
  const auto add = [&](const std::string& what, std::function<void(Context&)> body) {
    registry.add("many." + what, two, std::move(body));
  };
  for (const Path path :
       {Path{ProbeCall::mprobe, ReceiveCall::mrecv}, Path{ProbeCall::improbe, ReceiveCall::imrecv}}) {
    const std::string prefix = name(path) + ".";
    add(prefix + "flood_by_wildcard", [=](Context& context) { takeFlood(context, path, true); });
    add(prefix + "flood_by_source_and_tag", [=](Context& context) { takeFlood(context, path, false); });
    add(prefix + "backwards", [=](Context& context) { takeBackwards(context, path); });
    add(prefix + "held", [=](Context& context) { holdMany(context, path); });
    add(prefix + "large", [=](Context& context) { manyLarge(context, path); });
  }
  add("iprobe.miss_among", [](Context& context) { missAmongMany(context, ProbeCall::iprobe); });
  add("improbe.miss_among", [](Context& context) { missAmongMany(context, ProbeCall::improbe); });
  registry.add("promise.many.memory_of_floods", two, memoryOfFloods);
}

} // namespace mprobe
