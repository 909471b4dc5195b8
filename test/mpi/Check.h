// What the multi-process tests share: checks that print rank, place and both values, and a runner of named
// cases. Plain C++17 over mpi.h alone, so that the same programs build with any MPI library's compiler
// wrapper.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

// Functions that came with MPI 4.0 and 4.1: older libraries build the programs without the cases that need
// them.
#define CHECK_MPI_40 (MPI_VERSION >= 4)
#define CHECK_MPI_41 (MPI_VERSION >= 5 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1))

#define CHECK(condition) ::check::isTrue(static_cast<bool>(condition), #condition, __FILE__, __LINE__)
#define CHECK_EQ(found, wanted) ::check::isEqual((found), (wanted), #found, #wanted, __FILE__, __LINE__)

namespace check {

struct State {
  std::atomic<long> checks{0};
  std::atomic<long> failures{0};
  std::mutex output;
  std::string current = "start";
  bool verbose = false;
};

inline State& state() {
  static State theState;
  return theState;
}

inline int rankIn(MPI_Comm comm) {
  int rank = -1;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

inline int sizeOf(MPI_Comm comm) {
  int size = -1;
  MPI_Comm_size(comm, &size);
  return size;
}

inline int rank() {
  return rankIn(MPI_COMM_WORLD);
}

inline int size() {
  return sizeOf(MPI_COMM_WORLD);
}

// Notes a failed check; a program that fails again and again is ended, so that its output can be read.
inline void fail(const std::string& what, const char* file, int line) {
  constexpr long tooMany = 40;
  State& s = state();
  const long count = ++s.failures;
  const std::lock_guard<std::mutex> lock(s.output);
  int ready = 0;
  int ended = 0;
  MPI_Initialized(&ready);
  MPI_Finalized(&ended);
  const int me = ready && !ended ? rank() : -1;
  std::fprintf(stderr, "%s:%d: rank %d, case %s: %s\n", file, line, me, s.current.c_str(), what.c_str());
  std::fflush(stderr);
  if (count >= tooMany) {
    std::printf("FAIL rank %d: %ld checks failed, given up in case %s\n", me, count, s.current.c_str());
    std::fflush(stdout);
    if (ready && !ended)
      MPI_Abort(MPI_COMM_WORLD, 1);
    std::exit(1);
  }
}

inline bool isTrue(bool condition, const char* text, const char* file, int line) {
  ++state().checks;
  if (!condition)
    fail(std::string("not true: ") + text, file, line);
  return condition;
}

template <class Found, class Wanted>
bool isEqual(const Found& found, const Wanted& wanted, const char* foundText, const char* wantedText,
             const char* file, int line) {
  ++state().checks;
  if (found == static_cast<Found>(wanted))
    return true;
  std::ostringstream text;
  text << foundText << " is " << +found << ", wanted " << wantedText << " = " << +wanted;
  fail(text.str(), file, line);
  return false;
}

inline bool isEqual(const std::string& found, const std::string& wanted, const char* foundText, const char*,
                    const char* file, int line) {
  ++state().checks;
  if (found == wanted)
    return true;
  fail(std::string(foundText) + " is \"" + found + "\", wanted \"" + wanted + "\"", file, line);
  return false;
}

// The class of a return code.
inline int errorClass(int code) {
  int theClass = -1;
  MPI_Error_class(code, &theClass);
  return theClass;
}

inline std::string errorString(int code) {
  char text[MPI_MAX_ERROR_STRING + 1] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return std::string(text, static_cast<size_t>(length));
}

// A copy of a communicator that lives as long as this object and returns errors instead of ending the job.
class ReturningComm {
public:
  explicit ReturningComm(MPI_Comm from = MPI_COMM_WORLD) {
    MPI_Comm_dup(from, &comm_);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  ~ReturningComm() { MPI_Comm_free(&comm_); }
  ReturningComm(const ReturningComm&) = delete;
  ReturningComm& operator=(const ReturningComm&) = delete;
  operator MPI_Comm() const { return comm_; }

private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

struct Case {
  std::string name;
  std::function<void()> body;
  int minRanks = 1;
};

// Prints the one line that ends every program and gives the process's exit status. Failures of all ranks
// count. The line comes after MPI_Finalize: a program that hangs there has not passed.
inline int finish(const std::string& title, int cases) {
  constexpr int resultTag = 1;
  State& s = state();
  long total[2] = {s.checks, s.failures};
  const int me = rank();
  const int ranks = size();
  if (me != 0) {
    MPI_Send(total, 2, MPI_LONG, 0, resultTag, MPI_COMM_WORLD);
  } else {
    for (int peer = 1; peer < ranks; ++peer) {
      long theirs[2];
      MPI_Recv(theirs, 2, MPI_LONG, peer, resultTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      total[0] += theirs[0];
      total[1] += theirs[1];
    }
  }
  MPI_Finalize();
  if (me == 0) {
    if (total[1] == 0 && total[0] > 0)
      std::printf("PASS %s: %d cases, %ld checks, %d ranks\n", title.c_str(), cases, total[0], ranks);
    else
      std::printf("FAIL %s: %ld of %ld checks failed, %d ranks\n", title.c_str(), total[1], total[0], ranks);
    std::fflush(stdout);
  }
  // A rank that has no part in the chosen cases has nothing to check; all ranks together must have.
  return total[1] == 0 && (me != 0 || total[0] > 0) ? 0 : 1;
}

// Runs the cases one after the other with a barrier between them, and looks for messages that a case left
// behind. Arguments: -v names each case before it runs; other words choose the cases whose names contain one
// of them.
inline int run(int argc, char** argv, const std::vector<Case>& cases) {
  std::vector<std::string> wanted;
  State& s = state();
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "-v") == 0)
      s.verbose = true;
    else
      wanted.push_back(argv[i]);
  }
  int done = 0;
  for (const Case& c : cases) {
    bool chosen = wanted.empty();
    for (const std::string& word : wanted)
      chosen = chosen || c.name.find(word) != std::string::npos;
    if (!chosen || size() < c.minRanks)
      continue;
    s.current = c.name;
    const double start = MPI_Wtime();
    if (s.verbose && rank() == 0)
      std::fprintf(stderr, "case %s\n", c.name.c_str());
    c.body();
    MPI_Barrier(MPI_COMM_WORLD);
    int left = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &left, &status);
    if (left)
      fail("a message was left over: source " + std::to_string(status.MPI_SOURCE) + ", tag " +
               std::to_string(status.MPI_TAG),
           __FILE__, __LINE__);
    MPI_Barrier(MPI_COMM_WORLD);
    if (s.verbose && rank() == 0)
      std::fprintf(stderr, "  %.3f s\n", MPI_Wtime() - start);
    ++done;
  }
  s.current = "end";
  const char* slash = std::strrchr(argv[0], '/');
  return finish(slash ? slash + 1 : argv[0], done);
}

} // namespace check
