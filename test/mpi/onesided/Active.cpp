// Fences with assertions, and post, start, complete, wait, test.
#include "OneWindow.h"

using namespace onesided;

namespace {

class RanksOf {
public:
  explicit RanksOf(const std::vector<int>& ranks) {
    MPI_Group world;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, static_cast<int>(ranks.size()), ranks.data(), &group_);
    MPI_Group_free(&world);
  }
  ~RanksOf() {
    if (group_ != MPI_GROUP_EMPTY)
      MPI_Group_free(&group_);
  }
  RanksOf(const RanksOf&) = delete;
  RanksOf& operator=(const RanksOf&) = delete;
  operator MPI_Group() const { return group_; }

private:
  MPI_Group group_ = MPI_GROUP_EMPTY;
};

void fences(Flavor flavor) {
  OneWindow<int> win(flavor, check::size());
  const int me = check::rank();
  const int right = (me + 1) % check::size();
  MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSTORE, win);
  for (int i = 0; i < 50; ++i) {
    const int value = 100 * i + me;
    MPI_Put(&value, 1, MPI_INT, right, win.at(right, me), 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    const int left = (me + check::size() - 1) % check::size();
    CHECK_EQ(win[left], 100 * i + left);
    MPI_Win_fence(MPI_MODE_NOSTORE, win);
  }
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

// Each rank exposes to its left neighbour and accesses its right one, several times in a row.
void neighbours(Flavor flavor) {
  const int me = check::rank();
  const int ranks = check::size();
  const int right = (me + 1) % ranks;
  const int left = (me + ranks - 1) % ranks;
  OneWindow<int> win(flavor, 8);
  const RanksOf origins({left});
  const RanksOf targets({right});
  for (int i = 0; i < 30; ++i) {
    const int value = i * 1000 + me;
    int old = -1;
    win[5] = i;
    MPI_Win_post(origins, i % 2 ? MPI_MODE_NOSTORE : 0, win);
    MPI_Win_start(targets, 0, win);
    MPI_Put(&value, 1, MPI_INT, right, win.at(right, i % 4), 1, MPI_INT, win);
    MPI_Get(&old, 1, MPI_INT, right, win.at(right, 5), 1, MPI_INT, win);
    MPI_Accumulate(&value, 1, MPI_INT, right, win.at(right, 6), 1, MPI_INT, MPI_REPLACE, win);
    MPI_Win_complete(win);
    CHECK_EQ(old, i);
    if (i % 3 == 0) {
      int flag = 0;
      while (!flag)
        MPI_Win_test(win, &flag);
    } else {
      MPI_Win_wait(win);
    }
    CHECK_EQ(win[i % 4], i * 1000 + left);
    CHECK_EQ(win[6], i * 1000 + left);
  }
}

// One exposes, all others access; then the other way round.
void manyToOne(Flavor flavor) {
  const int me = check::rank();
  const int ranks = check::size();
  OneWindow<int> win(flavor, ranks);
  std::vector<int> others;
  for (int rank = 1; rank < ranks; ++rank)
    others.push_back(rank);
  if (others.empty())
    return;
  const RanksOf rest(others);
  const RanksOf first({0});
  for (int i = 0; i < 10; ++i) {
    if (me == 0) {
      MPI_Win_post(rest, 0, win);
      MPI_Win_wait(win);
      for (int rank = 1; rank < ranks; ++rank)
        CHECK_EQ(win[rank], i + rank);
      MPI_Win_start(rest, 0, win);
      for (int rank = 1; rank < ranks; ++rank)
        MPI_Put(&i, 1, MPI_INT, rank, win.at(rank, 0), 1, MPI_INT, win);
      MPI_Win_complete(win);
    } else {
      const int value = i + me;
      MPI_Win_start(first, 0, win);
      MPI_Put(&value, 1, MPI_INT, 0, win.at(0, me), 1, MPI_INT, win);
      MPI_Win_complete(win);
      MPI_Win_post(first, 0, win);
      MPI_Win_wait(win);
      CHECK_EQ(win[0], i);
    }
  }
}

void emptyGroups(Flavor flavor) {
  OneWindow<int> win(flavor, 1);
  MPI_Win_post(MPI_GROUP_EMPTY, 0, win);
  MPI_Win_start(MPI_GROUP_EMPTY, 0, win);
  MPI_Win_complete(win);
  int flag = 0;
  MPI_Win_test(win, &flag);
  CHECK_EQ(flag, 1);
}

// All kinds of epoch one after the other on one window.
void mixedEpochs(Flavor flavor) {
  const int me = check::rank();
  const int ranks = check::size();
  const int right = (me + 1) % ranks;
  const int left = (me + ranks - 1) % ranks;
  OneWindow<int> win(flavor, 4);
  const RanksOf origins({left});
  const RanksOf targets({right});
  for (int i = 0; i < 5; ++i) {
    const int value = 10 * i + me;
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_INT, right, win.at(right, 0), 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK_EQ(win[0], 10 * i + left);
    MPI_Win_post(origins, 0, win);
    MPI_Win_start(targets, 0, win);
    MPI_Put(&value, 1, MPI_INT, right, win.at(right, 1), 1, MPI_INT, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    CHECK_EQ(win[1], 10 * i + left);
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
    MPI_Put(&value, 1, MPI_INT, right, win.at(right, 2), 1, MPI_INT, win);
    MPI_Win_unlock(right, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    MPI_Put(&value, 1, MPI_INT, right, win.at(right, 3), 1, MPI_INT, win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_EQ(win[2], 10 * i + left);
    CHECK_EQ(win[3], 10 * i + left);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

// Windows of one communicator do not get in each other's way, nor in that of the program's messages.
void severalWindows(Flavor flavor) {
  const int me = check::rank();
  const int ranks = check::size();
  const int right = (me + 1) % ranks;
  const int left = (me + ranks - 1) % ranks;
  OneWindow<int> first(flavor, 1);
  OneWindow<int> second(flavor, 1);
  const int values[3] = {me + 1, me + 100, me + 1000};
  int received = 0;
  MPI_Request request;
  MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  MPI_Win_fence(0, first);
  MPI_Win_lock(MPI_LOCK_SHARED, right, 0, second);
  MPI_Put(&values[0], 1, MPI_INT, right, first.at(right, 0), 1, MPI_INT, first);
  MPI_Put(&values[1], 1, MPI_INT, right, second.at(right, 0), 1, MPI_INT, second);
  MPI_Win_unlock(right, second);
  MPI_Win_fence(0, first);
  MPI_Send(&values[2], 1, MPI_INT, right, 5, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK_EQ(first[0], left + 1);
  CHECK_EQ(second[0], left + 100);
  CHECK_EQ(received, left + 1000);
  MPI_Barrier(MPI_COMM_WORLD);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return check::run(argc, argv,
                    {{"fences", [] { forEachFlavor(fences); }},
                     {"neighbours", [] { forEachFlavor(neighbours); }},
                     {"many to one", [] { forEachFlavor(manyToOne); }},
                     {"empty groups", [] { forEachFlavor(emptyGroups); }},
                     {"mixed epochs", [] { forEachFlavor(mixedEpochs); }},
                     {"several windows", [] { forEachFlavor(severalWindows); }}});
}
