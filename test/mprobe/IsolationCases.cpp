// Communicators do not see each other's messages, and nobody sees the library's own.
#include "test/mprobe/Calls.h"

#include <numeric>

namespace mprobe {
namespace {

ReceiveCall receiveFor(ProbeCall call) {
  return isMatching(call) ? ReceiveCall::mrecv : ReceiveCall::recv;
}

/// Looks with all wildcards; nothing may be there.
bool nothingThere(Context& context, MPI_Comm comm) {
  Found found;
  for (const ProbeCall call : {ProbeCall::iprobe, ProbeCall::improbe})
    if (!context.check(!look(context, call, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, found),
                       "found source " + std::to_string(found.status.MPI_SOURCE) + ", tag " +
                           std::to_string(found.status.MPI_TAG) + " that no user sent here"))
      return false;
  return true;
}

/// The same source and tag on a communicator and on its copy.
void copiesApart(Context& context, ProbeCall call) {
  MPI_Comm copy;
  MPI_Comm_dup(context.comm(), &copy);
  const int first = 1;
  const int second = 2;
  MPI_Request requests[2];
  MPI_Isend(&second, 1, MPI_INT, 0, 4, copy, &requests[0]);
  if (context.rank() == 0) {
    for (int source = 0; source < context.size(); ++source)
      find(context, ProbeCall::probe, source, 4, copy);
    nothingThere(context, context.comm());
  }
  context.barrier();
  MPI_Isend(&first, 1, MPI_INT, 0, 4, context.comm(), &requests[1]);
  for (int source = 0; context.rank() == 0 && source < context.size(); ++source) {
    for (const MPI_Comm comm : {context.comm(), copy}) {
      Found found = find(context, call, source, MPI_ANY_TAG, comm);
      int value = -1;
      context.ok(receive(context, receiveFor(call), &value, 1, MPI_INT, found, MPI_STATUS_IGNORE),
                 "the receive");
      context.equal(value, comm == copy ? 2 : 1, "the value received");
    }
  }
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  context.barrier();
  nothingThere(context, context.comm());
  nothingThere(context, copy);
  MPI_Comm_free(&copy);
}

/// Sources are ranks of the communicator that was asked, not of the world.
void ranksOfTheSplit(Context& context, ProbeCall call) {
  MPI_Comm reversed;
  MPI_Comm_split(context.comm(), 0, -context.rank(), &reversed);
  int rank = -1;
  MPI_Comm_rank(reversed, &rank);
  context.equal(rank, context.size() - 1 - context.rank(), "the rank in the reversed communicator");
  const int mine = context.rank();
  MPI_Request request;
  MPI_Isend(&mine, 1, MPI_INT, 0, 4, reversed, &request);
  for (int source = 0; rank == 0 && source < context.size(); ++source) {
    Found found = find(context, call, source, 4, reversed);
    context.statusIs(found.status, source, 4, sizeof(int));
    int value = -1;
    MPI_Status status{};
    context.ok(receive(context, receiveFor(call), &value, 1, MPI_INT, found, &status), "the receive");
    context.statusIs(status, source, 4, sizeof(int));
    context.equal(value, context.size() - 1 - source, "the value received");
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&reversed);
}

/// Ranks of two halves probe in their own half only.
void halvesApart(Context& context, ProbeCall call) {
  MPI_Comm half;
  MPI_Comm_split(context.comm(), context.rank() % 2, context.rank(), &half);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(half, &rank);
  MPI_Comm_size(half, &size);
  const int mine = context.rank() % 2;
  std::vector<MPI_Request> requests(static_cast<std::size_t>(size));
  for (int to = 0; to < size; ++to)
    MPI_Isend(&mine, 1, MPI_INT, to, 4, half, &requests[static_cast<std::size_t>(to)]);
  for (int i = 0; i < size; ++i) {
    Found found = find(context, call, MPI_ANY_SOURCE, MPI_ANY_TAG, half);
    int value = -1;
    context.ok(receive(context, receiveFor(call), &value, 1, MPI_INT, found, MPI_STATUS_IGNORE),
               "the receive");
    context.equal(value, mine, "the value received");
  }
  MPI_Waitall(size, requests.data(), MPI_STATUSES_IGNORE);
  context.barrier();
  nothingThere(context, half);
  MPI_Comm_free(&half);
}

/// MPI_COMM_SELF is a communicator of its own.
void selfApart(Context& context, ProbeCall call) {
  const int value = 5;
  MPI_Request request;
  MPI_Isend(&value, 1, MPI_INT, 0, 4, MPI_COMM_SELF, &request);
  for (int i = 0; i < 50; ++i)
    if (!nothingThere(context, context.comm()))
      break;
  Found found = find(context, call, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF);
  context.statusIs(found.status, 0, 4, sizeof(int));
  int got = 0;
  context.ok(receive(context, receiveFor(call), &got, 1, MPI_INT, found, MPI_STATUS_IGNORE), "the receive");
  context.equal(got, 5, "the value received");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/// Ranks come late to a collective, one after the other; while the others are in it, those that are not look.
void unseen(Context& context, const std::function<void(MPI_Comm, int, int)>& collective) {
  for (int late = 0; late < context.size(); ++late) {
    if (context.rank() == late) {
      // The others are on their way into the collective by now; enough looks for their messages to arrive.
      for (int i = 0; i < 3000; ++i)
        if (!nothingThere(context, context.comm()))
          break;
    }
    collective(context.comm(), context.rank(), context.size());
    nothingThere(context, context.comm());
  }
}

/// Messages that lie there before a collective are still there after it, and do not disturb it.
void pendingAcross(Context& context, const std::function<void(MPI_Comm, int, int)>& collective) {
  const std::size_t sizes[] = {4, 9000, 100000};
  MPI_Request requests[3];
  std::vector<Bytes> data;
  for (int i = 0; i < 3; ++i) {
    data.push_back(makeData(sizes[i], seedOf(context.rank(), i)));
    MPI_Isend(data.back().data(), static_cast<int>(sizes[i]), MPI_BYTE, 0, i, context.comm(), &requests[i]);
  }
  collective(context.comm(), context.rank(), context.size());
  for (int source = 0; context.rank() == 0 && source < context.size(); ++source)
    for (int i = 0; i < 3; ++i)
      takeData(context, {ProbeCall::improbe, ReceiveCall::mrecv}, source, i, sizes[i], seedOf(source, i));
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
}

using Numbers = std::vector<int>;

Numbers filled(int count, int value) {
  return Numbers(static_cast<std::size_t>(count), value);
}

void addCollective(Registry& registry, const char* what,
                   const std::function<void(MPI_Comm, int, int)>& collective) {
  registry.add(std::string("isolation.unseen_") + what, {2, 4},
               [=](Context& context) { unseen(context, collective); });
  registry.add(std::string("isolation.pending_across_") + what, {},
               [=](Context& context) { pendingAcross(context, collective); });
}

void addCollectives(Registry& registry) {
  constexpr int many = 20000;
  addCollective(registry, "barrier", [](MPI_Comm comm, int, int) { MPI_Barrier(comm); });
  addCollective(registry, "bcast", [](MPI_Comm comm, int, int size) {
    Numbers numbers = filled(many, 1);
    for (int root = 0; root < size; ++root) {
      MPI_Bcast(numbers.data(), 1, MPI_INT, root, comm);
      MPI_Bcast(numbers.data(), many, MPI_INT, root, comm);
    }
  });
  addCollective(registry, "reduce", [](MPI_Comm comm, int, int size) {
    const Numbers numbers = filled(many, 1);
    Numbers sums(numbers.size());
    MPI_Reduce(numbers.data(), sums.data(), 1, MPI_INT, MPI_SUM, 0, comm);
    MPI_Reduce(numbers.data(), sums.data(), many, MPI_INT, MPI_SUM, size - 1, comm);
  });
  addCollective(registry, "allreduce", [](MPI_Comm comm, int, int) {
    const Numbers numbers = filled(many, 1);
    Numbers sums(numbers.size());
    MPI_Allreduce(numbers.data(), sums.data(), 1, MPI_INT, MPI_SUM, comm);
    MPI_Allreduce(numbers.data(), sums.data(), many, MPI_INT, MPI_SUM, comm);
  });
  addCollective(registry, "gather", [](MPI_Comm comm, int, int size) {
    const Numbers numbers = filled(many, 1);
    Numbers all(numbers.size() * static_cast<std::size_t>(size));
    MPI_Gather(numbers.data(), 1, MPI_INT, all.data(), 1, MPI_INT, 0, comm);
    MPI_Gather(numbers.data(), many, MPI_INT, all.data(), many, MPI_INT, size - 1, comm);
  });
  addCollective(registry, "scatter", [](MPI_Comm comm, int, int size) {
    const Numbers all = filled(many * size, 1);
    Numbers numbers(static_cast<std::size_t>(many));
    MPI_Scatter(all.data(), 1, MPI_INT, numbers.data(), 1, MPI_INT, 0, comm);
    MPI_Scatter(all.data(), many, MPI_INT, numbers.data(), many, MPI_INT, size - 1, comm);
  });
  addCollective(registry, "allgather", [](MPI_Comm comm, int, int size) {
    const Numbers numbers = filled(many, 1);
    Numbers all(numbers.size() * static_cast<std::size_t>(size));
    MPI_Allgather(numbers.data(), 1, MPI_INT, all.data(), 1, MPI_INT, comm);
    MPI_Allgather(numbers.data(), many, MPI_INT, all.data(), many, MPI_INT, comm);
  });
  addCollective(registry, "alltoall", [](MPI_Comm comm, int, int size) {
    const Numbers numbers = filled(many * size, 1);
    Numbers all(numbers.size());
    MPI_Alltoall(numbers.data(), 1, MPI_INT, all.data(), 1, MPI_INT, comm);
    MPI_Alltoall(numbers.data(), many, MPI_INT, all.data(), many, MPI_INT, comm);
  });
  addCollective(registry, "comm_dup", [](MPI_Comm comm, int, int) {
    MPI_Comm copy;
    MPI_Comm_dup(comm, &copy);
    MPI_Comm_free(&copy);
  });
  addCollective(registry, "comm_split", [](MPI_Comm comm, int rank, int) {
    MPI_Comm part;
    MPI_Comm_split(comm, rank % 2, rank, &part);
    MPI_Comm_free(&part);
  });
}

} // namespace

void addIsolationCases(Registry& registry) {
  for (const ProbeCall call : allProbeCalls()) {
    const std::string prefix = "isolation." + std::string(name(call)) + ".";
    const auto add = [&](const char* what, void (*body)(Context&, ProbeCall)) {
      registry.add(prefix + what, {}, [=](Context& context) { body(context, call); });
    };
    add("copies_apart", copiesApart);
    add("ranks_of_the_split", ranksOfTheSplit);
    add("halves_apart", halvesApart);
    add("self_apart", selfApart);
  }
  addCollectives(registry);
}

} // namespace mprobe
