// Targets die before, during and after the rendezvous: rank 1 before rank 0 has asked it for a connection,
// rank 2 with the request in its queue, rank 3 while it is being accessed, rank 4 when its device has taken
// the window's memory back already, as devices may before the end is known. What rank 0 does with the window
// then ends with MPI_ERR_PROC_ABORTED, at once for what comes later. Prints "survivor: all ended". Looks into
// the library, so it is linked with its objects. Five ranks under MPL_ONESIDED=rpma and mpirun
// --enable-recovery, on a machine with an RDMA device.
#include "onesided/Window.h"
#include "test/rdma/Pvars.h"

#include <csignal>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

namespace {

constexpr int tag = 1;

[[noreturn]] void die() {
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  raise(SIGKILL);
  std::abort();
}

// Stops, and is killed by a child of its own a while later.
[[noreturn]] void stopAndDie() {
  const pid_t self = getpid();
  if (fork() == 0) {
    constexpr unsigned seconds = 4; // for the request to come
    sleep(seconds);
    kill(self, SIGKILL);
    _exit(0);
  }
  raise(SIGSTOP);
  die();
}

void awaitStop(long process) {
  char state = '?';
  while (state != 'T') {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string pid;
    std::string name;
    file >> pid >> name >> state;
    usleep(1000);
  }
}

int putAndFlush(MPI_Win win, int target) {
  const int value = 7;
  const int code = MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win);
  return code != MPI_SUCCESS ? code : MPI_Win_flush(target, win);
}

// Until the death is noticed operations may go well; then they fail, and the next one does so too.
void endsWithError(MPI_Win win, int target) {
  const double begin = MPI_Wtime();
  constexpr double hang = 60;
  int code = MPI_SUCCESS;
  while (code == MPI_SUCCESS && MPI_Wtime() - begin < hang)
    code = putAndFlush(win, target);
  CHECK_EQ(check::errorClass(code), MPI_ERR_PROC_ABORTED);
  CHECK_EQ(check::errorClass(putAndFlush(win, target)), MPI_ERR_PROC_ABORTED);
}

// Each dies when rank 0 says so.
void beDead(int rank, MPI_Win win) {
  MPI_Recv(nullptr, 0, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 4)
    mpl::rpmaTransport.closing(mpl::windowOf(win));
  if (rank == 2 || rank == 4)
    stopAndDie();
  die();
}

void tellToDie(int rank) {
  MPI_Send(nullptr, 0, MPI_INT, rank, tag, MPI_COMM_WORLD);
}

void survive(MPI_Win win, const std::vector<long>& processes) {
  const rdma::Pvars pvars;
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  const auto own = pvars["rpma_connections_made"]; // to itself, for the epoch

  check::state().current = "after";
  CHECK_EQ(putAndFlush(win, 3), MPI_SUCCESS);
  CHECK_EQ(pvars["rpma_connections_made"], own + 1);
  CHECK_EQ(pvars["rpma_writes"], 1ULL);
  CHECK_EQ(pvars["rpma_flushes"], 1ULL);
  tellToDie(3);
  endsWithError(win, 3);

  check::state().current = "before";
  tellToDie(1);
  while (kill(static_cast<pid_t>(processes[1]), 0) == 0)
    usleep(1000);
  endsWithError(win, 1);
  CHECK_EQ(pvars["rpma_connections_made"], own + 1);

  check::state().current = "during";
  tellToDie(2);
  awaitStop(processes[2]);
  const auto asked = pvars["rpma_request_bytes_sent"];
  endsWithError(win, 2);
  CHECK(pvars["rpma_request_bytes_sent"] > asked);
  CHECK_EQ(pvars["rpma_connections_made"], own + 1);

  check::state().current = "in parts";
  CHECK_EQ(putAndFlush(win, 4), MPI_SUCCESS);
  CHECK_EQ(pvars["rpma_connections_made"], own + 2);
  tellToDie(4);
  awaitStop(processes[4]);
  endsWithError(win, 4);
  CHECK_EQ(pvars["rpma_connections_made"], own + 2);
  MPI_Win_unlock_all(win);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const long self = getpid();
  std::vector<long> processes(static_cast<size_t>(check::size()));
  MPI_Allgather(&self, 1, MPI_LONG, processes.data(), 1, MPI_LONG, MPI_COMM_WORLD);
  int memory = 0;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  if (check::rank() != 0)
    beDead(check::rank(), win);
  survive(win, processes);
  if (check::state().failures == 0)
    std::printf("survivor: all ended\n");
  std::fflush(stdout);
  MPI_Finalize();
  return check::state().failures == 0 ? 0 : 1;
}
