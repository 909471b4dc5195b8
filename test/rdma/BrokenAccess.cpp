// An access that the target's device refuses: the error comes out on the window and the target that it is
// about, the other windows know nothing of it, and later ones work over what is left. Rank 1 takes a window's
// memory away from its device while rank 0 still uses it. Looks into the library, so it is linked with its
// objects. Two ranks under MPL_ONESIDED=rpma on a machine with an RDMA device.
#include "onesided/Window.h"
#include "test/mpi/Check.h"
#include "test/rdma/Pvars.h"

namespace {

constexpr int target = 1;

struct Window {
  explicit Window(size_t bytes) : memory(bytes, 0) {
    MPI_Win_create(memory.data(), static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  }
  ~Window() {
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
  }
  int put(char value) const {
    const int code = MPI_Put(&value, 1, MPI_BYTE, target, 5, 1, MPI_BYTE, win);
    return code != MPI_SUCCESS ? code : MPI_Win_flush(target, win);
  }
  std::vector<char> memory;
  MPI_Win win = MPI_WIN_NULL;
};

void refusedAccess(bool reading) {
  Window other(64);
  Window taken(4096);
  if (check::rank() == 0) {
    CHECK_EQ(other.put(1), MPI_SUCCESS);
    CHECK_EQ(taken.put(2), MPI_SUCCESS);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (check::rank() == target) {
    CHECK_EQ(static_cast<int>(taken.memory[5]), 2);
    mpl::rpmaTransport.closing(mpl::windowOf(taken.win));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (check::rank() == 0) {
    std::vector<char> back(4096);
    int code = MPI_SUCCESS;
    if (reading) {
      code = MPI_Get(back.data(), 64, MPI_BYTE, target, 0, 64, MPI_BYTE, taken.win);
      code = code != MPI_SUCCESS ? code : MPI_Win_flush(target, taken.win);
    } else {
      code = taken.put(3);
    }
    CHECK_EQ(check::errorClass(code), MPI_ERR_RMA_RANGE);
    CHECK(check::errorString(code).size() > 10);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (check::rank() == target) {
    CHECK_EQ(static_cast<int>(taken.memory[5]), 2);
    CHECK_EQ(static_cast<int>(other.memory[5]), 1);
  }
  // Made later: finds its way, whichever.
  Window later(64);
  if (check::rank() == 0)
    CHECK_EQ(later.put(9), MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
  if (check::rank() == target)
    CHECK_EQ(static_cast<int>(later.memory[5]), 9);
  // And the one that had done nothing wrong.
  if (check::rank() == 0)
    CHECK_EQ(other.put(4), MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
  if (check::rank() == target)
    CHECK_EQ(static_cast<int>(other.memory[5]), 4);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return check::run(
      argc, argv,
      {{"refused put", [] { refusedAccess(false); }, 2}, {"refused get", [] { refusedAccess(true); }, 2}});
}
