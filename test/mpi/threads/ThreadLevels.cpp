// The four levels of thread support (MPI 4.1, 11.6). The argument names the level that is asked for, or
// "init" for MPI_Init.
#include "test/mpi/threads/Team.h"

#include <mutex>

using namespace check;

namespace {

int wanted = MPI_THREAD_SINGLE;
int provided = -1;

void query() {
  int level = -1;
  MPI_Query_thread(&level);
  CHECK_EQ(level, provided);
  CHECK(level >= MPI_THREAD_SINGLE && level <= MPI_THREAD_MULTIPLE);
  CHECK(MPI_THREAD_SINGLE < MPI_THREAD_FUNNELED && MPI_THREAD_FUNNELED < MPI_THREAD_SERIALIZED &&
        MPI_THREAD_SERIALIZED < MPI_THREAD_MULTIPLE);
  int main = 0;
  MPI_Is_thread_main(&main);
  CHECK(main);
  // These two may be called from any thread at any level (11.6.2).
  int otherLevel = -1;
  int otherMain = 1;
  std::thread([&] {
    MPI_Query_thread(&otherLevel);
    MPI_Is_thread_main(&otherMain);
  }).join();
  CHECK_EQ(otherLevel, provided);
  CHECK(!otherMain);
}

void exchange(int round) {
  int in = -1;
  const int out = rank() * 1000 + round;
  MPI_Sendrecv(&out, 1, MPI_INT, right(), 1, &in, 1, MPI_INT, left(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK_EQ(in, left() * 1000 + round);
}

// Other threads compute while the main one communicates.
void funneled() {
  std::atomic<long> sum{0};
  std::atomic<bool> stop{false};
  std::thread worker([&] {
    while (!stop)
      sum += 1;
  });
  for (int round = 0; round < 200; ++round)
    exchange(round);
  stop = true;
  worker.join();
  CHECK(sum >= 0);
}

// The threads take turns: calls are never at the same time, but come from different threads.
void serialized() {
  if (provided < MPI_THREAD_SERIALIZED)
    return;
  std::mutex turn;
  int next = 0;
  team(3, [&](int thread) {
    for (int round = 0; round < 100;) {
      const std::lock_guard<std::mutex> lock(turn);
      if (next % 3 != thread) {
        std::this_thread::yield();
        continue;
      }
      exchange(next++);
      ++round;
    }
  });
  CHECK_EQ(next, 300);
}

// Requests that one thread starts and another completes.
void handedOver() {
  if (provided < MPI_THREAD_SERIALIZED)
    return;
  for (int round = 0; round < 50; ++round) {
    int in = -1;
    const int out = round;
    MPI_Request requests[2];
    MPI_Irecv(&in, 1, MPI_INT, left(), 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, right(), 2, MPI_COMM_WORLD, &requests[1]);
    std::thread([&] { MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); }).join();
    CHECK_EQ(in, round);
  }
}

} // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "init";
  argc = 1;
  if (name == "init") {
    MPI_Init(&argc, &argv);
    MPI_Query_thread(&provided);
  } else {
    wanted = name == "multiple"     ? MPI_THREAD_MULTIPLE
             : name == "serialized" ? MPI_THREAD_SERIALIZED
             : name == "funneled"   ? MPI_THREAD_FUNNELED
                                    : MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, wanted, &provided);
  }
  return run(
      argc, argv,
      {{"query", query}, {"funneled", funneled}, {"serialized", serialized}, {"handed-over", handedOver}});
}
