// The frame of the suite: a case, what a case may do, and the list of all cases. Only mpi.h is needed, so
// that every MPI can run it.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

namespace mprobe {

/// What a case is given: its own communicators and the means to say what is wrong.
/// Any thread may call any member; a failed check does not end the case.
class Context {
public:
  /// Takes over the two communicators. `name` is that of the case.
  Context(std::string name, MPI_Comm comm, MPI_Comm control);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// The communicator under test. It returns errors.
  MPI_Comm comm() const { return comm_; }
  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Takes down `what` as a failure when `condition` is false, and gives `condition` back.
  bool check(bool condition, const std::string& what, int line = __builtin_LINE(),
             const char* file = __builtin_FILE());

  /// Checks that a call succeeded.
  bool ok(int code, const char* call, int line = __builtin_LINE(), const char* file = __builtin_FILE());

  /// Checks that a call failed with an error of this class.
  bool hasClass(int code, int errorClass, const char* call, int line = __builtin_LINE(),
                const char* file = __builtin_FILE());

  template <class Found, class Wanted>
  bool equal(const Found& found, const Wanted& wanted, const char* what, int line = __builtin_LINE(),
             const char* file = __builtin_FILE()) {
    if (found == static_cast<Found>(wanted))
      return true;
    std::ostringstream text;
    text << what << " is " << found << ", not " << wanted;
    return check(false, text.str(), line, file);
  }

  /// Checks source, tag and the number of bytes in a status.
  bool statusIs(const MPI_Status& status, int source, int tag, MPI_Count bytes, int line = __builtin_LINE(),
                const char* file = __builtin_FILE());

  /// The case cannot be run here: it counts as skipped, unless something failed before.
  void skip(const std::string& reason);

  /// Waits for all ranks of the case, on a communicator of its own.
  void barrier();
  /// A zero-byte message on a communicator of its own, and the receipt of one.
  void signal(int peer);
  void await(int peer);

  const std::string& failure() const { return failure_; }
  const std::string& skipReason() const { return skipReason_; }

private:
  std::string name_;
  MPI_Comm comm_;
  MPI_Comm control_;
  int rank_ = 0;
  int size_ = 0;
  std::mutex mutex_;
  std::string failure_;
  std::string skipReason_;
  int failures_ = 0;
};

/// What a case needs. With more ranks than `maxRanks` the others sit out.
struct Needs {
  int minRanks = 1;
  int maxRanks = 4;
  int threadLevel = MPI_THREAD_SINGLE;
  bool huge = false; ///< needs several GiB of memory
};

struct Case {
  std::string name;
  Needs needs;
  std::function<void(Context&)> body;
};

/// All the cases, in the order in which they run.
class Registry {
public:
  void add(std::string name, Needs needs, std::function<void(Context&)> body);
  const std::vector<Case>& cases() const { return cases_; }

private:
  std::vector<Case> cases_;
};

/// Runs `body(0)` to `body(count - 1)` in threads of their own and waits for them.
void runThreads(int count, const std::function<void(int)>& body);

void addDatatypeCases(Registry& registry);
void addErrorCases(Registry& registry);
void addHugeCases(Registry& registry);
void addIsolationCases(Registry& registry);
void addLayoutCases(Registry& registry);
void addLifeCases(Registry& registry);
void addManyCases(Registry& registry);
void addNoStateCases(Registry& registry);
void addOrderCases(Registry& registry);
void addProcNullCases(Registry& registry);
void addProgressCases(Registry& registry);
void addRequestCases(Registry& registry);
void addSendModeCases(Registry& registry);
void addSizeCases(Registry& registry);
void addStatusCases(Registry& registry);
void addThreadCases(Registry& registry);
void addThreadHandoverCases(Registry& registry);
void addTruncationCases(Registry& registry);
void addWildcardCases(Registry& registry);
void addWorkQueueCases(Registry& registry);

} // namespace mprobe
