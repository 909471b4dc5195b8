// The life of a matched message: it outlives its communicator, is invisible once matched, is good for one
// receive, and many may be held at a time and received in any order.
#include "test/mprobe/Calls.h"

#include <algorithm>
#include <numeric>

namespace mprobe {
namespace {

const std::size_t lifeSizes[] = {0, 8, 150, 5000, 8193, 70000, 600000};

/// The communicator is freed, by all ranks, while a message on it is held.
void outlivesCommunicator(Context& context, Path path) {
  for (const std::size_t size : lifeSizes) {
    MPI_Comm comm;
    MPI_Comm_dup(context.comm(), &comm);
    const Bytes data = makeData(size, seedOf(context.rank(), 3));
    MPI_Request request;
    MPI_Isend(data.data(), static_cast<int>(size), MPI_BYTE, 0, 3, comm, &request);
    std::vector<Found> held;
    for (int source = 0; context.rank() == 0 && source < context.size(); ++source)
      held.push_back(find(context, path.probe, source, 3, comm));
    context.ok(MPI_Comm_free(&comm), "MPI_Comm_free");
    // A communicator made now may get what the freed one used; what is sent on it must not be mixed up.
    MPI_Comm next;
    MPI_Comm_dup(context.comm(), &next);
    const int other = 1000 + context.rank();
    MPI_Request otherRequest;
    MPI_Isend(&other, 1, MPI_INT, 0, 3, next, &otherRequest);
    for (int source = 0; source < static_cast<int>(held.size()); ++source)
      receiveData(context, path, source, 3, held[static_cast<std::size_t>(source)], size, seedOf(source, 3));
    for (int source = 0; context.rank() == 0 && source < context.size(); ++source) {
      int value = 0;
      MPI_Recv(&value, 1, MPI_INT, source, 3, next, MPI_STATUS_IGNORE);
      context.equal(value, 1000 + source, "the value on the new communicator");
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Wait(&otherRequest, MPI_STATUS_IGNORE);
    MPI_Comm_free(&next);
  }
}

/// The communicator is freed while Imrecv is under way.
void outlivesDuringImrecv(Context& context) {
  for (const std::size_t size : lifeSizes) {
    MPI_Comm comm;
    MPI_Comm_dup(context.comm(), &comm);
    const Bytes data = makeData(size, 4);
    Bytes buffer(size);
    const int to = (context.rank() + 1) % context.size();
    const int from = (context.rank() + context.size() - 1) % context.size();
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Isend(data.data(), static_cast<int>(size), MPI_BYTE, to, 3, comm, &requests[0]);
    Found found = find(context, ProbeCall::mprobe, from, 3, comm);
    context.ok(MPI_Imrecv(buffer.data(), static_cast<int>(size), MPI_BYTE, &found.message, &requests[1]),
               "MPI_Imrecv");
    context.ok(MPI_Comm_free(&comm), "MPI_Comm_free");
    context.ok(MPI_Waitall(2, requests, statuses), "MPI_Waitall");
    context.statusIs(statuses[1], from, 3, static_cast<MPI_Count>(size));
    context.check(isData(buffer.data(), size, 4), "the data are wrong");
  }
}

/// A matched message is not found by later probes, and not received by later receives.
void invisible(Context& context, ProbeCall call) {
  for (const std::size_t size : lifeSizes) {
    const int sender = context.size() - 1;
    const Bytes data = makeData(size, 9);
    MPI_Request request = MPI_REQUEST_NULL;
    if (context.rank() == sender)
      MPI_Isend(data.data(), static_cast<int>(size), MPI_BYTE, 0, 3, context.comm(), &request);
    if (context.rank() == 0) {
      Found held = find(context, call, sender, 3);
      int unused = 0;
      MPI_Request posted[2];
      MPI_Irecv(&unused, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, context.comm(), &posted[0]);
      MPI_Irecv(&unused, 1, MPI_INT, sender, 3, context.comm(), &posted[1]);
      bool seen = false;
      for (int i = 0; i < 100 && !seen; ++i)
        for (const ProbeCall later : {ProbeCall::iprobe, ProbeCall::improbe}) {
          Found again;
          seen = seen || look(context, later, i % 2 ? sender : MPI_ANY_SOURCE, i % 3 ? 3 : MPI_ANY_TAG,
                              context.comm(), again);
        }
      context.check(!seen, "a matched message was found again");
      for (MPI_Request& one : posted) {
        MPI_Status status;
        int cancelled = 0;
        MPI_Cancel(&one);
        MPI_Wait(&one, &status);
        MPI_Test_cancelled(&status, &cancelled);
        context.check(cancelled, "a matched message was received by another receive");
      }
      receiveData(context, {call, ReceiveCall::mrecv}, sender, 3, held, size, 9);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    // The next message must not be there before this one is done with.
    context.barrier();
  }
}

/// Messages that are held, as many as `count` from each rank, received in the order that `order` gives.
void heldMany(Context& context, Path path, int count, bool shuffled) {
  std::vector<Bytes> data;
  std::vector<MPI_Request> requests(static_cast<std::size_t>(count));
  const auto sizeOf = [](int i) {
    return i % 10 == 7 ? std::size_t{60000} : static_cast<std::size_t>(i % 300);
  };
  for (int i = 0; i < count; ++i) {
    data.push_back(makeData(sizeOf(i), seedOf(context.rank(), i)));
    MPI_Isend(data.back().data(), static_cast<int>(data.back().size()), MPI_BYTE, 0, i % 50, context.comm(),
              &requests[static_cast<std::size_t>(i)]);
  }
  if (context.rank() == 0) {
    std::vector<Found> held;
    std::vector<int> number;
    for (int source = 0; source < context.size(); ++source)
      for (int i = 0; i < count; ++i) {
        held.push_back(find(context, path.probe, source, MPI_ANY_TAG));
        context.statusIs(held.back().status, source, i % 50, static_cast<MPI_Count>(sizeOf(i)));
        number.push_back(i);
      }
    std::vector<std::size_t> order(held.size());
    std::iota(order.rbegin(), order.rend(), std::size_t{0});
    if (shuffled)
      for (std::size_t i = order.size() - 1, state = 12345; i > 0; --i) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        std::swap(order[i], order[(state >> 33) % (i + 1)]);
      }
    for (const std::size_t k : order)
      receiveData(context, path, held[k].status.MPI_SOURCE, number[k] % 50, held[k], sizeOf(number[k]),
                  seedOf(held[k].status.MPI_SOURCE, number[k]));
  }
  context.ok(MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
}

/// A later message of the same source and tag can be received while the first one is held.
void laterFirst(Context& context, Path path) {
  for (const std::size_t size : lifeSizes) {
    const Bytes first = makeData(size, 1);
    const Bytes second = makeData(size + 5, 2);
    MPI_Request requests[2];
    MPI_Isend(first.data(), static_cast<int>(first.size()), MPI_BYTE, 0, 3, context.comm(), &requests[0]);
    MPI_Isend(second.data(), static_cast<int>(second.size()), MPI_BYTE, 0, 3, context.comm(), &requests[1]);
    for (int source = 0; context.rank() == 0 && source < context.size(); ++source) {
      Found held = find(context, path.probe, source, 3);
      Bytes buffer(size + 5);
      MPI_Status status;
      MPI_Recv(buffer.data(), static_cast<int>(buffer.size()), MPI_BYTE, source, 3, context.comm(), &status);
      context.statusIs(status, source, 3, static_cast<MPI_Count>(size + 5));
      context.check(isData(buffer.data(), buffer.size(), 2), "the data of the later message are wrong");
      receiveData(context, path, source, 3, held, size, 1);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

/// Messages are held while the library does other things on the same communicator.
void heldAcrossCollectives(Context& context, Path path) {
  for (const std::size_t size : lifeSizes) {
    const Bytes data = makeData(size, seedOf(context.rank(), 3));
    const int to = (context.rank() + 1) % context.size();
    const int from = (context.rank() + context.size() - 1) % context.size();
    MPI_Request request;
    MPI_Isend(data.data(), static_cast<int>(size), MPI_BYTE, to, 3, context.comm(), &request);
    Found held = find(context, path.probe, from, 3);
    int sum = 0;
    const int one = 1;
    context.ok(MPI_Barrier(context.comm()), "MPI_Barrier");
    context.ok(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, context.comm()), "MPI_Allreduce");
    context.equal(sum, context.size(), "the sum");
    MPI_Comm copy;
    context.ok(MPI_Comm_dup(context.comm(), &copy), "MPI_Comm_dup");
    MPI_Comm_free(&copy);
    receiveData(context, path, from, 3, held, size, seedOf(from, 3));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

/// Messages of two communicators, held at a time, with the same source and tag.
void twoCommunicators(Context& context, Path path) {
  MPI_Comm other;
  MPI_Comm_dup(context.comm(), &other);
  for (const std::size_t size : lifeSizes) {
    const Bytes first = makeData(size, 1);
    const Bytes second = makeData(size, 2);
    MPI_Request requests[2];
    MPI_Isend(first.data(), static_cast<int>(size), MPI_BYTE, 0, 3, context.comm(), &requests[0]);
    MPI_Isend(second.data(), static_cast<int>(size), MPI_BYTE, 0, 3, other, &requests[1]);
    for (int source = 0; context.rank() == 0 && source < context.size(); ++source) {
      Found onOther = find(context, path.probe, source, 3, other);
      Found onFirst = find(context, path.probe, source, 3, context.comm());
      receiveData(context, path, source, 3, onOther, size, 2);
      receiveData(context, path, source, 3, onFirst, size, 1);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Comm_free(&other);
}

/// A handle is a value: a copy of it may be used for the receive, and the array it lies in may move.
void handleIsAValue(Context& context) {
  std::vector<MPI_Message> messages;
  std::vector<MPI_Request> requests(100);
  std::vector<int> values(100);
  std::iota(values.begin(), values.end(), 0);
  for (std::size_t i = 0; i < 100; ++i)
    MPI_Isend(&values[i], 1, MPI_INT, context.rank(), 3, context.comm(), &requests[i]);
  for (int i = 0; i < 100; ++i)
    messages.push_back(find(context, ProbeCall::improbe, context.rank(), 3).message);
  for (std::size_t i = 0; i < 100; ++i)
    for (std::size_t k = 0; k < i; ++k)
      context.check(messages[i] != messages[k], "two messages have the same handle");
  for (std::size_t i = 0; i < 100; ++i) {
    MPI_Message copy = messages[i];
    int value = -1;
    context.ok(MPI_Mrecv(&value, 1, MPI_INT, &copy, MPI_STATUS_IGNORE), "MPI_Mrecv");
    context.equal(value, static_cast<int>(i), "the value received");
    context.check(copy == MPI_MESSAGE_NULL, "the handle was left");
  }
  MPI_Waitall(100, requests.data(), MPI_STATUSES_IGNORE);
}

/// The receive's buffer may be smaller or larger than what another rank holds at the same time: a message has
/// no link to the buffers of others.
void heldWhileSending(Context& context, Path path) {
  const int to = (context.rank() + 1) % context.size();
  const int from = (context.rank() + context.size() - 1) % context.size();
  constexpr std::size_t size = 100000;
  for (int round = 0; round < 20; ++round) {
    const Bytes data = makeData(size, seedOf(context.rank(), round));
    MPI_Request requests[2];
    MPI_Isend(data.data(), static_cast<int>(size), MPI_BYTE, to, round, context.comm(), &requests[0]);
    Found held = find(context, path.probe, from, round);
    MPI_Issend(data.data(), static_cast<int>(size), MPI_BYTE, to, round, context.comm(), &requests[1]);
    Found second = find(context, path.probe, from, round);
    receiveData(context, path, from, round, second, size, seedOf(from, round));
    receiveData(context, path, from, round, held, size, seedOf(from, round));
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

} // namespace

void addLifeCases(Registry& registry) {
  for (const Path path : matchedPaths()) {
    const std::string prefix = "life." + name(path) + ".";
    const auto add = [&](const char* what, std::function<void(Context&)> body) {
      registry.add(prefix + what, {}, std::move(body));
    };
    add("outlives_communicator", [=](Context& context) { outlivesCommunicator(context, path); });
    add("reverse_order", [=](Context& context) { heldMany(context, path, 16, false); });
    add("shuffled_order", [=](Context& context) { heldMany(context, path, 200, true); });
    add("later_first", [=](Context& context) { laterFirst(context, path); });
    add("held_across_collectives", [=](Context& context) { heldAcrossCollectives(context, path); });
    add("two_communicators", [=](Context& context) { twoCommunicators(context, path); });
    add("held_while_sending", [=](Context& context) { heldWhileSending(context, path); });
  }
  for (const ProbeCall call : {ProbeCall::mprobe, ProbeCall::improbe})
    registry.add("life." + std::string(name(call)) + ".invisible", {},
                 [=](Context& context) { invisible(context, call); });
  registry.add("life.outlives_during_imrecv", {}, outlivesDuringImrecv);
  registry.add("life.handle_is_a_value", {}, handleIsAValue);
}

} // namespace mprobe
