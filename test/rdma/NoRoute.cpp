// The way to a device is lost between the time when its process has told its address and the first access:
// rank 0 takes the host's address away (with ip, as root, in a guest of its own). One line tells, and the
// windows go another way. Two ranks under MPL_ONESIDED=rpma on a machine with an RDMA device.
#include "test/rdma/Pvars.h"

namespace {

void lostRoute() {
  int memory[4] = {};
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (check::rank() == 0) {
    const rdma::Pvars pvars;
    CHECK_EQ(std::system("ip addr flush dev eth0"), 0);
    const int value = 4711;
    int back = 0;
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Put(&value, 1, MPI_INT, 1, 3, 1, MPI_INT, win);
    MPI_Win_flush(1, win);
    MPI_Get(&back, 1, MPI_INT, 1, 3, 1, MPI_INT, win);
    MPI_Win_unlock(1, win);
    CHECK_EQ(back, value);
    CHECK_EQ(pvars["rpma_connections_made"], 0ULL);
    CHECK_EQ(pvars["rpma_connections_refused"], 1ULL);
    CHECK_EQ(pvars["windows_ucx_puts"], 1ULL);
    CHECK_EQ(pvars["windows_rpma_puts"], 0ULL);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (check::rank() == 1)
    CHECK_EQ(memory[3], 4711);
  MPI_Win_free(&win);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return check::run(argc, argv, {{"lost route", lostRoute, 2}});
}
