// Threads that pass messages and requests on, and threads that wait in a probe while others work.
#include "test/mprobe/Calls.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <thread>

namespace mprobe {
namespace {

/// A queue between threads.
template <class T> class Queue {
public:
  void push(T item) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      items_.push_back(std::move(item));
    }
    ready_.notify_one();
  }
  T pop() {
    std::unique_lock<std::mutex> lock(mutex_);
    ready_.wait(lock, [this] { return !items_.empty(); });
    T item = std::move(items_.front());
    items_.pop_front();
    return item;
  }

private:
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<T> items_;
};

constexpr int count = 400;

std::size_t sizeOf(int i) {
  return i % 20 == 3 ? 50000 : static_cast<std::size_t>(i % 700);
}

int nextOf(const Context& context) {
  return (context.rank() + 1) % context.size();
}

int previousOf(const Context& context) {
  return (context.rank() + context.size() - 1) % context.size();
}

void sendAll(Context& context) {
  for (int i = 0; i < count; ++i) {
    const Bytes data = makeData(sizeOf(i), seedOf(context.rank(), i));
    MPI_Request request;
    MPI_Isend(data.data(), static_cast<int>(data.size()), MPI_BYTE, nextOf(context), i, context.comm(),
              &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

/// One thread matches, others receive what it matched.
void matchedHereReceivedThere(Context& context, Path path, int receivers) {
  Queue<Found> queue;
  runThreads(receivers + 2, [&](int thread) {
    if (thread == 0) {
      sendAll(context);
    } else if (thread == 1) {
      for (int i = 0; i < count; ++i)
        queue.push(find(context, path.probe, previousOf(context), MPI_ANY_TAG));
      for (int i = 0; i < receivers; ++i)
        queue.push(Found());
    } else {
      for (Found found = queue.pop(); found.comm != MPI_COMM_NULL; found = queue.pop()) {
        const int tag = found.status.MPI_TAG;
        receiveData(context, path, previousOf(context), tag, found, sizeOf(tag),
                    seedOf(previousOf(context), tag));
      }
    }
  });
}

struct Started {
  MPI_Request request = MPI_REQUEST_NULL;
  int tag = -1;
  std::shared_ptr<Bytes> buffer;
};

/// One thread starts Imrecv, another one completes it, by Wait or by Test. The status is whole when the
/// request looks complete.
void startedHereCompletedThere(Context& context, bool testing) {
  Queue<Started> queue;
  runThreads(3, [&](int thread) {
    if (thread == 0) {
      sendAll(context);
    } else if (thread == 1) {
      for (int i = 0; i < count; ++i) {
        Found found = find(context, ProbeCall::improbe, MPI_ANY_SOURCE, MPI_ANY_TAG);
        Started started;
        started.tag = found.status.MPI_TAG;
        started.buffer = std::make_shared<Bytes>(sizeOf(started.tag));
        context.ok(MPI_Imrecv(started.buffer->data(), static_cast<int>(started.buffer->size()), MPI_BYTE,
                              &found.message, &started.request),
                   "MPI_Imrecv");
        queue.push(started);
      }
    } else {
      for (int i = 0; i < count; ++i) {
        Started started = queue.pop();
        MPI_Status status{};
        int flag = 0;
        if (testing)
          while (!flag)
            context.ok(MPI_Test(&started.request, &flag, &status), "MPI_Test");
        else
          context.ok(MPI_Wait(&started.request, &status), "MPI_Wait");
        context.statusIs(status, previousOf(context), started.tag,
                         static_cast<MPI_Count>(sizeOf(started.tag)));
        context.check(
            isData(started.buffer->data(), started.buffer->size(), seedOf(previousOf(context), started.tag)),
            "the data are wrong");
      }
    }
  });
}

/// A thread that waits in a probe holds nothing that others need: the message comes from another thread of
/// the same process.
void waitsForOwnProcess(Context& context, ProbeCall call) {
  for (int i = 0; i < 20; ++i) {
    std::atomic<bool> about{false};
    runThreads(2, [&](int thread) {
      if (thread == 0) {
        about = true;
        takeData(context, {call, isMatching(call) ? ReceiveCall::mrecv : ReceiveCall::recv}, context.rank(),
                 i, 100000, 5);
      } else {
        while (!about)
          std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(i % 4));
        const Bytes data = makeData(100000, 5);
        context.ok(MPI_Send(data.data(), 100000, MPI_BYTE, context.rank(), i, context.comm()), "MPI_Send");
      }
    });
  }
}

/// Several threads wait in Mprobe; messages come one by one, and each wakes one of them.
void severalWaiting(Context& context, int threads) {
  std::atomic<int> woken{0};
  runThreads(threads + 1, [&](int thread) {
    if (thread < threads) {
      Found found = find(context, ProbeCall::mprobe, MPI_ANY_SOURCE, 7);
      int value = -1;
      context.ok(receive(context, ReceiveCall::mrecv, &value, 1, MPI_INT, found, MPI_STATUS_IGNORE),
                 "MPI_Mrecv");
      context.check(value >= 0 && value < threads, "the value was never sent");
      ++woken;
    } else {
      for (int i = 0; i < threads; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
        context.ok(MPI_Send(&i, 1, MPI_INT, context.rank(), 7, context.comm()), "MPI_Send");
        while (woken <= i)
          std::this_thread::yield();
        context.equal(woken.load(), i + 1, "the number of threads that went on");
      }
    }
  });
}

/// While one thread waits in a probe for a message that comes last, others exchange with other ranks and do
/// collectives on another communicator.
void othersWorkMeanwhile(Context& context, ProbeCall call) {
  MPI_Comm comm;
  MPI_Comm_dup(context.comm(), &comm);
  runThreads(3, [&](int thread) {
    if (thread == 0) {
      takeData(context, {call, isMatching(call) ? ReceiveCall::mrecv : ReceiveCall::recv},
               previousOf(context), count, 10, 1);
    } else if (thread == 1) {
      for (int i = 0; i < 100; ++i) {
        int sum = 0;
        const int one = 1;
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
        context.equal(sum, context.size(), "the sum");
      }
    } else {
      for (int i = 0; i < count; ++i) {
        int value = -1;
        MPI_Sendrecv(&i, 1, MPI_INT, nextOf(context), i, &value, 1, MPI_INT, previousOf(context), i,
                     context.comm(), MPI_STATUS_IGNORE);
        context.equal(value, i, "the value received");
      }
      const Bytes data = makeData(10, 1);
      MPI_Send(data.data(), 10, MPI_BYTE, nextOf(context), count, context.comm());
    }
  });
  MPI_Comm_free(&comm);
}

/// One thread looks for what never comes; the others are not starved.
void lookerDoesNotStarve(Context& context, ProbeCall call) {
  std::atomic<bool> done{false};
  runThreads(3, [&](int thread) {
    if (thread == 0) {
      Found found;
      while (!done)
        if (!context.check(!look(context, call, MPI_ANY_SOURCE, 30000, context.comm(), found),
                           "found what was not sent"))
          break;
    } else if (thread == 1) {
      sendAll(context);
    } else {
      for (int i = 0; i < count; ++i)
        takeData(context, {ProbeCall::mprobe, ReceiveCall::mrecv}, previousOf(context), i, sizeOf(i),
                 seedOf(previousOf(context), i));
      done = true;
    }
  });
}

} // namespace

void addThreadHandoverCases(Registry& registry) {
  const Needs needs = {1, 2, MPI_THREAD_MULTIPLE};
  const auto add = [&](const std::string& what, std::function<void(Context&)> body) {
    registry.add("handover." + what, needs, std::move(body));
  };
  for (const Path path : matchedPaths())
    add(name(path) + ".received_by_another", [=](Context& context) {
      matchedHereReceivedThere(context, path, 1);
      matchedHereReceivedThere(context, path, 2);
    });
  add("imrecv.waited_for_by_another", [](Context& context) { startedHereCompletedThere(context, false); });
  add("imrecv.tested_by_another", [](Context& context) { startedHereCompletedThere(context, true); });
  for (const ProbeCall call : allProbeCalls()) {
    const std::string prefix = std::string(name(call)) + ".";
    add(prefix + "waits_for_own_process", [=](Context& context) { waitsForOwnProcess(context, call); });
    add(prefix + "others_work_meanwhile", [=](Context& context) { othersWorkMeanwhile(context, call); });
    if (call == ProbeCall::iprobe || call == ProbeCall::improbe)
      add(prefix + "looker_does_not_starve", [=](Context& context) { lookerDoesNotStarve(context, call); });
  }
  add("mprobe.several_waiting", [](Context& context) { severalWaiting(context, 4); });
}

} // namespace mprobe
