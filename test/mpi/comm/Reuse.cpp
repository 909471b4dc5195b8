// Many communicators: one after the other, at the same time, in the background. Context ids and memory are
// used again.
#include "test/mpi/Memory.h"
#include "test/mpi/comm/Ring.h"

#include <algorithm>

using namespace check;

namespace {

void onePairAfterTheOther() {
  // A million where few are concerned.
  const int pairs = size() == 2 ? 1000000 : 50000;
  MPI_Comm comm = MPI_COMM_NULL;
  const auto once = [&comm] {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_free(&comm);
  };
  for (int i = 0; i < 1000; ++i)
    once();
  const long before = residentKiB();
  for (int i = 0; i < pairs; ++i)
    once();
  const long growth = residentKiB() - before;
  if (!CHECK(growth < 8192))
    std::fprintf(stderr, "memory grew by %ld KiB\n", growth);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  checkMembers(comm, everybody());
  MPI_Comm_free(&comm);
}

// Operations keep their communicator alive, but not for longer than they live themselves.
void pairsWithOperationsInTheBackground() {
  constexpr int pairs = 20000;
  const auto once = [] {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Request requests[3];
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const int one = 1;
    int sum = 0;
    int kept = 0;
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[0]);
    MPI_Comm_idup(comm, &copy, &requests[1]);
    MPI_Bcast_init(&kept, 1, MPI_INT, 0, comm, MPI_INFO_NULL, &requests[2]);
    MPI_Start(&requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    MPI_Request_free(&requests[2]);
    MPI_Comm_free(&comm);
    MPI_Comm_free(&copy);
    return sum;
  };
  for (int i = 0; i < 1000; ++i)
    once();
  const long before = residentKiB();
  for (int i = 0; i < pairs; ++i)
    CHECK_EQ(once(), size());
  const long growth = residentKiB() - before;
  if (!CHECK(growth < 8192))
    std::fprintf(stderr, "memory grew by %ld KiB\n", growth);
}

void manyAtOnceFreedInAnyOrder() {
  constexpr int many = 2000;
  std::vector<MPI_Comm> comms(many);
  for (int round = 0; round < 3; ++round) {
    for (MPI_Comm& comm : comms)
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < many; i += 97)
      checkMembers(comms[static_cast<std::size_t>(i)], everybody());
    // Every rank frees in an order of its own: freeing waits for nobody.
    std::vector<std::size_t> order(many);
    for (std::size_t i = 0; i < order.size(); ++i)
      order[i] = (i * 7 + static_cast<std::size_t>(rank()) * 31) % many;
    std::sort(order.begin(), order.end());
    order.erase(std::unique(order.begin(), order.end()), order.end());
    std::rotate(order.begin(), order.begin() + rank() * 13, order.end());
    for (std::size_t i : order)
      MPI_Comm_free(&comms[i]);
    CHECK(std::all_of(comms.begin(), comms.end(), [](MPI_Comm comm) { return comm == MPI_COMM_NULL; }));
  }
}

// Ranks that have used up different ids before agree all the same.
void differentPasts() {
  std::vector<MPI_Comm> own(static_cast<std::size_t>(300 * (rank() + 1)));
  for (MPI_Comm& comm : own)
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
  std::vector<MPI_Comm> common(50);
  for (MPI_Comm& comm : common)
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (MPI_Comm& comm : common)
    checkMembers(comm, everybody());
  for (MPI_Comm& comm : own) {
    checkMembers(comm, {rank()});
    MPI_Comm_free(&comm);
  }
  for (MPI_Comm& comm : common)
    MPI_Comm_free(&comm);
}

void manyInTheBackground() {
  constexpr int many = 200;
  for (int round = 0; round < 5; ++round) {
    std::vector<MPI_Comm> comms(many, MPI_COMM_NULL);
    std::vector<MPI_Request> requests(many, MPI_REQUEST_NULL);
    for (std::size_t i = 0; i < many; ++i)
      MPI_Comm_idup(MPI_COMM_WORLD, &comms[i], &requests[i]);
    // Other collectives may go on at the same time.
    int sum = 0;
    const int one = 1;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK_EQ(sum, size());
    MPI_Comm between = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &between);
    MPI_Waitall(many, requests.data(), MPI_STATUSES_IGNORE);
    for (std::size_t i = 0; i < many; i += 13)
      checkMembers(comms[i], everybody());
    checkMembers(between, everybody());
    MPI_Comm_free(&between);
    for (MPI_Comm& comm : comms)
      MPI_Comm_free(&comm);
  }
}

// Background duplicates of different parents, waited for in different orders.
void backgroundOfSeveralParents() {
  std::vector<MPI_Comm> parents(6);
  for (MPI_Comm& parent : parents)
    MPI_Comm_dup(MPI_COMM_WORLD, &parent);
  for (int round = 0; round < 50; ++round) {
    std::vector<MPI_Comm> made(parents.size(), MPI_COMM_NULL);
    std::vector<MPI_Request> requests(parents.size(), MPI_REQUEST_NULL);
    for (std::size_t k = 0; k < parents.size(); ++k) {
      const std::size_t i = (k + static_cast<std::size_t>(rank())) % parents.size();
      MPI_Comm_idup(parents[i], &made[i], &requests[i]);
    }
    for (std::size_t k = parents.size(); k-- > 0;) {
      const std::size_t i = (k * 5 + static_cast<std::size_t>(rank())) % parents.size();
      MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    }
    for (MPI_Comm& comm : made) {
      checkMembers(comm, everybody());
      MPI_Comm_free(&comm);
    }
  }
  for (MPI_Comm& parent : parents)
    MPI_Comm_free(&parent);
}

// What is under way on a communicator is through when MPI_Comm_disconnect returns.
void disconnectWaits() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const int right = (rank() + 1) % size();
  const int left = (rank() + size() - 1) % size();
  std::vector<int> in(100000, -1);
  const std::vector<int> out(in.size(), rank());
  int sum = 0;
  const int one = 1;
  MPI_Request requests[3];
  MPI_Irecv(in.data(), static_cast<int>(in.size()), MPI_INT, left, 1, comm, &requests[0]);
  MPI_Isend(out.data(), static_cast<int>(out.size()), MPI_INT, right, 1, comm, &requests[1]);
  MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[2]);
  CHECK_EQ(MPI_Comm_disconnect(&comm), MPI_SUCCESS);
  CHECK(comm == MPI_COMM_NULL);
  CHECK_EQ(std::count(in.begin(), in.end(), left), static_cast<long>(in.size()));
  CHECK_EQ(sum, size());
  int done = 0;
  MPI_Testall(3, requests, &done, MPI_STATUSES_IGNORE);
  CHECK(done);
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK_EQ(errorClass(MPI_Comm_disconnect(&world)), MPI_ERR_COMM);
  CHECK(world == MPI_COMM_WORLD);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return run(argc, argv,
             {{"one pair after the other", onePairAfterTheOther},
              {"pairs with operations in the background", pairsWithOperationsInTheBackground},
              {"many at once", manyAtOnceFreedInAnyOrder},
              {"different pasts", differentPasts},
              {"many in the background", manyInTheBackground},
              {"background of several parents", backgroundOfSeveralParents},
              {"disconnect waits", disconnectWaits}});
}
