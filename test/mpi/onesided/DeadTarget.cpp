// The last rank dies holding a lock of every other rank; what the others do with the windows then ends with
// an error, never with waiting for ever. A survivor that has seen that prints "survivor R: all ended".
#include "OneWindow.h"

#include <csignal>
#include <sys/resource.h>

using namespace onesided;

namespace {

int victim;

bool isDeath(int code) {
  return code != MPI_SUCCESS && check::errorClass(code) == MPI_ERR_PROC_ABORTED;
}

// Until the death is noticed operations may go well; then they fail.
template <class Body> void endsWithError(const char* what, Body&& body) {
  const double begin = MPI_Wtime();
  int code = MPI_SUCCESS;
  while (code == MPI_SUCCESS && MPI_Wtime() - begin < 20)
    code = body();
  if (!isDeath(code)) {
    std::printf("survivor %d: %s on %s gave class %d\n", check::rank(), what, check::state().current.c_str(),
                check::errorClass(code));
    std::fflush(stdout);
    ++check::state().failures;
  }
}

int twoCodes(int first, int second) {
  return first != MPI_SUCCESS ? first : second;
}

void useDead(OneWindow<long>& win) {
  long value = 1;
  long result = 0;
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  // More than the transports take from a process that nobody reads from, and no word from the target.
  endsWithError("puts and flush_local", [&] {
    int code = MPI_SUCCESS;
    for (int i = 0; i < 600 && code == MPI_SUCCESS; ++i)
      code = MPI_Put(&value, 1, MPI_LONG, victim, win.at(victim, 0), 1, MPI_LONG, win);
    return twoCodes(code, MPI_Win_flush_local(victim, win));
  });
  endsWithError("accumulates and flush_local_all", [&] {
    int code = MPI_SUCCESS;
    for (int i = 0; i < 600 && code == MPI_SUCCESS; ++i)
      code = MPI_Accumulate(&value, 1, MPI_LONG, victim, win.at(victim, 0), 1, MPI_LONG, MPI_SUM, win);
    return twoCodes(code, MPI_Win_flush_local_all(win));
  });
  endsWithError("put", [&] {
    return twoCodes(MPI_Put(&value, 1, MPI_LONG, victim, win.at(victim, 0), 1, MPI_LONG, win),
                    MPI_Win_flush(victim, win));
  });
  endsWithError("get", [&] {
    return twoCodes(MPI_Get(&result, 1, MPI_LONG, victim, win.at(victim, 0), 1, MPI_LONG, win),
                    MPI_Win_flush(victim, win));
  });
  endsWithError("accumulate", [&] {
    return twoCodes(MPI_Accumulate(&value, 1, MPI_LONG, victim, win.at(victim, 0), 1, MPI_LONG, MPI_SUM, win),
                    MPI_Win_flush(victim, win));
  });
  endsWithError("fetch_and_op", [&] {
    return twoCodes(MPI_Fetch_and_op(&value, &result, MPI_LONG, victim, win.at(victim, 0), MPI_SUM, win),
                    MPI_Win_flush(victim, win));
  });
  MPI_Win_unlock_all(win);
  // Held by the dead one.
  endsWithError("lock of a living rank", [&] { return MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win); });
  endsWithError("lock of the dead", [&] { return MPI_Win_lock(MPI_LOCK_SHARED, victim, 0, win); });
  endsWithError("start", [&] {
    MPI_Group world;
    MPI_Group dead;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &victim, &dead);
    const int code = MPI_Win_start(dead, 0, win);
    MPI_Group_free(&world);
    MPI_Group_free(&dead);
    return code;
  });
  endsWithError("fence", [&] { return MPI_Win_fence(0, win); });
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  victim = check::size() - 1;
  // Never freed: the dead one could not take part.
  std::vector<OneWindow<long>*> windows;
  for (const Flavor flavor : allFlavors) {
    windows.push_back(new OneWindow<long>(flavor, 2));
    MPI_Win_set_errhandler(*windows.back(), MPI_ERRORS_RETURN);
    // Everybody has talked to everybody.
    MPI_Win_lock_all(0, *windows.back());
    const long one = 1;
    for (int rank = 0; rank < check::size(); ++rank)
      MPI_Accumulate(&one, 1, MPI_LONG, rank, windows.back()->at(rank, 1), 1, MPI_LONG, MPI_SUM,
                     *windows.back());
    MPI_Win_unlock_all(*windows.back());
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (check::rank() == victim) {
    for (OneWindow<long>* win : windows)
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, *win);
    MPI_Send(nullptr, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
    MPI_Send(nullptr, 0, MPI_INT, 1, 1, MPI_COMM_WORLD);
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    raise(SIGKILL);
  }
  MPI_Recv(nullptr, 0, MPI_INT, victim, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (size_t i = windows.size(); i-- > 0;) { // the dynamic one first, which goes by messages
    check::state().current = nameOf(allFlavors[i]);
    useDead(*windows[i]);
  }
  if (check::state().failures == 0)
    std::printf("survivor %d: all ended\n", check::rank());
  std::fflush(stdout);
  MPI_Finalize();
  return 0;
}
