// Threads that wait at once: on different requests, in a receive that another thread's send to the same
// process ends, in probes; and requests that are made and completed by different threads (MPI 4.1, 11.6.1).
#include "test/mpi/threads/Team.h"

#include <condition_variable>
#include <deque>
#include <mutex>

using namespace check;

namespace {

// One thread is blocked in a receive, another sends to the same process (11.6.1: a blocked call blocks its
// thread only).
void selfFromOtherThread() {
  for (int bytes : {0, 8, 5000, 300000})
    for (MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
      const int me = rankIn(comm);
      Guarded in(static_cast<std::size_t>(bytes));
      Guarded out(static_cast<std::size_t>(bytes));
      out.fillWith(4);
      for (int round = 0; round < 10; ++round) {
        in.clear();
        team(2, [&](int thread) {
          if (thread == 0)
            MPI_Recv(in.data(), bytes, MPI_BYTE, me, 3, comm, MPI_STATUS_IGNORE);
          else
            MPI_Ssend(out.data(), bytes, MPI_BYTE, me, 3, comm);
        });
        CHECK_EQ(in.wrongAt(4), in.bytes());
      }
    }
}

// Four threads wait for four messages that come in reverse order.
void differentRequests() {
  constexpr int threads = 4;
  const ReturningComm other;
  for (int round = 0; round < 50; ++round) {
    int in[threads] = {-1, -1, -1, -1};
    MPI_Request requests[threads];
    for (int i = 0; i < threads; ++i)
      MPI_Irecv(&in[i], 1, MPI_INT, left(), i, MPI_COMM_WORLD, &requests[i]);
    MPI_Barrier(other);
    std::thread sender([&] {
      for (int i = threads - 1; i >= 0; --i) {
        const int out = round * 10 + i;
        MPI_Send(&out, 1, MPI_INT, right(), i, MPI_COMM_WORLD);
      }
    });
    team(threads, [&](int thread) {
      MPI_Status status;
      if (round % 3 == 0) {
        MPI_Wait(&requests[thread], &status);
      } else if (round % 3 == 1) {
        int done = 0;
        while (!done)
          MPI_Test(&requests[thread], &done, &status);
      } else {
        int index = -1;
        MPI_Waitany(1, &requests[thread], &index, &status);
        CHECK_EQ(index, 0);
      }
      // The status was complete before the request looked complete.
      CHECK_EQ(status.MPI_SOURCE, left());
      CHECK_EQ(status.MPI_TAG, thread);
      CHECK_EQ(in[thread], round * 10 + thread);
      CHECK(requests[thread] == MPI_REQUEST_NULL);
    });
    sender.join();
  }
}

// One thread starts receives and sends, another completes them.
void madeAndCompletedApart() {
  constexpr int many = 300;
  struct Work {
    int in = -1;
    int out = 0;
    MPI_Request requests[2];
  };
  std::vector<Work> works(many);
  std::deque<int> queue;
  std::mutex mutex;
  std::condition_variable more;
  team(2, [&](int thread) {
    for (int i = 0; i < many; ++i) {
      if (thread == 0) {
        works[i].out = rank() * 10000 + i;
        MPI_Irecv(&works[i].in, 1, MPI_INT, left(), i, MPI_COMM_WORLD, &works[i].requests[0]);
        MPI_Isend(&works[i].out, 1, MPI_INT, right(), i, MPI_COMM_WORLD, &works[i].requests[1]);
        const std::lock_guard<std::mutex> lock(mutex);
        queue.push_back(i);
        more.notify_one();
      } else {
        std::unique_lock<std::mutex> lock(mutex);
        more.wait(lock, [&] { return !queue.empty(); });
        const int next = queue.front();
        queue.pop_front();
        lock.unlock();
        MPI_Waitall(2, works[next].requests, MPI_STATUSES_IGNORE);
        CHECK_EQ(works[next].in, left() * 10000 + next);
      }
    }
  });
}

// Threads race for messages by Improbe: every message is matched exactly once.
void improbeRace() {
  constexpr int threads = 4;
  constexpr int many = 1000;
  const ReturningComm comm;
  std::vector<std::atomic<int>> seen(many);
  for (std::atomic<int>& each : seen)
    each = 0;
  std::atomic<int> left1{many};
  std::thread sender([&] {
    for (int i = 0; i < many; ++i)
      MPI_Send(&i, 1, MPI_INT, right(), i % 3, comm);
  });
  team(threads, [&](int thread) {
    while (left1 > 0) {
      MPI_Message message;
      MPI_Status status;
      int found = 0;
      MPI_Improbe(thread % 2 ? MPI_ANY_SOURCE : left(), MPI_ANY_TAG, comm, &found, &message, &status);
      if (!found) {
        std::this_thread::yield();
        continue;
      }
      int value = -1;
      MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
      if (CHECK(value >= 0 && value < many)) {
        CHECK_EQ(value % 3, status.MPI_TAG);
        ++seen[static_cast<std::size_t>(value)];
      }
      --left1;
    }
  });
  sender.join();
  for (const std::atomic<int>& each : seen)
    CHECK_EQ(each.load(), 1);
}

// Iprobe in some threads while others receive by name: probes see what is there and disturb nothing.
void iprobeBesideReceives() {
  const ReturningComm comm;
  std::atomic<bool> stop{false};
  team(4, [&](int thread) {
    if (thread < 2) {
      for (int i = 0; i < 300; ++i) {
        const int out = thread * 1000 + i;
        int in = -1;
        MPI_Sendrecv(&out, 1, MPI_INT, right(), thread, &in, 1, MPI_INT, left(), thread, comm,
                     MPI_STATUS_IGNORE);
        CHECK_EQ(in, thread * 1000 + i);
      }
      if (thread == 0)
        stop = true;
    } else {
      while (!stop) {
        int found = 0;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, thread == 2 ? MPI_ANY_TAG : 1, comm, &found, &status);
        if (found) {
          CHECK_EQ(status.MPI_SOURCE, left());
          CHECK(status.MPI_TAG == 0 || status.MPI_TAG == 1);
        }
        std::this_thread::yield();
      }
    }
  });
}

// One thread waits in MPI_Probe, another in MPI_Mprobe, for different tags, while the main thread exchanges
// messages.
void blockedProbes() {
  const ReturningComm comm;
  team(3, [&](int thread) {
    MPI_Status status;
    int in = -1;
    if (thread == 1) {
      MPI_Probe(MPI_ANY_SOURCE, 71, comm, &status);
      MPI_Recv(&in, 1, MPI_INT, status.MPI_SOURCE, 71, comm, MPI_STATUS_IGNORE);
      CHECK_EQ(in, 710);
    } else if (thread == 2) {
      MPI_Message message;
      MPI_Mprobe(left(), 72, comm, &message, &status);
      MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
      CHECK_EQ(in, 720);
    } else {
      for (int i = 0; i < 50; ++i) {
        MPI_Sendrecv(&i, 1, MPI_INT, right(), 70, &in, 1, MPI_INT, left(), 70, comm, MPI_STATUS_IGNORE);
        CHECK_EQ(in, i);
      }
      const int first = 710;
      const int second = 720;
      MPI_Send(&second, 1, MPI_INT, right(), 72, comm);
      MPI_Send(&first, 1, MPI_INT, right(), 71, comm);
    }
  });
}

// A blocked thread must not hold up others that only test and start.
void blockedBesideBusy() {
  const ReturningComm comm;
  std::atomic<int> rounds{0};
  team(2, [&](int thread) {
    if (thread == 1) {
      int in = -1;
      MPI_Recv(&in, 1, MPI_INT, rank(), 81, comm, MPI_STATUS_IGNORE);
      CHECK_EQ(in, 500);
    } else {
      for (int i = 0; i < 500; ++i) {
        int in = -1;
        MPI_Request request;
        int done = 0;
        MPI_Irecv(&in, 1, MPI_INT, left(), 80, comm, &request);
        MPI_Send(&i, 1, MPI_INT, right(), 80, comm);
        while (!done)
          MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        CHECK_EQ(in, i);
        ++rounds;
      }
      const int out = rounds;
      MPI_Send(&out, 1, MPI_INT, rank(), 81, comm);
    }
  });
}

} // namespace

int main(int argc, char** argv) {
  initMultiple(&argc, &argv);
  return run(argc, argv,
             {{"self-from-other-thread", selfFromOtherThread},
              {"different-requests", differentRequests},
              {"made-and-completed-apart", madeAndCompletedApart},
              {"improbe-race", improbeRace},
              {"iprobe-beside-receives", iprobeBesideReceives},
              {"blocked-probes", blockedProbes},
              {"blocked-beside-busy", blockedBesideBusy}});
}
