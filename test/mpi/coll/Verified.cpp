// MPL_CHECK=1: calls that do not match end with an error at all ranks, which names the one that differs.
#include "test/mpi/coll/Reference.h"

using namespace check;

namespace {

// The call fails at all ranks, with the class, and the text names the last rank.
void expect(int code, int wantedClass, const char* word) {
  CHECK_EQ(errorClass(code), wantedClass);
  const std::string text = errorString(code);
  const std::string name = "rank " + std::to_string(size() - 1) + " has";
  CHECK(text.find(name) != std::string::npos);
  CHECK(text.find(word) != std::string::npos);
}

bool isLast() {
  return rank() == size() - 1;
}

void kinds() {
  const ReturningComm comm;
  int value = 1;
  expect(isLast() ? MPI_Bcast(&value, 1, MPI_INT, 0, comm) : MPI_Barrier(comm), MPI_ERR_OTHER, "broadcast");
  CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
}

// By the standard calls of different manners do not match.
void manners() {
  const ReturningComm comm;
  int value = 1;
  int sum = 0;
  if (isLast()) {
    expect(MPI_Scan(&value, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_OTHER, "manner of a scan");
  } else {
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_EQ(MPI_Iscan(&value, &sum, 1, MPI_INT, MPI_SUM, comm, &request), MPI_SUCCESS);
    expect(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_OTHER,
           "has blocking; the others have not blocking");
  }
  CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
}

void roots() {
  const ReturningComm comm;
  int value = 1;
  int sum = 0;
  expect(MPI_Bcast(&value, 1, MPI_INT, isLast() ? 1 : 0, comm), MPI_ERR_ROOT, "root");
  expect(MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, isLast() ? 1 : 0, comm), MPI_ERR_ROOT, "root");
}

void operations() {
  const ReturningComm comm;
  int value = 1;
  int sum = 0;
  expect(MPI_Allreduce(&value, &sum, 1, MPI_INT, isLast() ? MPI_MAX : MPI_SUM, comm), MPI_ERR_OP, "MPI_MAX");
}

void sizes() {
  const ReturningComm comm;
  std::vector<int> values(10, 1);
  std::vector<int> all(static_cast<std::size_t>(10 * size()), 0);
  expect(MPI_Bcast(values.data(), isLast() ? 10 : 5, MPI_INT, 0, comm), MPI_ERR_COUNT, "40 bytes");
  expect(MPI_Allgather(values.data(), 1, MPI_INT, all.data(), isLast() ? 10 : 1, MPI_INT, comm),
         MPI_ERR_COUNT, "size");
}

void inTheBackground() {
  const ReturningComm comm;
  int value = 1;
  MPI_Request request = MPI_REQUEST_NULL;
  CHECK_EQ(MPI_Ibcast(&value, 1, MPI_INT, isLast() ? 1 : 0, comm, &request), MPI_SUCCESS);
  expect(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_ROOT, "root");
#if CHECK_MPI_40
  int sum = 0;
  MPI_Allreduce_init(&value, &sum, 1, MPI_INT, isLast() ? MPI_MAX : MPI_SUM, comm, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  expect(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_OP, "MPI_MAX");
  MPI_Request_free(&request);
#endif
}

// What matches works as ever.
void matching() {
  onTestComms([](MPI_Comm comm) {
    const int me = rankIn(comm);
    const int ranks = sizeOf(comm);
    for (int round = 0; round < 20; ++round) {
      int value = me == round % ranks ? round : -1;
      MPI_Bcast(&value, 1, MPI_INT, round % ranks, comm);
      CHECK_EQ(value, round);
      int sum = 0;
      MPI_Request request;
      MPI_Iallreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      CHECK_EQ(sum, ranks * (ranks - 1) / 2);
      std::vector<int> all(static_cast<std::size_t>(ranks));
      MPI_Gather(&me, 1, MPI_INT, all.data(), 1, MPI_INT, round % ranks, comm);
      MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, all.data(), 1, MPI_INT, comm);
    }
  });
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return run(argc, argv,
             {{"kinds", kinds, 3},
              {"manners", manners, 3},
              {"roots", roots, 3},
              {"operations", operations, 3},
              {"sizes", sizes, 3},
              {"in-the-background", inTheBackground, 3},
              {"matching", matching, 1}});
}
