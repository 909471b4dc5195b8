// Well-known patterns that matched probes are made for: messages of unknown size from anyone.
#include "test/mprobe/Calls.h"

#include <atomic>
#include <deque>
#include <numeric>
#include <sched.h>

namespace mprobe {
namespace {

constexpr int taskTag = 1;
constexpr int resultTag = 2;
constexpr int stopTag = 3;
constexpr int tasks = 300;

std::size_t lengthOf(std::uint32_t number) {
  return number % 50 == 11 ? 30000 + number : number % 400;
}

/// What a worker makes of a task: its length many numbers, whose sum the master checks.
std::vector<std::uint32_t> work(std::uint32_t number) {
  std::vector<std::uint32_t> result(lengthOf(number) + 1);
  std::iota(result.begin(), result.end(), number);
  return result;
}

/// Takes any result, of unknown size, and hands out the next task to its sender. Threads may share the work.
void master(Context& context, Path path, int threads) {
  std::atomic<std::uint32_t> next{0};
  std::atomic<int> results{0};
  std::vector<std::atomic<int>> seen(tasks);
  const auto give = [&](int worker) {
    const std::uint32_t task = next++;
    if (task < tasks)
      MPI_Send(&task, 1, MPI_UINT32_T, worker, taskTag, context.comm());
    else
      MPI_Send(nullptr, 0, MPI_UINT32_T, worker, stopTag, context.comm());
  };
  for (int worker = 1; worker < context.size(); ++worker)
    give(worker);
  const auto serve = [&](int) {
    while (results < tasks) {
      Found found;
      if (threads > 1) {
        // Another thread may take the last result, so that this one must not block.
        if (!look(context, ProbeCall::improbe, MPI_ANY_SOURCE, resultTag, context.comm(), found)) {
          sched_yield();
          continue;
        }
      } else {
        found = find(context, path.probe, MPI_ANY_SOURCE, resultTag);
      }
      int count = 0;
      MPI_Get_count(&found.status, MPI_UINT32_T, &count);
      const int worker = found.status.MPI_SOURCE;
      std::vector<std::uint32_t> result(static_cast<std::size_t>(count));
      context.ok(receive(context, path.receive, result.data(), count, MPI_UINT32_T, found, MPI_STATUS_IGNORE),
                 name(path.receive));
      if (context.check(count > 0 && result[0] < tasks, "a result of no task")) {
        context.check(result == work(result[0]), "the result is wrong");
        ++seen[result[0]];
      }
      ++results;
      give(worker);
    }
  };
  if (threads > 1)
    runThreads(threads, serve);
  else
    serve(0);
  for (const auto& count : seen)
    context.equal(count.load(), 1, "the number of results of a task");
}

void worker(Context& context) {
  for (;;) {
    std::uint32_t task = 0;
    MPI_Status status;
    MPI_Recv(&task, 1, MPI_UINT32_T, 0, MPI_ANY_TAG, context.comm(), &status);
    if (status.MPI_TAG == stopTag)
      return;
    const std::vector<std::uint32_t> result = work(task);
    MPI_Send(result.data(), static_cast<int>(result.size()), MPI_UINT32_T, 0, resultTag, context.comm());
  }
}

void workQueue(Context& context, Path path, int threads) {
  if (context.rank() == 0)
    master(context, path, threads);
  else
    worker(context);
}

/// Everyone sends to some others, who do not know how many or how much; synchronous sends tell the senders
/// when all was received, and a count over all ranks tells everyone when to stop.
void sparseExchange(Context& context, Path path) {
  for (int round = 0; round < 10; ++round) {
    std::vector<MPI_Request> requests;
    std::vector<Bytes> data;
    for (int to = 0; to < context.size(); ++to) {
      for (int k = 0; k < (context.rank() * 3 + to * 5 + round) % 4; ++k) {
        const std::size_t size =
            static_cast<std::size_t>((context.rank() * 7919 + to * 104729 + k * 31 + round) % 20000);
        data.push_back(makeData(size, size));
        requests.push_back(MPI_REQUEST_NULL);
        MPI_Issend(data.back().data(), static_cast<int>(size), MPI_BYTE, to, round, context.comm(),
                   &requests.back());
      }
    }
    int expected = 0;
    for (int from = 0; from < context.size(); ++from)
      expected += (from * 3 + context.rank() * 5 + round) % 4;
    int taken = 0;
    int open = 1;
    while (open > 0) {
      int mine = 1;
      // Look until the own sends are over: only then does this rank take part in the count.
      while (mine) {
        int done = 0;
        MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
        mine = done && taken == expected ? 0 : 1;
        Found found;
        if (!look(context, ProbeCall::improbe, MPI_ANY_SOURCE, round, context.comm(), found)) {
          sched_yield();
          continue;
        }
        int bytes = 0;
        MPI_Get_count(&found.status, MPI_BYTE, &bytes);
        Bytes buffer(static_cast<std::size_t>(bytes));
        context.ok(receive(context, path.receive, buffer.data(), bytes, MPI_BYTE, found, MPI_STATUS_IGNORE),
                   name(path.receive));
        context.check(isData(buffer.data(), buffer.size(), buffer.size()), "the data are wrong");
        ++taken;
      }
      MPI_Allreduce(&mine, &open, 1, MPI_INT, MPI_SUM, context.comm());
    }
    context.equal(taken, expected, "the number of messages taken");
  }
}

/// The token's length at the next hop: it grows, and begins anew when it is long.
std::size_t grown(std::size_t size) {
  return size < 1000000 ? size + size / 8 + 1 : 3;
}

/// A string grows on its way round the ring; nobody knows how long it is.
void growingRing(Context& context, Path path) {
  const int to = (context.rank() + 1) % context.size();
  const int from = (context.rank() + context.size() - 1) % context.size();
  Bytes token(3, 1);
  for (int round = 0; round < 60; ++round) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (context.rank() == 0)
      MPI_Isend(token.data(), static_cast<int>(token.size()), MPI_BYTE, to, round, context.comm(), &request);
    Found found = find(context, path.probe, from, round);
    int bytes = 0;
    MPI_Get_count(&found.status, MPI_BYTE, &bytes);
    Bytes received(static_cast<std::size_t>(bytes));
    context.ok(receive(context, path.receive, received.data(), bytes, MPI_BYTE, found, MPI_STATUS_IGNORE),
               name(path.receive));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    token = received;
    token.resize(grown(token.size()), static_cast<unsigned char>(round));
    if (context.rank() != 0)
      MPI_Send(token.data(), static_cast<int>(token.size()), MPI_BYTE, to, round, context.comm());
  }
  std::size_t size = 3;
  for (int round = 0; round < 60; ++round)
    for (int hop = 0; hop < context.size(); ++hop)
      size = grown(size);
  if (context.rank() == 0)
    context.equal(token.size(), size, "the length of the token at last");
}

/// Requests of unknown size come in while a rank waits for the answer to its own.
void serverAndClient(Context& context, Path path) {
  constexpr int calls = 100;
  constexpr int callTag = 11;
  constexpr int answerTag = 12;
  constexpr int doneTag = 13;
  int answered = 0;
  int done = 0;
  int asked = 0;
  std::vector<int> question;
  // Blocking sends of a rank to itself, or of two ranks to each other, would need the library's buffers.
  std::deque<int> answers;
  std::vector<MPI_Request> sends;
  MPI_Request pending = MPI_REQUEST_NULL;
  // Others are served while the question is on its way, so that two ranks may ask each other.
  const auto ask = [&] {
    question.assign(static_cast<std::size_t>(asked * 17 % 3000 + 1), context.rank());
    MPI_Isend(question.data(), static_cast<int>(question.size()), MPI_INT,
              (context.rank() + 1 + asked) % context.size(), callTag, context.comm(), &pending);
    ++asked;
  };
  ask();
  while (answered < calls || done < context.size()) {
    Found found = find(context, path.probe, MPI_ANY_SOURCE, MPI_ANY_TAG);
    int count = 0;
    MPI_Get_count(&found.status, MPI_INT, &count);
    std::vector<int> data(static_cast<std::size_t>(count));
    const int source = found.status.MPI_SOURCE;
    const int tag = found.status.MPI_TAG;
    context.ok(receive(context, path.receive, data.data(), count, MPI_INT, found, MPI_STATUS_IGNORE),
               name(path.receive));
    if (tag == callTag) {
      const int sum = std::accumulate(data.begin(), data.end(), 0);
      context.equal(sum, source * count, "the sum of a question");
      answers.push_back(count);
      sends.push_back(MPI_REQUEST_NULL);
      MPI_Isend(&answers.back(), 1, MPI_INT, source, answerTag, context.comm(), &sends.back());
    } else if (tag == answerTag) {
      MPI_Wait(&pending, MPI_STATUS_IGNORE);
      context.equal(data[0], static_cast<int>(question.size()), "the answer");
      ++answered;
      if (asked < calls) {
        ask();
      } else {
        for (int to = 0; to < context.size(); ++to) {
          sends.push_back(MPI_REQUEST_NULL);
          MPI_Isend(nullptr, 0, MPI_INT, to, doneTag, context.comm(), &sends.back());
        }
      }
    } else {
      ++done;
    }
  }
  MPI_Waitall(static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE);
}

} // namespace

void addWorkQueueCases(Registry& registry) {
  for (const Path path : matchedPaths())
    registry.add("pattern.work_queue." + name(path), {2, 4},
                 [=](Context& context) { workQueue(context, path, 1); });
  for (int threads = 2; threads <= 4; ++threads)
    registry.add("pattern.work_queue.threads_" + std::to_string(threads), {2, 3, MPI_THREAD_MULTIPLE},
                 [=](Context& context) {
                   workQueue(context, {ProbeCall::improbe, ReceiveCall::mrecv}, threads);
                 });
  for (const Path path :
       {Path{ProbeCall::mprobe, ReceiveCall::mrecv}, Path{ProbeCall::improbe, ReceiveCall::imrecv}}) {
    registry.add("pattern.sparse_exchange." + std::string(name(path.receive)), {},
                 [=](Context& context) { sparseExchange(context, path); });
    registry.add("pattern.growing_ring." + name(path), {2, 4},
                 [=](Context& context) { growingRing(context, path); });
    registry.add("pattern.server_and_client." + name(path), {},
                 [=](Context& context) { serverAndClient(context, path); });
  }
}

} // namespace mprobe
