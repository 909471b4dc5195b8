// Bad arguments of the collectives. All ranks make the same mistake, so that each finds it before anything is
// sent.
#include "test/mpi/args/Expect.h"

using namespace check;

namespace {

std::vector<int> in(64, 1);
std::vector<int> out(64, -1);

void roots() {
  const ReturningComm comm;
  const int bad = size() + 1;
  const std::string number = std::to_string(bad);
  int counts[16];
  int places[16];
  for (int i = 0; i < 16; ++i) {
    counts[i] = 1;
    places[i] = i;
  }
  for (int root : {bad, -44}) {
    const std::string text = std::to_string(root);
    EXPECT_ERROR(MPI_Bcast(in.data(), 1, MPI_INT, root, comm), MPI_ERR_ROOT,
                 {"MPI_Bcast", "root", text.c_str()});
    EXPECT_ERROR(MPI_Reduce(in.data(), out.data(), 1, MPI_INT, MPI_SUM, root, comm), MPI_ERR_ROOT,
                 {"MPI_Reduce", "root", text.c_str()});
    EXPECT_ERROR(MPI_Gather(in.data(), 1, MPI_INT, out.data(), 1, MPI_INT, root, comm), MPI_ERR_ROOT,
                 {"MPI_Gather", text.c_str()});
    EXPECT_ERROR(MPI_Gatherv(in.data(), 1, MPI_INT, out.data(), counts, places, MPI_INT, root, comm),
                 MPI_ERR_ROOT, {"MPI_Gatherv", text.c_str()});
    EXPECT_ERROR(MPI_Scatter(in.data(), 1, MPI_INT, out.data(), 1, MPI_INT, root, comm), MPI_ERR_ROOT,
                 {"MPI_Scatter", text.c_str()});
    EXPECT_ERROR(MPI_Scatterv(in.data(), counts, places, MPI_INT, out.data(), 1, MPI_INT, root, comm),
                 MPI_ERR_ROOT, {"MPI_Scatterv", text.c_str()});
  }
  STILL_WORKS(comm);
}

void countsAndTypes() {
  const ReturningComm comm;
  MPI_Datatype uncommitted;
  MPI_Type_contiguous(1, MPI_INT, &uncommitted);
  EXPECT_ERROR(MPI_Bcast(in.data(), -1, MPI_INT, 0, comm), MPI_ERR_COUNT, {"MPI_Bcast", "-1"});
  EXPECT_ERROR(MPI_Bcast(in.data(), 1, MPI_DATATYPE_NULL, 0, comm), MPI_ERR_TYPE, {"MPI_Bcast"});
  EXPECT_ERROR(MPI_Bcast(in.data(), 1, uncommitted, 0, comm), MPI_ERR_TYPE, {"MPI_Bcast", "commit"});
  EXPECT_ERROR(MPI_Reduce(in.data(), out.data(), -1, MPI_INT, MPI_SUM, 0, comm), MPI_ERR_COUNT,
               {"MPI_Reduce", "-1"});
  EXPECT_ERROR(MPI_Allreduce(in.data(), out.data(), -1, MPI_INT, MPI_SUM, comm), MPI_ERR_COUNT,
               {"MPI_Allreduce", "-1"});
  EXPECT_ERROR(MPI_Allreduce(in.data(), out.data(), 1, MPI_DATATYPE_NULL, MPI_SUM, comm), MPI_ERR_TYPE,
               {"MPI_Allreduce"});
  EXPECT_ERROR(MPI_Allgather(in.data(), -1, MPI_INT, out.data(), 1, MPI_INT, comm), MPI_ERR_COUNT,
               {"MPI_Allgather", "-1"});
  EXPECT_ERROR(MPI_Allgather(in.data(), 1, MPI_INT, out.data(), 1, MPI_DATATYPE_NULL, comm), MPI_ERR_TYPE,
               {"MPI_Allgather"});
  EXPECT_ERROR(MPI_Alltoall(in.data(), 1, MPI_INT, out.data(), -1, MPI_INT, comm), MPI_ERR_COUNT,
               {"MPI_Alltoall", "-1"});
  EXPECT_ERROR(MPI_Alltoall(in.data(), 1, MPI_DATATYPE_NULL, out.data(), 1, MPI_INT, comm), MPI_ERR_TYPE,
               {"MPI_Alltoall"});
  MPI_Type_free(&uncommitted);
  STILL_WORKS(comm);
}

void operations() {
  const ReturningComm comm;
  double a = 1;
  double b = 2;
  EXPECT_ERROR(MPI_Reduce(in.data(), out.data(), 1, MPI_INT, MPI_OP_NULL, 0, comm), MPI_ERR_OP,
               {"MPI_Reduce", "op"});
  EXPECT_ERROR(MPI_Allreduce(in.data(), out.data(), 1, MPI_INT, MPI_OP_NULL, comm), MPI_ERR_OP,
               {"MPI_Allreduce", "op"});
  EXPECT_ERROR(MPI_Allreduce(&a, &b, 1, MPI_DOUBLE, MPI_BXOR, comm), MPI_ERR_OP,
               {"MPI_Allreduce", "MPI_BXOR"});
  EXPECT_ERROR(MPI_Allreduce(in.data(), out.data(), 1, MPI_INT, MPI_MAXLOC, comm), MPI_ERR_OP,
               {"MPI_Allreduce", "MPI_MAXLOC"});
  EXPECT_ERROR(MPI_Reduce(&a, &b, 1, MPI_BYTE, MPI_SUM, 0, comm), MPI_ERR_OP, {"MPI_Reduce", "MPI_SUM"});
  STILL_WORKS(comm);
}

void nullCommunicator() {
  EXPECT_ERROR(MPI_Barrier(MPI_COMM_NULL), MPI_ERR_COMM, {"MPI_Barrier", "comm"});
  EXPECT_ERROR(MPI_Bcast(in.data(), 1, MPI_INT, 0, MPI_COMM_NULL), MPI_ERR_COMM, {"MPI_Bcast"});
  EXPECT_ERROR(MPI_Allreduce(in.data(), out.data(), 1, MPI_INT, MPI_SUM, MPI_COMM_NULL), MPI_ERR_COMM,
               {"MPI_Allreduce"});
  EXPECT_ERROR(MPI_Allgather(in.data(), 1, MPI_INT, out.data(), 1, MPI_INT, MPI_COMM_NULL), MPI_ERR_COMM,
               {"MPI_Allgather"});
  STILL_WORKS(MPI_COMM_WORLD);
}

// Failed calls left nothing behind: the next collectives are right.
void goOn() {
  const ReturningComm comm;
  for (int round = 0; round < 10; ++round) {
    EXPECT_ERROR(MPI_Allreduce(in.data(), out.data(), 1, MPI_INT, MPI_OP_NULL, comm), MPI_ERR_OP,
                 {"MPI_Allreduce"});
    int sum = 0;
    const int one = 1;
    CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
    CHECK_EQ(sum, size());
    EXPECT_ERROR(MPI_Bcast(in.data(), 1, MPI_INT, size(), comm), MPI_ERR_ROOT, {"MPI_Bcast"});
    int value = rank() == 0 ? round : -1;
    CHECK_EQ(MPI_Bcast(&value, 1, MPI_INT, 0, comm), MPI_SUCCESS);
    CHECK_EQ(value, round);
  }
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  returnAllErrors();
  return run(argc, argv,
             {{"roots", roots},
              {"counts-and-types", countsAndTypes},
              {"operations", operations},
              {"null-communicator", nullCommunicator},
              {"go-on", goOn}});
}
