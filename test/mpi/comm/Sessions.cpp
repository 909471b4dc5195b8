// Sessions (MPI 4.1, 11.3): without MPI_Init, beside it, and after MPI_Finalize; process sets, hints, error
// handlers, buffers. A program of its own kind: it may not use MPI_COMM_WORLD everywhere.
#include "test/mpi/Check.h"

#include <chrono>
#include <cstdio>
#include <thread>

using namespace check;

namespace {

int failures = 0;
int calls = 0;

void need(bool good, const char* what, int line) {
  ++calls;
  if (good)
    return;
  ++failures;
  std::fprintf(stderr, "line %d: %s\n", line, what);
}
#define NEED(condition) need((condition), #condition, __LINE__)

MPI_Session open(const char* level = nullptr) {
  MPI_Info info = MPI_INFO_NULL;
  if (level != nullptr) {
    MPI_Info_create(&info);
    MPI_Info_set(info, "thread_level", level);
  }
  MPI_Session session = MPI_SESSION_NULL;
  NEED(MPI_Session_init(info, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
  NEED(session != MPI_SESSION_NULL);
  if (level != nullptr)
    MPI_Info_free(&info);
  return session;
}

MPI_Comm worldOf(MPI_Session session, const char* tag) {
  MPI_Group group = MPI_GROUP_NULL;
  NEED(MPI_Group_from_session_pset(session, "mpi://WORLD", &group) == MPI_SUCCESS);
  MPI_Comm comm = MPI_COMM_NULL;
  NEED(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) == MPI_SUCCESS);
  MPI_Group_free(&group);
  return comm;
}

// Messages, collectives and a child communicator.
void use(MPI_Comm comm) {
  const int me = rankIn(comm);
  const int ranks = sizeOf(comm);
  int left = -1;
  MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % ranks, 3, &left, 1, MPI_INT, (me + ranks - 1) % ranks, 3, comm,
               MPI_STATUS_IGNORE);
  NEED(left == (me + ranks - 1) % ranks);
  int sum = 0;
  MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm);
  NEED(sum == ranks * (ranks - 1) / 2);
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(comm, me % 2, 0, &part);
  NEED(sizeOf(part) == (ranks + 1 - me % 2) / 2);
  MPI_Comm_free(&part);
}

void processSets(MPI_Session session) {
  int sets = 0;
  NEED(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets) == MPI_SUCCESS);
  NEED(sets >= 2);
  bool world = false;
  bool self = false;
  for (int i = 0; i < sets; ++i) {
    int length = 0;
    NEED(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, nullptr) == MPI_SUCCESS);
    std::string name(static_cast<std::size_t>(length), '?');
    NEED(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name.data()) == MPI_SUCCESS);
    NEED(static_cast<std::size_t>(length) == std::strlen(name.c_str()) + 1);
    world = world || std::strcmp(name.c_str(), "mpi://WORLD") == 0;
    self = self || std::strcmp(name.c_str(), "mpi://SELF") == 0;
    MPI_Info info = MPI_INFO_NULL;
    NEED(MPI_Session_get_pset_info(session, name.c_str(), &info) == MPI_SUCCESS);
    char size[16] = "";
    int flag = 0;
    MPI_Info_get(info, "mpi_size", 15, size, &flag);
    NEED(flag && std::atoi(size) >= 1);
    MPI_Info_free(&info);
  }
  NEED(world && self);
  char small[5] = "xxxx";
  int length = 5;
  NEED(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, small) == MPI_SUCCESS);
  NEED(std::strcmp(small, "mpi:") == 0 && length == 12);
  NEED(errorClass(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, sets, &length, small)) == MPI_ERR_ARG);
  MPI_Group group = MPI_GROUP_NULL;
  NEED(errorClass(MPI_Group_from_session_pset(session, "no such set", &group)) == MPI_ERR_ARG);

  NEED(MPI_Group_from_session_pset(session, "mpi://SELF", &group) == MPI_SUCCESS);
  MPI_Comm alone = MPI_COMM_NULL;
  MPI_Comm_create_from_group(group, "alone", MPI_INFO_NULL, MPI_ERRORS_RETURN, &alone);
  NEED(sizeOf(alone) == 1);
  MPI_Comm_free(&alone);
  MPI_Group_free(&group);
}

int handlerCode = 0;
void handler(MPI_Session*, int* code, ...) {
  handlerCode = *code;
}

void errorHandlers(MPI_Session session) {
  MPI_Errhandler mine = MPI_ERRHANDLER_NULL;
  NEED(MPI_Session_create_errhandler(handler, &mine) == MPI_SUCCESS);
  NEED(MPI_Session_set_errhandler(session, mine) == MPI_SUCCESS);
  MPI_Errhandler found = MPI_ERRHANDLER_NULL;
  NEED(MPI_Session_get_errhandler(session, &found) == MPI_SUCCESS);
  NEED(found == mine);
  MPI_Errhandler_free(&found);
  NEED(MPI_Session_call_errhandler(session, MPI_ERR_OTHER) == MPI_SUCCESS);
  NEED(errorClass(handlerCode) == MPI_ERR_OTHER);
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group_from_session_pset(session, "nothing", &group);
  NEED(errorClass(handlerCode) == MPI_ERR_ARG);
  // Its groups are the session's too (9.3), and those that are made of them.
  handlerCode = MPI_SUCCESS;
  NEED(MPI_Group_from_session_pset(session, "mpi://WORLD", &group) == MPI_SUCCESS);
  NEED(errorClass(MPI_Group_rank(group, nullptr)) == MPI_ERR_ARG);
  NEED(errorClass(handlerCode) == MPI_ERR_ARG);
  const int none = -1;
  MPI_Group part = MPI_GROUP_NULL;
  NEED(errorClass(MPI_Group_incl(group, 1, &none, &part)) == MPI_ERR_RANK);
  NEED(errorClass(handlerCode) == MPI_ERR_RANK);
  const int zero = 0;
  NEED(MPI_Group_excl(group, 1, &zero, &part) == MPI_SUCCESS);
  NEED(MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN) == MPI_SUCCESS);
  handlerCode = MPI_SUCCESS;
  NEED(errorClass(MPI_Group_size(group, nullptr)) == MPI_ERR_ARG);
  NEED(handlerCode == MPI_SUCCESS);
  MPI_Group_free(&part);
  MPI_Group_free(&group);
  MPI_Errhandler_free(&mine);
  MPI_Session broken = MPI_SESSION_NULL;
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "thread_level", "many");
  NEED(errorClass(MPI_Session_init(info, MPI_ERRORS_RETURN, &broken)) == MPI_ERR_INFO_VALUE);
  MPI_Info_free(&info);
  MPI_Session_get_info(session, &info);
  char level[32] = "";
  int flag = 0;
  MPI_Info_get(info, "thread_level", 31, level, &flag);
  NEED(flag && std::strncmp(level, "MPI_THREAD_", 11) == 0);
  MPI_Info_free(&info);
  NEED(MPI_Session_fromint(MPI_Session_toint(session)) == session);
}

#if CHECK_MPI_41
void buffers(MPI_Session session, MPI_Comm comm) {
  char memory[4096];
  NEED(MPI_Session_attach_buffer(session, memory, sizeof memory) == MPI_SUCCESS);
  const int me = rankIn(comm);
  const int ranks = sizeOf(comm);
  NEED(MPI_Bsend(&me, 1, MPI_INT, (me + 1) % ranks, 8, comm) == MPI_SUCCESS);
  // A child has the session from its parent.
  MPI_Comm child = MPI_COMM_NULL;
  MPI_Comm_dup(comm, &child);
  NEED(MPI_Bsend(&me, 1, MPI_INT, (me + 1) % ranks, 9, child) == MPI_SUCCESS);
  int left = -1;
  MPI_Recv(&left, 1, MPI_INT, (me + ranks - 1) % ranks, 8, comm, MPI_STATUS_IGNORE);
  NEED(left == (me + ranks - 1) % ranks);
  MPI_Recv(&left, 1, MPI_INT, (me + ranks - 1) % ranks, 9, child, MPI_STATUS_IGNORE);
  MPI_Comm_free(&child);
  NEED(MPI_Session_flush_buffer(session) == MPI_SUCCESS);
  MPI_Request request = MPI_REQUEST_NULL;
  NEED(MPI_Session_iflush_buffer(session, &request) == MPI_SUCCESS);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  void* was = nullptr;
  int size = 0;
  NEED(MPI_Session_detach_buffer(session, &was, &size) == MPI_SUCCESS);
  NEED(was == memory && size == static_cast<int>(sizeof memory));
  NEED(errorClass(MPI_Bsend(&me, 1, MPI_INT, 0, 8, comm)) == MPI_ERR_BUFFER);
}
#endif

void cycle(const char* tag) {
  MPI_Session session = open();
  MPI_Comm comm = worldOf(session, tag);
  use(comm);
  MPI_Comm_free(&comm);
  NEED(MPI_Session_finalize(&session) == MPI_SUCCESS);
  NEED(session == MPI_SESSION_NULL);
}

// A message whose request was freed has only MPI_Session_finalize to wait until it is received.
int receivedLate() {
  MPI_Session session = open();
  MPI_Comm comm = worldOf(session, "late");
  const bool sends = rankIn(comm) == 0;
  constexpr std::size_t bytes = 500000;
  std::vector<char> data(bytes, sends ? 'a' : 'b');
  MPI_Request request = MPI_REQUEST_NULL;
  if (sends) {
    NEED(MPI_Isend(data.data(), bytes, MPI_CHAR, 1, 4, comm, &request) == MPI_SUCCESS);
    NEED(MPI_Request_free(&request) == MPI_SUCCESS);
  } else {
    std::this_thread::sleep_for(std::chrono::seconds(6));
    NEED(MPI_Recv(data.data(), bytes, MPI_CHAR, 0, 4, comm, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    NEED(data == std::vector<char>(bytes, 'a'));
  }
  MPI_Comm_free(&comm);
  NEED(MPI_Session_finalize(&session) == MPI_SUCCESS);
  std::printf("%s: %d of %d checks failed\n", failures == 0 ? "PASS" : "FAIL", failures, calls);
  return failures != 0;
}

} // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "all";
  if (mode == "late")
    return receivedLate();
  int flag = -1;
  MPI_Initialized(&flag);
  NEED(flag == 0);

  // Again and again before MPI_Init.
  cycle("first");
  cycle("second");
  MPI_Session outer = open("MPI_THREAD_MULTIPLE");
  MPI_Session inner = open();
  MPI_Comm comm = worldOf(inner, "inner");
  MPI_Comm other = worldOf(outer, "outer");
  use(comm);
  use(other);
  int* upper = nullptr;
  NEED(MPI_Comm_get_attr(comm, MPI_TAG_UB, &upper, &flag) == MPI_SUCCESS);
  NEED(flag && upper != nullptr && *upper >= 32767);
  processSets(inner);
  errorHandlers(inner);
#if CHECK_MPI_41
  buffers(inner, comm);
#endif
  const int me = rankIn(comm);
  MPI_Initialized(&flag);
  NEED(flag == 0);
  // The last rank goes early, when nobody needs it any more; the others go on.
  MPI_Comm rest = MPI_COMM_NULL;
  MPI_Comm_split(comm, me == sizeOf(comm) - 1 ? MPI_UNDEFINED : 0, 0, &rest);
  MPI_Comm_free(&comm);
  MPI_Comm_free(&other);
  MPI_Session_finalize(&inner);

  if (mode == "early") {
    const bool early = rest == MPI_COMM_NULL;
    if (!early) {
      // Long enough for those who wait to see that the last rank has ended.
      const double begin = MPI_Wtime();
      for (int goOn = 1; goOn != 0;) {
        if (rankIn(rest) == 0)
          std::this_thread::sleep_for(std::chrono::milliseconds(200));
        use(rest);
        goOn = MPI_Wtime() - begin < 1.0;
        MPI_Bcast(&goOn, 1, MPI_INT, 0, rest);
      }
      MPI_Comm_free(&rest);
    }
    MPI_Session_finalize(&outer);
    std::printf("%s: %d of %d checks failed\n", failures == 0 ? "PASS" : "FAIL", failures, calls);
    return failures != 0;
  }
  if (rest != MPI_COMM_NULL)
    MPI_Comm_free(&rest);

  // The World Model beside a session that goes on through it.
  comm = worldOf(outer, "through");
  MPI_Init(&argc, &argv);
  MPI_Initialized(&flag);
  NEED(flag == 1);
  use(MPI_COMM_WORLD);
  use(comm);
  cycle("inside");
  MPI_Finalize();
  MPI_Finalized(&flag);
  NEED(flag == 1);
  use(comm);
  cycle("afterwards");
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&outer);
  cycle("last");
  if (failures == 0 && calls > 0 && me == 0)
    std::printf("PASS Sessions: 1 cases, %d checks\n", calls);
  return failures != 0;
}
