// Several threads of each rank on one window: operations, flushes and requests at once.
#include "OneWindow.h"
#include "test/mpi/threads/Team.h"

using namespace onesided;

namespace {

constexpr int threads = 4;

void counters(Flavor flavor) {
  constexpr int rounds = 50;
  OneWindow<long> win(flavor, threads + 1);
  MPI_Win_lock_all(0, win);
  check::team(threads, [&](int thread) {
    const long one = 1;
    for (int i = 0; i < rounds; ++i) {
      const int rank = (i + thread) % check::size();
      long old = -1;
      MPI_Accumulate(&one, 1, MPI_LONG, rank, win.at(rank, thread), 1, MPI_LONG, MPI_SUM, win);
      MPI_Fetch_and_op(&one, &old, MPI_LONG, rank, win.at(rank, threads), MPI_SUM, win);
      MPI_Win_flush(rank, win);
      if (old < 0)
        CHECK(old >= 0);
    }
  });
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  long mine[2] = {0, win[threads]};
  for (int thread = 0; thread < threads; ++thread)
    mine[0] += win[thread];
  long all[2];
  MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  CHECK_EQ(all[0], static_cast<long>(threads) * rounds * check::size());
  CHECK_EQ(all[1], static_cast<long>(threads) * rounds * check::size());
}

void transfers(Flavor flavor) {
  constexpr int rounds = 30;
  constexpr int n = 700;
  OneWindow<int> win(flavor, threads * n);
  const int right = (check::rank() + 1) % check::size();
  MPI_Win_lock_all(0, win);
  check::team(threads, [&](int thread) {
    std::vector<int> out(n);
    std::vector<int> in(n);
    int wrong = 0;
    for (int i = 0; i < rounds; ++i) {
      for (int k = 0; k < n; ++k)
        out[static_cast<size_t>(k)] = (check::rank() * threads + thread) * 1000 + i + k;
      MPI_Put(out.data(), n, MPI_INT, right, win.at(right, thread * n), n, MPI_INT, win);
      MPI_Win_flush(right, win);
      if (i % 2 == 0) {
        MPI_Get(in.data(), n, MPI_INT, right, win.at(right, thread * n), n, MPI_INT, win);
        MPI_Win_flush_local(right, win);
      } else {
        MPI_Request request;
        MPI_Rget(in.data(), n, MPI_INT, right, win.at(right, thread * n), n, MPI_INT, win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
      wrong += in != out;
    }
    CHECK_EQ(wrong, 0);
  });
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
}

// Each thread has a window of its own, and messages go on meanwhile.
void windowsOfThreads(Flavor flavor) {
  std::vector<MPI_Comm> comms(threads);
  for (MPI_Comm& comm : comms)
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  check::team(threads, [&](int thread) {
    const MPI_Comm comm = comms[static_cast<size_t>(thread)];
    OneWindow<int> win(flavor, check::sizeOf(comm), comm);
    const int me = check::rankIn(comm);
    const int right = (me + 1) % check::sizeOf(comm);
    const int left = (me + check::sizeOf(comm) - 1) % check::sizeOf(comm);
    for (int i = 0; i < 10; ++i) {
      MPI_Win_fence(0, win);
      const int value = 100 * thread + i;
      MPI_Put(&value, 1, MPI_INT, right, win.at(right, me), 1, MPI_INT, win);
      int in = -1;
      MPI_Sendrecv(&value, 1, MPI_INT, right, i, &in, 1, MPI_INT, left, i, comm, MPI_STATUS_IGNORE);
      MPI_Win_fence(0, win);
      CHECK_EQ(in, value);
      CHECK_EQ(win[left], value);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  });
  for (MPI_Comm& comm : comms)
    MPI_Comm_free(&comm);
}

} // namespace

int main(int argc, char** argv) {
  check::initMultiple(&argc, &argv);
  return check::run(argc, argv,
                    {{"counters", [] { forEachFlavor(counters); }},
                     {"transfers", [] { forEachFlavor(transfers); }},
                     {"windows of threads", [] { forEachFlavor(windowsOfThreads); }}});
}
