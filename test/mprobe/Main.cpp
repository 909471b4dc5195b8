// Runs the cases, or some of them:
//   --list           names all cases and ends (no launcher is needed)
//   --case NAME      runs this one (may be given again); NAME may end in * and then means all that begin so
//   --after NAME     runs those that come after this one
//   --threads LEVEL  asks for single, funneled, serialized or multiple (the default)
//   --huge           runs the cases that need several GiB, too
//   --times          prints how long each case took, too
//   --limit S        a case that takes more seconds (60 unless set, 0 for ever) has failed, and ends the
//   program
// Rank 0 prints "start NAME" before each case and "case NAME pass|fail|skip [reason]" after it, and at last
// "end". The exit status is 0 when no case failed.
#include "test/mprobe/Case.h"
#include "test/mprobe/Watchdog.h"

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace mprobe {
namespace {

struct Options {
  bool list = false;
  bool huge = false;
  bool times = false;
  int limit = 60;
  std::vector<std::string> only;
  std::string after;
  int threadLevel = MPI_THREAD_MULTIPLE;
};

int threadLevelOf(const std::string& word) {
  if (word == "single")
    return MPI_THREAD_SINGLE;
  if (word == "funneled")
    return MPI_THREAD_FUNNELED;
  if (word == "serialized")
    return MPI_THREAD_SERIALIZED;
  if (word == "multiple")
    return MPI_THREAD_MULTIPLE;
  std::fprintf(stderr, "unknown thread level '%s'\n", word.c_str());
  std::exit(2);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool takesValue = word == "--case" || word == "--after" || word == "--threads" || word == "--limit";
    if (takesValue && i + 1 == argc) {
      std::fprintf(stderr, "%s needs a value\n", word.c_str());
      std::exit(2);
    }
    if (word == "--list")
      options.list = true;
    else if (word == "--huge")
      options.huge = true;
    else if (word == "--times")
      options.times = true;
    else if (word == "--case")
      options.only.push_back(argv[++i]);
    else if (word == "--after")
      options.after = argv[++i];
    else if (word == "--limit")
      options.limit = std::atoi(argv[++i]);
    else if (word == "--threads")
      options.threadLevel = threadLevelOf(argv[++i]);
    else {
      std::fprintf(stderr, "unknown argument '%s'\n", word.c_str());
      std::exit(2);
    }
  }
  return options;
}

bool isWanted(const std::string& name, const std::vector<std::string>& only) {
  for (const std::string& pattern : only) {
    if (name == pattern)
      return true;
    if (!pattern.empty() && pattern.back() == '*' &&
        name.compare(0, pattern.size() - 1, pattern, 0, pattern.size() - 1) == 0)
      return true;
  }
  return only.empty();
}

void fill(Registry& registry) {
  addWildcardCases(registry);
  addSizeCases(registry);
  addNoStateCases(registry);
  addProgressCases(registry);
  addOrderCases(registry);
  addProcNullCases(registry);
  addStatusCases(registry);
  addTruncationCases(registry);
  addLifeCases(registry);
  addRequestCases(registry);
  addSendModeCases(registry);
  addDatatypeCases(registry);
  addLayoutCases(registry);
  addIsolationCases(registry);
  addErrorCases(registry);
  addThreadCases(registry);
  addThreadHandoverCases(registry);
  addWorkQueueCases(registry);
  addManyCases(registry);
  addHugeCases(registry);
}

/// The text of the lowest rank that has one, at rank 0. Collective.
std::string firstOf(const std::string& mine, MPI_Comm comm, int rank, int size) {
  const int have = mine.empty() ? size : rank;
  int first = size;
  MPI_Allreduce(&have, &first, 1, MPI_INT, MPI_MIN, comm);
  if (first == size)
    return {};
  char text[512] = "";
  if (rank == first)
    std::snprintf(text, sizeof text, "%s", mine.c_str());
  MPI_Bcast(text, sizeof text, MPI_CHAR, first, comm);
  return text;
}

/// A message that a case did not take shows that it counted wrongly, or that the library made one up.
void checkEmpty(Context& context) {
  context.barrier();
  int flag = 0;
  MPI_Status status;
  context.ok(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, context.comm(), &flag, &status), "MPI_Iprobe");
  if (flag)
    context.check(false, "a message of source " + std::to_string(status.MPI_SOURCE) + ", tag " +
                             std::to_string(status.MPI_TAG) + " is left over");
  context.barrier();
}

void runBody(const Case& one, Context& context) {
  try {
    one.body(context);
  } catch (const std::exception& error) {
    context.check(false, std::string("exception: ") + error.what());
  }
}

/// Runs one case on the first ranks of `world`. Gives false when it failed. Collective.
bool runCase(const Case& one, MPI_Comm world, int provided, bool huge) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  std::string skipped;
  if (size < one.needs.minRanks)
    skipped = "needs " + std::to_string(one.needs.minRanks) + " ranks";
  else if (provided < one.needs.threadLevel)
    skipped = "needs a higher thread level";
  else if (one.needs.huge && !huge)
    skipped = "needs --huge";
  if (!skipped.empty()) {
    if (rank == 0) {
      std::printf("case %s skip %s\n", one.name.c_str(), skipped.c_str());
      std::fflush(stdout);
    }
    return true;
  }
  if (rank == 0) {
    std::printf("start %s\n", one.name.c_str());
    std::fflush(stdout);
  }
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm control = MPI_COMM_NULL;
  MPI_Comm_split(world, rank < one.needs.maxRanks ? 0 : MPI_UNDEFINED, rank, &comm);
  std::string failure;
  if (comm != MPI_COMM_NULL) {
    MPI_Comm_dup(comm, &control);
    Context context(one.name, comm, control);
    runBody(one, context);
    if (context.failure().empty())
      checkEmpty(context);
    else
      // The others may be in checkEmpty(), which has two barriers.
      for (int i = 0; i < 2; ++i)
        context.barrier();
    failure = context.failure();
    skipped = context.skipReason();
  }
  failure = firstOf(failure, world, rank, size);
  skipped = firstOf(skipped, world, rank, size);
  if (rank == 0) {
    if (!failure.empty())
      std::printf("case %s fail %s\n", one.name.c_str(), failure.c_str());
    else if (!skipped.empty())
      std::printf("case %s skip %s\n", one.name.c_str(), skipped.c_str());
    else
      std::printf("case %s pass\n", one.name.c_str());
    std::fflush(stdout);
  }
  return failure.empty();
}

int runAll(const Registry& registry, const Options& options, int provided) {
  MPI_Comm world = MPI_COMM_NULL;
  int rank = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &world);
  MPI_Comm_rank(world, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  bool started = options.after.empty();
  int failed = 0;
  Watchdog watchdog(rank, options.limit);
  for (const Case& one : registry.cases()) {
    if (started && isWanted(one.name, options.only)) {
      watchdog.watch(one.name, one.needs.huge ? 4 : 1);
      const double begun = MPI_Wtime();
      if (!runCase(one, world, provided, options.huge))
        ++failed;
      watchdog.watch({});
      if (options.times && rank == 0)
        std::printf("time %s %.3f s\n", one.name.c_str(), MPI_Wtime() - begun);
    }
    if (one.name == options.after)
      started = true;
  }
  MPI_Comm_free(&world);
  if (rank == 0) {
    std::printf("end\n");
    std::fflush(stdout);
  }
  return failed == 0 ? 0 : 1;
}

} // namespace
} // namespace mprobe

int main(int argc, char** argv) {
  const mprobe::Options options = mprobe::parse(argc, argv);
  mprobe::Registry registry;
  mprobe::fill(registry);
  if (options.list) {
    for (const mprobe::Case& one : registry.cases())
      std::printf("%s\n", one.name.c_str());
    return 0;
  }
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, options.threadLevel, &provided);
  const int result = mprobe::runAll(registry, options, provided);
  MPI_Finalize();
  return result;
}
