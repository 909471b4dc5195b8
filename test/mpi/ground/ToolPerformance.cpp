// The tool interface's performance variables: sessions, handles, every error, and the numbers that windows
// count.
#include "test/mpi/ground/ToolCalls.h"

#include <set>
#include <thread>

using namespace tool;

namespace {

void performanceErrors() {
  const int count = pvarCount();
  std::set<std::string> names;
  for (int i = 0; i < count; ++i) {
    const Pvar one = pvarAt(i);
    CHECK(names.insert(one.name).second);
    CHECK_EQ(pvarIndex(one.name, one.varClass), i);
    int index = -1;
    CHECK_EQ(MPI_T_pvar_get_index(one.name.c_str(), MPI_T_PVAR_CLASS_TIMER, &index), MPI_T_ERR_INVALID_NAME);
  }
  int number = 0;
  MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
  MPI_T_pvar_session other = MPI_T_PVAR_SESSION_NULL;
  MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
  unsigned long long value = 0;
  CHECK_EQ(MPI_T_pvar_handle_alloc(session, 0, nullptr, &handle, &number), MPI_T_ERR_INVALID_SESSION);
  CHECK_EQ(MPI_T_pvar_session_create(nullptr), MPI_T_ERR_INVALID);
  CHECK_EQ(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
  CHECK_EQ(MPI_T_pvar_session_create(&other), MPI_SUCCESS);
  for (int bad : {-1, count})
    CHECK_EQ(MPI_T_pvar_handle_alloc(session, bad, nullptr, &handle, &number), MPI_T_ERR_INVALID_INDEX);
  CHECK_EQ(MPI_T_pvar_handle_alloc(session, 0, nullptr, nullptr, &number), MPI_T_ERR_INVALID);
  CHECK_EQ(MPI_T_pvar_handle_alloc(session, 0, nullptr, &handle, &number), MPI_SUCCESS);
  CHECK_EQ(number, 1);
  // Of another session, of none, and all at once.
  CHECK_EQ(MPI_T_pvar_read(other, handle, &value), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_pvar_start(other, handle), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_pvar_handle_free(other, &handle), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_pvar_read(MPI_T_PVAR_SESSION_NULL, handle, &value), MPI_T_ERR_INVALID_SESSION);
  CHECK_EQ(MPI_T_pvar_stop(MPI_T_PVAR_SESSION_NULL, MPI_T_PVAR_ALL_HANDLES), MPI_T_ERR_INVALID_SESSION);
  CHECK_EQ(MPI_T_pvar_read(session, MPI_T_PVAR_ALL_HANDLES, &value), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_pvar_write(session, MPI_T_PVAR_ALL_HANDLES, &value), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_pvar_readreset(session, MPI_T_PVAR_ALL_HANDLES, &value), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_pvar_read(session, MPI_T_PVAR_HANDLE_NULL, &value), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_pvar_read(session, handle, nullptr), MPI_T_ERR_INVALID);
  CHECK_EQ(MPI_T_pvar_start(other, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS); // has none
  MPI_T_pvar_handle second = MPI_T_PVAR_HANDLE_NULL;
  CHECK_EQ(MPI_T_pvar_handle_alloc(session, 1, nullptr, &second, &number), MPI_SUCCESS);
  const MPI_T_pvar_handle stale = handle;
  CHECK_EQ(MPI_T_pvar_handle_free(session, &handle), MPI_SUCCESS);
  CHECK(handle == MPI_T_PVAR_HANDLE_NULL);
  CHECK_EQ(MPI_T_pvar_read(session, stale, &value), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_pvar_read(session, second, &value), MPI_SUCCESS);
  // The session takes its handles with it.
  CHECK_EQ(MPI_T_pvar_session_free(&session), MPI_SUCCESS);
  CHECK(session == MPI_T_PVAR_SESSION_NULL);
  CHECK_EQ(MPI_T_pvar_read(other, second, &value), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_pvar_session_free(&session), MPI_T_ERR_INVALID_SESSION);
  CHECK_EQ(MPI_T_pvar_session_free(&other), MPI_SUCCESS);
  CHECK_EQ(MPI_T_pvar_get_index("no such thing", MPI_T_PVAR_CLASS_COUNTER, &number), MPI_T_ERR_INVALID_NAME);
}

// Puts of a window on one node: counted from the moment somebody watches, an epoch that is open included.
void countedPuts() {
  int* base = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_allocate(sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void*>(&base), &win);
  MPI_Win_lock_all(0, win);
  const int target = check::size() - 1;
  const auto put = [&](int times) {
    const int value = 5;
    for (int i = 0; i < times; ++i)
      MPI_Put(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win);
    MPI_Win_flush(target, win);
  };
  put(3);
  const Watch puts("windows_shm_puts", MPI_T_PVAR_CLASS_COUNTER);
  const Watch bytes("windows_shm_put_bytes", MPI_T_PVAR_CLASS_AGGREGATE);
  const Watch later("windows_shm_puts", MPI_T_PVAR_CLASS_COUNTER);
  put(2);
  CHECK_EQ(puts.read(), 0ULL); // not started
  puts.start();
  bytes.start();
  put(7);
  CHECK_EQ(puts.read(), 7ULL);
  CHECK_EQ(bytes.read(), 7 * sizeof(int));
  puts.start(); // goes on
  later.start();
  put(1);
  puts.stop();
  puts.stop();
  put(10);
  CHECK_EQ(puts.read(), 8ULL);
  CHECK_EQ(later.read(), 11ULL);
  puts.start();
  put(2);
  CHECK_EQ(puts.read(), 10ULL);
  CHECK_EQ(puts.readReset(), 10ULL);
  CHECK_EQ(puts.read(), 0ULL);
  put(4);
  CHECK_EQ(puts.readReset(), 4ULL);
  puts.write(1000);
  put(1);
  CHECK_EQ(puts.read(), 1001ULL);
  puts.stop();
  puts.write(50);
  put(1);
  CHECK_EQ(puts.read(), 50ULL);
  CHECK_EQ(MPI_T_pvar_start(puts.session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
  put(1);
  CHECK_EQ(MPI_T_pvar_stop(puts.session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
  CHECK_EQ(puts.read(), 51ULL);
  CHECK_EQ(MPI_T_pvar_reset(puts.session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
  CHECK_EQ(puts.read(), 0ULL);
  CHECK_EQ(MPI_T_pvar_reset(bytes.session, bytes.handle), MPI_SUCCESS);
  CHECK_EQ(bytes.read(), 0ULL);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

// Reading and resetting at once loses nothing of what other threads count.
void readResetLosesNothing() {
  int* base = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_allocate(sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void*>(&base), &win);
  MPI_Win_lock_all(0, win);
  const Watch puts("windows_shm_puts", MPI_T_PVAR_CLASS_COUNTER);
  puts.start();
  constexpr int times = 20000;
  std::atomic<bool> over{false};
  unsigned long long sum = 0;
  std::thread reader([&] {
    while (!over)
      sum += puts.readReset();
  });
  const int value = 1;
  for (int i = 0; i < times; ++i)
    MPI_Put(&value, 1, MPI_INT, check::size() - 1, 0, 1, MPI_INT, win);
  over = true;
  reader.join();
  CHECK_EQ(sum + puts.read(), static_cast<unsigned long long>(times));
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

} // namespace

int main(int argc, char** argv) {
  int provided = 0;
  CHECK_EQ(MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
  performanceErrors(); // before MPI_Init
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  const int status = check::run(argc, argv,
                                {{"errors", performanceErrors},
                                 {"counted puts", countedPuts},
                                 {"readreset loses nothing", readResetLosesNothing}});
  // After MPI_Finalize the numbers are still there.
  const long before = check::state().failures;
  CHECK(pvarCount() > 0);
  performanceErrors();
  CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
  return check::state().failures == before ? status : 1;
}
