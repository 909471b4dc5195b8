// Threads for the tests: a team runs one body in several threads and waits for all of them.
#pragma once

#include "test/mpi/Check.h"
#include "test/mpi/Pattern.h"

#include <thread>
#include <vector>

namespace check {

// body(thread) runs in `threads` threads; thread 0 is the calling one.
template <class Body> void team(int threads, Body body) {
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i)
    others.emplace_back([&body, i] { body(i); });
  body(0);
  for (std::thread& other : others)
    other.join();
}

// MPI_Init_thread with MPI_THREAD_MULTIPLE; without it there is nothing to test, and the process ends with
// status 77.
inline void initMultiple(int* argc, char*** argv) {
  int provided = -1;
  MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided == MPI_THREAD_MULTIPLE)
    return;
  if (rank() == 0)
    std::printf("SKIP: the library provides no MPI_THREAD_MULTIPLE\n");
  MPI_Finalize();
  std::exit(77);
}

inline int right() {
  return (rank() + 1) % size();
}

inline int left() {
  return (rank() + size() - 1) % size();
}

} // namespace check
