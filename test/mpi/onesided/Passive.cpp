// Locks, flushes and request forms: exclusion, progress while the target computes, and completion.
#include "OneWindow.h"

using namespace onesided;

namespace {

// Read, add, write under an exclusive lock: nothing gets lost.
void exclusion(Flavor flavor) {
  constexpr int rounds = 40;
  OneWindow<int> win(flavor, 2);
  for (int i = 0; i < rounds; ++i) {
    const int rank = i % check::size();
    int values[2] = {-1, -1};
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    MPI_Get(values, 2, MPI_INT, rank, win.at(rank, 0), 2, MPI_INT, win);
    MPI_Win_flush(rank, win);
    CHECK_EQ(values[0], values[1]);
    ++values[0];
    ++values[1];
    MPI_Put(&values[0], 1, MPI_INT, rank, win.at(rank, 0), 1, MPI_INT, win);
    MPI_Win_flush_local(rank, win);
    MPI_Put(&values[1], 1, MPI_INT, rank, win.at(rank, 1), 1, MPI_INT, win);
    MPI_Win_unlock(rank, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, check::rank(), 0, win);
  int expected = 0;
  for (int i = 0; i < rounds; ++i)
    expected += i % check::size() == check::rank() ? check::size() : 0;
  CHECK_EQ(win[0], expected);
  CHECK_EQ(win[1], expected);
  MPI_Win_unlock(check::rank(), win);
}

// Readers share; writers come in between.
void sharedAndExclusive(Flavor flavor) {
  constexpr int rounds = 30;
  OneWindow<int> win(flavor, 4);
  const int me = check::rank();
  for (int i = 0; i < rounds; ++i) {
    int values[4] = {};
    if (me == 0) {
      for (int& value : values)
        value = i;
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
      for (int k = 0; k < 4; ++k)
        MPI_Put(&values[k], 1, MPI_INT, 0, win.at(0, k), 1, MPI_INT, win);
      MPI_Win_unlock(0, win);
    } else {
      MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
      MPI_Get(values, 4, MPI_INT, 0, win.at(0, 0), 4, MPI_INT, win);
      MPI_Win_unlock(0, win);
      CHECK_EQ(values[0], values[3]);
      CHECK_EQ(values[1], values[2]);
      CHECK_EQ(values[0], values[1]);
    }
  }
}

// The target does nothing but compute; the origin's operations complete meanwhile.
void targetComputes(Flavor flavor) {
  OneWindow<long> win(flavor, 4);
  const int me = check::rank();
  if (me == 0) {
    // Until the last origin has set the mark; no MPI call within.
    volatile long* mark = &win[3];
    const double begin = MPI_Wtime();
    while (*mark != check::size() - 1 && MPI_Wtime() - begin < 30)
      ;
    CHECK_EQ(static_cast<long>(*mark), static_cast<long>(check::size() - 1));
  } else {
    const long one = 1;
    long old = -1;
    const long mine = 40 + me;
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Put(&mine, 1, MPI_LONG, 0, win.at(0, 0), 1, MPI_LONG, win);
    MPI_Accumulate(&one, 1, MPI_LONG, 0, win.at(0, 1), 1, MPI_LONG, MPI_SUM, win);
    MPI_Win_flush(0, win);
    MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, win.at(0, 1), MPI_SUM, win);
    MPI_Win_flush(0, win);
    CHECK(old >= 1);
    MPI_Win_unlock(0, win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Accumulate(&one, 1, MPI_LONG, 0, win.at(0, 3), 1, MPI_LONG, MPI_SUM, win);
    MPI_Win_unlock(0, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

void lockAll(Flavor flavor) {
  const int ranks = check::size();
  const int me = check::rank();
  OneWindow<int> win(flavor, ranks);
  MPI_Win_lock_all(0, win);
  std::vector<int> values(static_cast<size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    values[static_cast<size_t>(rank)] = 100 * me + rank;
    MPI_Put(&values[static_cast<size_t>(rank)], 1, MPI_INT, rank, win.at(rank, me), 1, MPI_INT, win);
  }
  MPI_Win_flush_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(win);
  for (int rank = 0; rank < ranks; ++rank)
    CHECK_EQ(win[rank], 100 * rank + me);
  MPI_Win_flush_local_all(win);
  MPI_Win_unlock_all(win);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  int back = -1;
  MPI_Get(&back, 1, MPI_INT, ranks - 1, win.at(ranks - 1, me), 1, MPI_INT, win);
  MPI_Win_flush(ranks - 1, win);
  CHECK_EQ(back, 100 * me + ranks - 1);
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
}

// Several targets locked at once, and an epoch in which nothing happens.
void severalLocks(Flavor flavor) {
  OneWindow<int> win(flavor, check::size());
  const int me = check::rank();
  for (int rank = 0; rank < check::size(); ++rank)
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
  const int value = me + 1;
  for (int rank = 0; rank < check::size(); ++rank)
    MPI_Put(&value, 1, MPI_INT, rank, win.at(rank, me), 1, MPI_INT, win);
  for (int rank = check::size() - 1; rank >= 0; --rank)
    MPI_Win_unlock(rank, win);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  MPI_Win_unlock(0, win);
  MPI_Win_lock(MPI_LOCK_SHARED, MPI_PROC_NULL, 0, win);
  MPI_Win_unlock(MPI_PROC_NULL, win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, me, MPI_MODE_NOCHECK, win);
  for (int rank = 0; rank < check::size(); ++rank)
    CHECK_EQ(win[rank], rank + 1);
  MPI_Win_unlock(me, win);
  MPI_Barrier(MPI_COMM_WORLD);
}

void requests(Flavor flavor) {
  constexpr int n = 5000;
  OneWindow<int> win(flavor, 2 * n);
  const int me = check::rank();
  const int right = (me + 1) % check::size();
  std::vector<int> data(n);
  std::vector<int> back(n, -1);
  std::vector<int> old(n, -1);
  for (int i = 0; i < n; ++i)
    data[static_cast<size_t>(i)] = me + i;
  MPI_Win_lock_all(0, win);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  MPI_Rput(data.data(), n, MPI_INT, right, win.at(right, 0), n, MPI_INT, win, &request);
  MPI_Wait(&request, &status);
  CHECK(request == MPI_REQUEST_NULL);
  int cancelled = -1;
  MPI_Test_cancelled(&status, &cancelled);
  CHECK_EQ(cancelled, 0);
  MPI_Win_flush(right, win);
  MPI_Rget(back.data(), n, MPI_INT, right, win.at(right, 0), n, MPI_INT, win, &request);
  int done = 0;
  while (!done)
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  CHECK(back == data);
  MPI_Request several[3];
  MPI_Raccumulate(data.data(), n, MPI_INT, right, win.at(right, n), n, MPI_INT, MPI_SUM, win, &several[0]);
  MPI_Rget_accumulate(data.data(), n, MPI_INT, old.data(), n, MPI_INT, right, win.at(right, n), n, MPI_INT,
                      MPI_SUM, win, &several[1]);
  MPI_Rput(data.data(), 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win, &several[2]);
  MPI_Waitall(3, several, MPI_STATUSES_IGNORE);
  CHECK(old == data);
  MPI_Datatype every2;
  MPI_Type_vector(n / 2, 1, 2, MPI_INT, &every2);
  MPI_Type_commit(&every2);
  std::vector<int> gaps(n, -3);
  MPI_Rget(gaps.data(), 1, every2, right, win.at(right, n), n / 2, MPI_INT, win, &request);
  MPI_Type_free(&every2);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < n / 2; i += 97) {
    CHECK_EQ(gaps[static_cast<size_t>(2 * i)], 2 * (me + i));
    CHECK_EQ(gaps[static_cast<size_t>(2 * i + 1)], -3);
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
}

// Random single operations under random kinds of lock on memory that is this rank's own, with a model.
void randomEpochs(Flavor flavor) {
  constexpr int mine = 32;
  const int ranks = check::size();
  const int me = check::rank();
  OneWindow<int> win(flavor, mine * ranks);
  std::vector<std::vector<int>> model(static_cast<size_t>(ranks), std::vector<int>(mine, 0));
  Random random(static_cast<std::uint64_t>(31 + me + 1000 * static_cast<int>(flavor)));
  for (int epoch = 0; epoch < 40; ++epoch) {
    const int rank = random.below(ranks);
    std::vector<int>& there = model[static_cast<size_t>(rank)];
    const bool all = random.below(3) == 0;
    if (all)
      MPI_Win_lock_all(0, win);
    else
      MPI_Win_lock(random.below(2) ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, rank, 0, win);
    for (int i = 0; i < 6; ++i) {
      const int at = random.below(mine);
      const MPI_Aint disp = win.at(rank, me * mine + at);
      int& expected = there[static_cast<size_t>(at)];
      const int value = random.below(1000);
      int found = -1;
      switch (random.below(5)) {
      case 0:
        MPI_Put(&value, 1, MPI_INT, rank, disp, 1, MPI_INT, win);
        expected = value;
        break;
      case 1:
        MPI_Get(&found, 1, MPI_INT, rank, disp, 1, MPI_INT, win);
        MPI_Win_flush(rank, win);
        CHECK_EQ(found, expected);
        break;
      case 2:
        MPI_Accumulate(&value, 1, MPI_INT, rank, disp, 1, MPI_INT, MPI_SUM, win);
        expected += value;
        break;
      case 3:
        MPI_Fetch_and_op(&value, &found, MPI_INT, rank, disp, MPI_REPLACE, win);
        MPI_Win_flush(rank, win);
        CHECK_EQ(found, expected);
        expected = value;
        break;
      default: {
        const int guess = random.below(2) ? expected : -1;
        MPI_Compare_and_swap(&value, &guess, &found, MPI_INT, rank, disp, win);
        MPI_Win_flush(rank, win);
        CHECK_EQ(found, expected);
        if (guess == expected)
          expected = value;
      }
      }
      MPI_Win_flush(rank, win);
    }
    if (all)
      MPI_Win_unlock_all(win);
    else
      MPI_Win_unlock(rank, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

// Section 12.5.3: what is exposed may not be locked, but another process's part may be meanwhile.
void lockWhileExposed(Flavor flavor) {
  OneWindow<int> win(flavor, 1);
  MPI_Group world;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  const int first = 0, last = check::size() - 1;
  MPI_Group origin, target;
  MPI_Group_incl(world, 1, &last, &origin);
  MPI_Group_incl(world, 1, &first, &target);
  int value = 7;
  if (check::rank() == 0) {
    MPI_Win_post(origin, 0, win);
    CHECK_EQ(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, last, 0, win), MPI_SUCCESS);
    MPI_Put(&value, 1, MPI_INT, last, win.at(last, 0), 1, MPI_INT, win);
    CHECK_EQ(MPI_Win_unlock(last, win), MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_wait(win);
    CHECK_EQ(win[0], 8);
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (check::rank() == last) {
    MPI_Win_lock(MPI_LOCK_SHARED, last, 0, win);
    CHECK_EQ(win[0], 7);
    MPI_Win_unlock(last, win);
    value = 8;
    MPI_Win_start(target, 0, win);
    MPI_Put(&value, 1, MPI_INT, 0, win.at(0, 0), 1, MPI_INT, win);
    MPI_Win_complete(win);
  }
  MPI_Group_free(&origin);
  MPI_Group_free(&target);
  MPI_Group_free(&world);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return check::run(argc, argv,
                    {{"exclusion", [] { forEachFlavor(exclusion); }},
                     {"shared and exclusive", [] { forEachFlavor(sharedAndExclusive); }},
                     {"target computes", [] { forEachFlavor(targetComputes); }},
                     {"lock all", [] { forEachFlavor(lockAll); }},
                     {"several locks", [] { forEachFlavor(severalLocks); }},
                     {"requests", [] { forEachFlavor(requests); }},
                     {"lock while exposed", [] { forEachFlavor(lockWhileExposed); }, 2},
                     {"random epochs", [] { forEachFlavor(randomEpochs); }}});
}
