// Windows of a program that comes to have several threads only when it has used a window already, by a
// session: threads that make their first accesses to a window together.
#include "test/mpi/Check.h"

#include <atomic>
#include <thread>

namespace {

constexpr int threadCount = 8;
constexpr int rounds = 150;

class Session {
public:
  Session() {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "thread_level", "MPI_THREAD_MULTIPLE");
    MPI_Session_init(info, MPI_ERRORS_ARE_FATAL, &session_);
    MPI_Info_free(&info);
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Group_from_session_pset(session_, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "late threads", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm_);
    MPI_Group_free(&group);
  }
  ~Session() {
    MPI_Comm_free(&comm_);
    MPI_Session_finalize(&session_);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  MPI_Comm comm() const { return comm_; }

private:
  MPI_Session session_ = MPI_SESSION_NULL;
  MPI_Comm comm_ = MPI_COMM_NULL;
};

// Every thread of every rank puts its number to its place at all ranks, all beginning at once.
void firstAccesses(MPI_Comm comm) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  long* memory = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_allocate(threadCount * sizeof(long), sizeof(long), MPI_INFO_NULL, comm, &memory, &win);
  MPI_Win_lock_all(0, win);
  std::atomic<int> waiting{threadCount};
  std::vector<std::thread> threads;
  for (long number = 0; number < threadCount; ++number)
    threads.emplace_back([&, number] {
      waiting.fetch_sub(1);
      while (waiting.load() != 0)
        std::this_thread::yield();
      for (int i = 0; i < ranks; ++i)
        MPI_Put(&number, 1, MPI_LONG, static_cast<int>(i + number) % ranks, number, 1, MPI_LONG, win);
    });
  for (std::thread& thread : threads)
    thread.join();
  MPI_Win_unlock_all(win);
  MPI_Barrier(comm);
  for (long number = 0; number < threadCount; ++number)
    CHECK_EQ(memory[number], number);
  MPI_Win_free(&win);
}

void lateThreads() {
  long* memory = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_free(&win);
  const Session session;
  for (int round = 0; round < rounds; ++round)
    firstAccesses(session.comm());
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return check::run(argc, argv, {{"late threads", lateThreads}});
}
