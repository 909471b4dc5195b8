// Collectives beside point-to-point traffic and beside one another: nothing of one is ever taken for the
// other (MPI 4.1, 6.14), and random sequences of collectives with random roots and lengths.
#include "test/mpi/coll/Reference.h"

using namespace check;

namespace {

// Wild receives are posted while collectives run; they get what was sent to them and nothing else.
void besideWildReceives() {
  onTestComms([](MPI_Comm comm) {
    const int me = rankIn(comm);
    const int ranks = sizeOf(comm);
    const int right = (me + 1) % ranks;
    const int left = (me + ranks - 1) % ranks;
    for (int round = 0; round < 10; ++round) {
      std::vector<int> in(5000, -1);
      MPI_Request request;
      MPI_Irecv(in.data(), 5000, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request);
      for (int count : {1, 100, 5000, 50000}) {
        const std::vector<int> mine = givenBy(me, count, round);
        std::vector<int> sum(static_cast<std::size_t>(count), -1);
        MPI_Allreduce(mine.data(), sum.data(), count, MPI_INT, MPI_MAX, comm);
        std::vector<int> data = me == 0 ? givenBy(0, count, round) : std::vector<int>(mine.size(), -1);
        MPI_Bcast(data.data(), count, MPI_INT, 0, comm);
        CHECK_EQ(differences(data, givenBy(0, count, round)), 0);
        std::vector<int> all(static_cast<std::size_t>(count * ranks), -1);
        MPI_Allgather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, comm);
        MPI_Barrier(comm);
      }
      int done = 1;
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      CHECK(!done);
      // Nobody sends before all have looked.
      MPI_Barrier(comm);
      const std::vector<int> out = givenBy(me, 5000, round + 50);
      MPI_Send(out.data(), 5000, MPI_INT, right, round, comm);
      MPI_Status status;
      MPI_Wait(&request, &status);
      CHECK_EQ(status.MPI_SOURCE, left);
      CHECK_EQ(status.MPI_TAG, round);
      CHECK_EQ(differences(in, givenBy(left, 5000, round + 50)), 0);
    }
  });
}

// Messages sent before a collective and received after it.
void acrossCollectives() {
  onTestComms([](MPI_Comm comm) {
    const int me = rankIn(comm);
    const int ranks = sizeOf(comm);
    for (int count : {1, 5000, 200000}) {
      const std::vector<int> out = givenBy(me, count);
      std::vector<int> in(static_cast<std::size_t>(count), -1);
      MPI_Request request;
      MPI_Isend(out.data(), count, MPI_INT, (me + 1) % ranks, 0, comm, &request);
      long sum = 0;
      const long one = 1;
      MPI_Allreduce(&one, &sum, 1, MPI_LONG, MPI_SUM, comm);
      CHECK_EQ(sum, ranks);
      std::vector<int> all(static_cast<std::size_t>(ranks), -1);
      MPI_Alltoall(std::vector<int>(static_cast<std::size_t>(ranks), me).data(), 1, MPI_INT, all.data(), 1,
                   MPI_INT, comm);
      for (int peer = 0; peer < ranks; ++peer)
        CHECK_EQ(all[static_cast<std::size_t>(peer)], peer);
      const int left = (me + ranks - 1) % ranks;
      MPI_Recv(in.data(), count, MPI_INT, left, 0, comm, MPI_STATUS_IGNORE);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      CHECK_EQ(differences(in, givenBy(left, count)), 0);
    }
  });
}

// Roots run ahead: many broadcasts in a row without any other synchronisation, with changing roots.
void runningAhead() {
  onTestComms([](MPI_Comm comm) {
    const int ranks = sizeOf(comm);
    for (int i = 0; i < 400; ++i) {
      int value = rankIn(comm) == i % ranks ? i : -1;
      MPI_Bcast(&value, 1, MPI_INT, i % ranks, comm);
      CHECK_EQ(value, i);
    }
    // All to one root, then from it: gathers may run ahead of the root.
    for (int i = 0; i < 200; ++i) {
      const int mine = rankIn(comm) * 1000 + i;
      std::vector<int> all(static_cast<std::size_t>(ranks), -1);
      MPI_Gather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, 0, comm);
      for (int from = 0; from < ranks && rankIn(comm) == 0; ++from)
        CHECK_EQ(all[static_cast<std::size_t>(from)], from * 1000 + i);
    }
  });
}

// A drawn sequence, the same on all ranks, on communicators drawn as well.
void randomSequence() {
  Random random(424242);
  std::vector<TestComm> comms = testComms();
  for (int step = 0; step < 400; ++step) {
    const TestComm& test = comms[static_cast<std::size_t>(random.below(static_cast<int>(comms.size())))];
    MPI_Comm comm = test.comm;
    const int me = rankIn(comm);
    const int ranks = sizeOf(comm);
    const int kind = random.below(7);
    const int draw = random.below(60);
    const int count = draw < 40 ? draw : draw < 55 ? draw * 50 : draw * 1000;
    const int root = random.below(1000) % ranks;
    state().current = "random-sequence step " + std::to_string(step) + " on " + test.name;
    std::vector<int> mine = givenBy(me, count, step);
    std::vector<int> result(static_cast<std::size_t>(count), -1);
    std::vector<int> wanted(static_cast<std::size_t>(count), 0);
    std::vector<int> all(static_cast<std::size_t>(count * ranks), -1);
    for (int from = 0; from < ranks; ++from)
      for (int i = 0; i < count; ++i)
        wanted[static_cast<std::size_t>(i)] += given(from + step * 100, i);
    switch (kind) {
    case 0:
      MPI_Barrier(comm);
      break;
    case 1:
      result = me == root ? mine : result;
      MPI_Bcast(result.data(), count, MPI_INT, root, comm);
      CHECK_EQ(differences(result, givenBy(root, count, step)), 0);
      break;
    case 2:
      MPI_Reduce(mine.data(), result.data(), count, MPI_INT, MPI_SUM, root, comm);
      if (me == root)
        CHECK_EQ(differences(result, wanted), 0);
      break;
    case 3:
      MPI_Allreduce(mine.data(), result.data(), count, MPI_INT, MPI_SUM, comm);
      CHECK_EQ(differences(result, wanted), 0);
      break;
    case 4:
      MPI_Gather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, root, comm);
      for (int from = 0; from < ranks && me == root; ++from)
        CHECK_EQ(differences(std::vector<int>(all.begin() + from * count, all.begin() + (from + 1) * count),
                             givenBy(from, count, step)),
                 0);
      break;
    case 5:
      MPI_Allgather(mine.data(), count, MPI_INT, all.data(), count, MPI_INT, comm);
      for (int from = 0; from < ranks; ++from)
        CHECK_EQ(differences(std::vector<int>(all.begin() + from * count, all.begin() + (from + 1) * count),
                             givenBy(from, count, step)),
                 0);
      break;
    default:
      for (int to = 0; to < ranks && me == root; ++to) {
        const std::vector<int> theirs = givenBy(to, count, step);
        std::copy(theirs.begin(), theirs.end(), all.begin() + to * count);
      }
      MPI_Scatter(all.data(), count, MPI_INT, result.data(), count, MPI_INT, root, comm);
      CHECK_EQ(differences(result, mine), 0);
    }
  }
  for (TestComm& test : comms)
    if (test.ours)
      MPI_Comm_free(&test.comm);
}

// MPI_COMM_SELF: every collective is a copy.
void self() {
  const std::vector<int> mine = givenBy(3, 1000);
  std::vector<int> out(1000, -1);
  MPI_Barrier(MPI_COMM_SELF);
  MPI_Allreduce(mine.data(), out.data(), 1000, MPI_INT, MPI_SUM, MPI_COMM_SELF);
  CHECK_EQ(differences(out, mine), 0);
  out.assign(1000, -1);
  MPI_Gather(mine.data(), 1000, MPI_INT, out.data(), 1000, MPI_INT, 0, MPI_COMM_SELF);
  CHECK_EQ(differences(out, mine), 0);
  out.assign(1000, -1);
  MPI_Alltoall(mine.data(), 1000, MPI_INT, out.data(), 1000, MPI_INT, MPI_COMM_SELF);
  CHECK_EQ(differences(out, mine), 0);
  MPI_Bcast(out.data(), 1000, MPI_INT, 0, MPI_COMM_SELF);
  MPI_Allreduce(MPI_IN_PLACE, out.data(), 1000, MPI_INT, MPI_PROD, MPI_COMM_SELF);
  CHECK_EQ(differences(out, mine), 0);
}

// MPI_Reduce's root gets sums with the in-place buffer at the root only; others' buffers are unchanged.
void inputsUnchanged() {
  onTestComms([](MPI_Comm comm) {
    for (int count : {3, 3000, 100000}) {
      const std::vector<int> before = givenBy(rankIn(comm), count);
      std::vector<int> mine = before;
      std::vector<int> out(static_cast<std::size_t>(count * sizeOf(comm)), -1);
      MPI_Reduce(mine.data(), out.data(), count, MPI_INT, MPI_SUM, 0, comm);
      MPI_Allreduce(mine.data(), out.data(), count, MPI_INT, MPI_SUM, comm);
      MPI_Gather(mine.data(), count, MPI_INT, out.data(), count, MPI_INT, 0, comm);
      MPI_Allgather(mine.data(), count, MPI_INT, out.data(), count, MPI_INT, comm);
      CHECK_EQ(differences(mine, before), 0);
    }
  });
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return run(argc, argv,
             {{"beside-wild-receives", besideWildReceives},
              {"across-collectives", acrossCollectives},
              {"running-ahead", runningAhead},
              {"random-sequence", randomSequence},
              {"self", self},
              {"inputs-unchanged", inputsUnchanged}});
}
