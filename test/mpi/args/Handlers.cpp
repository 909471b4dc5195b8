// Error handlers made by the program: called with the right communicator and code, inherited by copies, alive
// as long as something uses them (MPI 4.1, 9.3).
#include "test/mpi/args/Expect.h"

#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace check;

namespace {

struct Call {
  MPI_Comm comm = MPI_COMM_NULL;
  int code = MPI_SUCCESS;
  int calls = 0;
};

Call first;
Call second;

void onFirst(MPI_Comm* comm, int* code, ...) {
  first.comm = *comm;
  first.code = *code;
  ++first.calls;
}

void onSecond(MPI_Comm* comm, int* code, ...) {
  second.comm = *comm;
  second.code = *code;
  ++second.calls;
}

void onQuiet(MPI_Comm*, int*, ...) {}

void onQuietToo(MPI_Comm*, int*, ...) {}

void clear() {
  first = Call{};
  second = Call{};
}

// Two new handlers, none of which has been called.
void giveHandlers(MPI_Comm a, MPI_Errhandler* one, MPI_Comm b, MPI_Errhandler* two) {
  MPI_Comm_create_errhandler(onFirst, one);
  MPI_Comm_create_errhandler(onSecond, two);
  MPI_Comm_set_errhandler(a, *one);
  MPI_Comm_set_errhandler(b, *two);
  clear();
}

void rightCommunicator() {
  MPI_Comm a;
  MPI_Comm b;
  MPI_Comm_dup(MPI_COMM_WORLD, &a);
  MPI_Comm_dup(MPI_COMM_WORLD, &b);
  MPI_Errhandler one;
  MPI_Errhandler two;
  giveHandlers(a, &one, b, &two);
  const int value = 1;
  int code = MPI_Send(&value, 1, MPI_INT, size(), 1, a);
  CHECK_EQ(first.calls, 1);
  CHECK_EQ(second.calls, 0);
  CHECK(first.comm == a);
  CHECK_EQ(errorClass(first.code), MPI_ERR_RANK);
  CHECK_EQ(code, first.code);
  code = MPI_Send(&value, 1, MPI_INT, 0, -8, b);
  CHECK_EQ(first.calls, 1);
  CHECK_EQ(second.calls, 1);
  CHECK(second.comm == b);
  CHECK_EQ(errorClass(second.code), MPI_ERR_TAG);
  CHECK_EQ(code, second.code);
  // A good call calls nobody.
  STILL_WORKS(a);
  STILL_WORKS(b);
  CHECK_EQ(first.calls, 1);
  CHECK_EQ(second.calls, 1);
  MPI_Errhandler_free(&one);
  MPI_Errhandler_free(&two);
  CHECK(one == MPI_ERRHANDLER_NULL);
  // They are freed in name; the communicators still use them (9.3.4).
  MPI_Send(&value, 1, MPI_INT, size(), 1, a);
  CHECK_EQ(first.calls, 2);
  MPI_Comm_free(&a);
  MPI_Comm_free(&b);
}

void inherited() {
  MPI_Comm a;
  MPI_Comm copy;
  MPI_Comm part;
  MPI_Errhandler one;
  MPI_Errhandler found;
  MPI_Comm_dup(MPI_COMM_WORLD, &a);
  MPI_Comm_create_errhandler(onFirst, &one);
  MPI_Comm_set_errhandler(a, one);
  MPI_Comm_get_errhandler(a, &found);
  CHECK(found == one);
  MPI_Errhandler_free(&found);
  MPI_Errhandler_free(&one);
  // A new communicator takes over the handler of its parent (9.3.1).
  MPI_Comm_dup(a, &copy);
  MPI_Comm_split(a, 0, rank(), &part);
  clear();
  const int value = 1;
  MPI_Send(&value, 1, MPI_INT, size(), 1, copy);
  CHECK_EQ(first.calls, 1);
  CHECK(first.comm == copy);
  MPI_Send(&value, 1, MPI_INT, size(), 1, part);
  CHECK_EQ(first.calls, 2);
  CHECK(first.comm == part);
  MPI_Comm_free(&a);
  MPI_Send(&value, 1, MPI_INT, size(), 1, copy);
  CHECK_EQ(first.calls, 3);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&part);
}

// An error that shows at the wait goes to the handler of the receive's communicator, whose handle may be
// freed by then.
void atTheWait() {
  MPI_Comm a;
  MPI_Comm_dup(MPI_COMM_WORLD, &a);
  MPI_Errhandler one;
  MPI_Comm_create_errhandler(onFirst, &one);
  MPI_Comm_set_errhandler(a, one);
  MPI_Errhandler_free(&one);
  const int right = (rank() + 1) % size();
  const int left = (rank() + size() - 1) % size();
  const int out[2] = {1, 2};
  int in[2] = {-1, -1};
  for (int way = 0; way < 4; ++way) {
    clear();
    MPI_Request request;
    MPI_Status status;
    int done = 0;
    int index = 0;
    int code = MPI_SUCCESS;
    MPI_Irecv(in, 1, MPI_INT, left, 1, a, &request);
    MPI_Send(out, 2, MPI_INT, right, 1, a);
    if (way == 0)
      code = MPI_Wait(&request, &status);
    else if (way == 1)
      while (!done && code == MPI_SUCCESS)
        code = MPI_Test(&request, &done, &status);
    else if (way == 2)
      code = MPI_Waitany(1, &request, &index, &status);
    else
      code = MPI_Waitall(1, &request, &status);
    CHECK_EQ(errorClass(code), way == 3 ? MPI_ERR_IN_STATUS : MPI_ERR_TRUNCATE);
    CHECK_EQ(first.calls, 1);
    CHECK(first.comm == a);
    CHECK_EQ(first.code, code);
    STILL_WORKS(a);
  }
  MPI_Comm_free(&a);
}

// Errors that belong to no communicator: MPI_COMM_SELF's handler since MPI 4.0 (9.3), MPI_COMM_WORLD's
// before.
void withoutACommunicator() {
  const MPI_Comm home = MPI_VERSION >= 4 ? MPI_COMM_SELF : MPI_COMM_WORLD;
  MPI_Errhandler one;
  MPI_Comm_create_errhandler(onFirst, &one);
  MPI_Comm_set_errhandler(home, one);
  MPI_Errhandler_free(&one);
  clear();
  const int value = 1;
  const int code = MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_NULL);
  CHECK_EQ(errorClass(code), MPI_ERR_COMM);
  CHECK_EQ(first.calls, 1);
  MPI_Datatype type;
  MPI_Type_contiguous(-1, MPI_INT, &type);
  CHECK_EQ(first.calls, 2);
  CHECK(first.comm == home);
  MPI_Comm_set_errhandler(home, MPI_ERRORS_RETURN);
}

void calledByHand() {
  MPI_Comm a;
  MPI_Comm_dup(MPI_COMM_WORLD, &a);
  MPI_Errhandler one;
  MPI_Comm_create_errhandler(onFirst, &one);
  MPI_Comm_set_errhandler(a, one);
  MPI_Errhandler_free(&one);
  clear();
  int mine = 0;
  int code = 0;
  MPI_Add_error_class(&mine);
  MPI_Add_error_code(mine, &code);
  MPI_Add_error_string(code, "the cat is on the keyboard");
  CHECK(mine > MPI_ERR_LASTCODE);
  CHECK_EQ(MPI_Comm_call_errhandler(a, code), MPI_SUCCESS);
  CHECK_EQ(first.calls, 1);
  CHECK_EQ(first.code, code);
  CHECK(first.comm == a);
  CHECK_EQ(errorClass(code), mine);
  CHECK_EQ(errorString(code), std::string("the cat is on the keyboard"));
  MPI_Comm_free(&a);
}

// A handler may itself use the library.
void onNested(MPI_Comm* comm, int* code, ...) {
  ++first.calls;
  first.comm = *comm;
  first.code = *code;
  int me = -1;
  MPI_Comm_rank(*comm, &me);
  second.calls = me + 100;
  const int value = 7;
  int in = 0;
  MPI_Sendrecv(&value, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  second.code = in;
}

void nested() {
  MPI_Comm a;
  MPI_Comm_dup(MPI_COMM_WORLD, &a);
  MPI_Errhandler one;
  MPI_Comm_create_errhandler(onNested, &one);
  MPI_Comm_set_errhandler(a, one);
  MPI_Errhandler_free(&one);
  clear();
  const int value = 1;
  MPI_Send(&value, 1, MPI_INT, size(), 1, a);
  CHECK_EQ(first.calls, 1);
  CHECK_EQ(second.calls, rank() + 100);
  CHECK_EQ(second.code, 7);
  STILL_WORKS(a);
  MPI_Comm_free(&a);
}

// A handler written in C++ may throw: the exception comes out of the call, and the library still works.
void onThrowing(MPI_Comm*, int* code, ...) {
  throw std::runtime_error("code " + std::to_string(*code));
}

void throwing() {
  MPI_Comm a;
  MPI_Comm_dup(MPI_COMM_WORLD, &a);
  MPI_Errhandler one;
  MPI_Comm_create_errhandler(onThrowing, &one);
  MPI_Comm_set_errhandler(a, one);
  MPI_Errhandler_free(&one);
  int value = 1;
  const std::vector<std::function<void()>> wrong = {
      [&] { MPI_Send(&value, 1, MPI_INT, size(), 1, a); },
      [&] { MPI_Recv(&value, 1, MPI_DATATYPE_NULL, 0, 1, a, MPI_STATUS_IGNORE); },
      [&] { MPI_Bcast(&value, 1, MPI_INT, -7, a); },
      [&] { MPI_Comm_call_errhandler(a, MPI_ERR_RANK); },
  };
  for (const auto& call : wrong) {
    bool caught = false;
    try {
      call();
    } catch (const std::runtime_error& error) {
      caught = std::string(error.what()).rfind("code ", 0) == 0;
    }
    CHECK(caught);
    STILL_WORKS(a);
  }
  MPI_Comm_free(&a);
}

// Threads that ask for handler and name while another changes them.
void changedMeanwhile() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level != MPI_THREAD_MULTIPLE)
    return;
  MPI_Comm a;
  MPI_Comm_dup(MPI_COMM_WORLD, &a);
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::thread asking([&] {
    const int value = 1;
    while (!stop) {
      char name[MPI_MAX_OBJECT_NAME];
      int length = 0;
      MPI_Comm_get_name(a, name, &length);
      if (length != 0 && std::string(name) != "one" && std::string(name) != "the other")
        ++wrong;
      if (errorClass(MPI_Send(&value, 1, MPI_INT, size(), 1, a)) != MPI_ERR_RANK)
        ++wrong;
      MPI_Errhandler found;
      MPI_Comm_get_errhandler(a, &found);
      MPI_Errhandler_free(&found);
    }
  });
  for (int i = 0; i < 2000; ++i) {
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(i % 2 ? onQuiet : onQuietToo, &handler);
    MPI_Comm_set_errhandler(a, handler);
    MPI_Errhandler_free(&handler);
    MPI_Comm_set_name(a, i % 2 ? "one" : "the other");
  }
  stop = true;
  asking.join();
  CHECK_EQ(wrong.load(), 0);
  MPI_Comm_free(&a);
}

// Starting belongs to the communicator of the request (9.3), whatever MPI_COMM_SELF's handler is.
void atTheStart() {
  MPI_Comm a;
  MPI_Comm_dup(MPI_COMM_WORLD, &a);
  MPI_Errhandler one;
  MPI_Errhandler two;
  giveHandlers(a, &one, MPI_COMM_SELF, &two);
  int value = 0;
  MPI_Request request;
  MPI_Recv_init(&value, 1, MPI_INT, rank(), 5, a, &request);
  CHECK_EQ(MPI_Start(&request), MPI_SUCCESS);
  CHECK_EQ(errorClass(MPI_Start(&request)), MPI_ERR_REQUEST);
  CHECK_EQ(errorClass(MPI_Startall(1, &request)), MPI_ERR_REQUEST);
  CHECK_EQ(first.calls, 2);
  CHECK_EQ(second.calls, 0);
  CHECK(first.comm == a);
  MPI_Send(&value, 1, MPI_INT, rank(), 5, a);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
#if CHECK_MPI_40
  MPI_Barrier_init(a, MPI_INFO_NULL, &request);
  CHECK_EQ(MPI_Start(&request), MPI_SUCCESS);
  CHECK_EQ(errorClass(MPI_Start(&request)), MPI_ERR_REQUEST);
  CHECK_EQ(first.calls, 3);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
#endif
  // No request, no communicator.
  request = MPI_REQUEST_NULL;
  CHECK_EQ(errorClass(MPI_Start(&request)), MPI_ERR_REQUEST);
  CHECK_EQ(second.calls, 1);
  MPI_Errhandler_free(&one);
  MPI_Errhandler_free(&two);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_free(&a);
}

#if CHECK_MPI_40
// A session or a handler that is none leaves MPI_COMM_SELF's handler.
void withoutASession() {
  MPI_Session session = MPI_SESSION_NULL;
  CHECK_EQ(errorClass(MPI_Session_finalize(&session)), MPI_ERR_SESSION);
  int sets = 0;
  CHECK_EQ(errorClass(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets)), MPI_ERR_SESSION);
  CHECK_EQ(errorClass(MPI_Session_init(MPI_INFO_NULL, MPI_ERRHANDLER_NULL, &session)), MPI_ERR_ERRHANDLER);
  MPI_Group group;
  MPI_Comm_group(MPI_COMM_SELF, &group);
  MPI_Comm comm = MPI_COMM_NULL;
  CHECK_EQ(errorClass(MPI_Comm_create_from_group(group, "x", MPI_INFO_NULL, MPI_ERRHANDLER_NULL, &comm)),
           MPI_ERR_ERRHANDLER);
  MPI_Group_free(&group);
}
#endif

// Many changes of handlers, with errors between them.
void changes() {
  MPI_Comm a;
  MPI_Comm_dup(MPI_COMM_WORLD, &a);
  clear();
  const int value = 1;
  for (int i = 0; i < 200; ++i) {
    MPI_Errhandler handler = MPI_ERRORS_RETURN;
    if (i % 3)
      MPI_Comm_create_errhandler(i % 3 == 1 ? onFirst : onSecond, &handler);
    MPI_Comm_set_errhandler(a, handler);
    if (i % 3)
      MPI_Errhandler_free(&handler);
    CHECK_EQ(errorClass(MPI_Send(&value, 1, MPI_INT, size(), 1, a)), MPI_ERR_RANK);
  }
  CHECK_EQ(first.calls, 67);
  CHECK_EQ(second.calls, 66);
  MPI_Comm_free(&a);
}

} // namespace

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  returnAllErrors();
  return run(argc, argv, {
    {"right-communicator", rightCommunicator}, {"inherited", inherited}, {"at-the-wait", atTheWait},
        {"at-the-start", atTheStart},
#if CHECK_MPI_40
        {"without-a-session", withoutASession},
#endif
        {"without-a-communicator", withoutACommunicator}, {"called-by-hand", calledByHand},
        {"nested", nested}, {"throwing", throwing}, {"changed-meanwhile", changedMeanwhile}, {
      "changes", changes
    }
  });
}
