#include "pair.h"

#include <string.h>

MPI_Comm world = MPI_COMM_NULL;
double initSeconds = 0;

#if MPI_VERSION >= 4
static MPI_Session session = MPI_SESSION_NULL;

static void beginSession(int level, int* provided) {
  static const char* const levels[] = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED",
                                       "MPI_THREAD_MULTIPLE"};
  static const int values[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                               MPI_THREAD_MULTIPLE};
  MPI_Info info;
  MPI_Group group;
  char text[MPI_MAX_INFO_VAL + 1] = "";
  int there = 0, length = sizeof text;
  MPI_Info_create(&info);
  for (int i = 0; i < 4; ++i)
    if (values[i] == level)
      MPI_Info_set(info, "thread_level", levels[i]);
  MPI_Session_init(info, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Info_free(&info);
  MPI_Session_get_info(session, &info);
  MPI_Info_get_string(info, "thread_level", &length, text, &there);
  MPI_Info_free(&info);
  *provided = level;
  for (int i = 0; there && i < 4; ++i)
    if (strcmp(text, levels[i]) == 0)
      *provided = values[i];
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "benchmark", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &world);
  MPI_Group_free(&group);
}
#endif

/* Gives the level of threads that there is. */
static int begin(const BenchOptions* options, int level) {
  int provided = MPI_THREAD_SINGLE;
  const double start = benchSeconds();
#if MPI_VERSION >= 4
  if (options->session) {
    beginSession(level, &provided);
    initSeconds = benchSeconds() - start;
    return provided;
  }
#else
  (void)options;
#endif
  if (level == MPI_THREAD_SINGLE)
    MPI_Init(NULL, NULL);
  else
    MPI_Init_thread(NULL, NULL, level, &provided);
  initSeconds = benchSeconds() - start;
  world = MPI_COMM_WORLD;
  return provided;
}

int mpiBegin(int argc, char** argv, BenchOptions* options, int level) {
  BenchOptions silent = *options;
  int rank;
  /* How to start is one of the options, but who may talk is known only after that. */
  benchOptions(argc, argv, -1, &silent);
  const int provided = begin(&silent, level);
  free(silent.list);
  free(silent.edges);
  MPI_Comm_rank(world, &rank);
  const int status = benchOptions(argc, argv, rank, options);
  if (status >= 0) {
    mpiEnd();
    exit(status);
  }
#if MPI_VERSION < 4
  if (options->session)
    mpiRefuse(options, "-I: this MPI has no sessions");
#endif
  for (int type = 0; benchUseType(options, type); ++type)
    if (elementsFirst(options) > options->largest)
      mpiRefuse(options, "-m: no size within these is one of whole elements of the type");
  options->type = options->typeList[0];
  if (provided < level)
    mpiRefuse(options, "this MPI does not have the level of threads that is needed");
  return rank;
}

int mpiRanks(const BenchOptions* options, int least) {
  int ranks;
  char text[64];
  MPI_Comm_size(world, &ranks);
  snprintf(text, sizeof text, "needs at least %d ranks", least);
  if (ranks < least)
    mpiRefuse(options, text);
  return ranks;
}

int pairBegin(int argc, char** argv, BenchOptions* options, int level) {
  const int rank = mpiBegin(argc, argv, options, level);
  if (mpiRanks(options, 1) != 2)
    mpiRefuse(options, "needs 2 ranks");
  return rank;
}

void mpiEnd(void) {
#if MPI_VERSION >= 4
  if (session != MPI_SESSION_NULL) {
    MPI_Comm_free(&world);
    MPI_Session_finalize(&session);
    return;
  }
#endif
  MPI_Finalize();
}

void mpiRefuse(const BenchOptions* options, const char* why) {
  int rank;
  MPI_Comm_rank(world, &rank);
  if (rank == 0)
    fprintf(stderr, "%s: %s\n", options->name, why);
  mpiEnd();
  exit(2);
}

void mpiCheck(const BenchOptions* options, size_t bytes, size_t wrong, size_t of) {
  int rank;
  if (wrong == 0)
    return;
  MPI_Comm_rank(world, &rank);
  benchWrong(options, rank, bytes, wrong, of);
  MPI_Abort(world, 3);
}

void pairCheck(const BenchOptions* options, const void* buffer, size_t bytes, unsigned seed) {
  mpiCheck(options, bytes, benchDiffers(buffer, 0, bytes, seed), bytes);
}

void mpiLimit(BenchOptions* options, size_t copies, size_t usual) {
  const size_t memory = options->memory ? options->memory : usual;
  const size_t asked = options->largest;
  int rank;
  while (memory != 0 && options->largest > memory / copies)
    options->largest /= 2;
  MPI_Comm_rank(world, &rank);
  if (options->largest < options->smallest)
    mpiRefuse(options, "-M allows less memory than the smallest size needs");
  if (options->largest != asked && rank == 0)
    fprintf(stderr, "%s: -M: sizes beyond %zu would need more than %zu bytes of memory\n", options->name,
            options->largest, memory);
}

void pairResize(Pair* pair, const BenchOptions* options, size_t bytes, int window) {
  pair->layout = layoutMake(options, bytes, 0);
  pair->buffers = options->buffers && window > 1 ? window : 1;
  pair->out = benchMemory(pair->layout.span * (size_t)pair->buffers);
  pair->in = benchMemory(pair->layout.span * (size_t)pair->buffers);
}

void pairFree(Pair* pair) {
  free(pair->in);
  free(pair->out);
  layoutFree(&pair->layout);
}

void pairFill(const Pair* pair) {
  for (int w = 0; w < pair->buffers; ++w) {
    benchFill(pairBuffer(pair, pair->out, w), pair->layout.span, (unsigned)pair->rank);
    memset(pairBuffer(pair, pair->in, w), untouched, pair->layout.span);
  }
}

void pairVerify(const Pair* pair, const BenchOptions* options) {
  size_t wrong = 0;
  for (int w = 0; w < pair->buffers; ++w)
    wrong += layoutDiffers(&pair->layout, pairBuffer(pair, pair->in, w), (unsigned)pair->peer);
  mpiCheck(options, pair->layout.span, wrong, pair->layout.span * (size_t)pair->buffers);
}

void* mpiAllocate(size_t bytes) {
  void* memory = malloc(bytes ? bytes : 1);
  if (memory == NULL)
    MPI_Abort(world, 1);
  return memory;
}
