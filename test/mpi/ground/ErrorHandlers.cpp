// Error handlers on communicators: who is called, with what, how long a handler lives (MPI-5.0, section 9.3).
#include "test/mpi/Check.h"

using check::errorClass;

namespace {

struct Seen {
  int calls = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  int code = MPI_SUCCESS;
};
Seen seen;
Seen seenBySecond;

void note(MPI_Comm* comm, int* code, ...) {
  ++seen.calls;
  seen.comm = *comm;
  seen.code = *code;
}

void noteSecond(MPI_Comm* comm, int* code, ...) {
  ++seenBySecond.calls;
  seenBySecond.comm = *comm;
  seenBySecond.code = *code;
}

void reset() {
  seen = {};
  seenBySecond = {};
}

MPI_Errhandler make(MPI_Comm_errhandler_function* function) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  CHECK_EQ(MPI_Comm_create_errhandler(function, &handler), MPI_SUCCESS);
  CHECK(handler != MPI_ERRHANDLER_NULL);
  return handler;
}

// A call that fails on the communicator with MPI_ERR_RANK.
int failingCall(MPI_Comm comm) {
  char byte = 0;
  return MPI_Send(&byte, 1, MPI_CHAR, check::sizeOf(comm) + 5, 0, comm);
}

MPI_Comm duplicate(MPI_Comm from = MPI_COMM_WORLD) {
  MPI_Comm comm = MPI_COMM_NULL;
  CHECK_EQ(MPI_Comm_dup(from, &comm), MPI_SUCCESS);
  return comm;
}

void theHandlerOfTheCommunicatorIsCalled() {
  reset();
  MPI_Comm one = duplicate();
  MPI_Comm two = duplicate();
  MPI_Errhandler first = make(note);
  MPI_Errhandler second = make(noteSecond);
  CHECK_EQ(MPI_Comm_set_errhandler(one, first), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_set_errhandler(two, second), MPI_SUCCESS);
  CHECK_EQ(errorClass(failingCall(one)), MPI_ERR_RANK);
  CHECK_EQ(seen.calls, 1);
  CHECK(seen.comm == one);
  CHECK_EQ(errorClass(seen.code), MPI_ERR_RANK);
  CHECK_EQ(seenBySecond.calls, 0);
  CHECK_EQ(errorClass(failingCall(two)), MPI_ERR_RANK);
  CHECK_EQ(seen.calls, 1);
  CHECK_EQ(seenBySecond.calls, 1);
  CHECK(seenBySecond.comm == two);
  MPI_Errhandler_free(&first);
  MPI_Errhandler_free(&second);
  MPI_Comm_free(&one);
  MPI_Comm_free(&two);
}

void errorsReturnGivesTheCode() {
  const check::ReturningComm comm;
  const int code = failingCall(comm);
  CHECK_EQ(errorClass(code), MPI_ERR_RANK);
  CHECK(!check::errorString(code).empty());
}

void aFreedHandlerGoesOnWorking() {
  reset();
  MPI_Comm comm = duplicate();
  MPI_Errhandler handler = make(note);
  CHECK_EQ(MPI_Comm_set_errhandler(comm, handler), MPI_SUCCESS);
  CHECK_EQ(MPI_Errhandler_free(&handler), MPI_SUCCESS);
  CHECK(handler == MPI_ERRHANDLER_NULL);
  CHECK_EQ(errorClass(failingCall(comm)), MPI_ERR_RANK);
  CHECK_EQ(seen.calls, 1);
  MPI_Comm_free(&comm);
}

void getGivesWhatWasSet() {
  reset();
  MPI_Comm comm = duplicate();
  MPI_Errhandler handler = make(note);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Errhandler_free(&handler);
  MPI_Errhandler got = MPI_ERRHANDLER_NULL;
  CHECK_EQ(MPI_Comm_get_errhandler(comm, &got), MPI_SUCCESS);
  CHECK(got != MPI_ERRHANDLER_NULL);
  MPI_Comm other = duplicate(MPI_COMM_SELF);
  CHECK_EQ(MPI_Comm_set_errhandler(other, got), MPI_SUCCESS);
  CHECK_EQ(MPI_Errhandler_free(&got), MPI_SUCCESS);
  MPI_Comm_free(&comm);
  CHECK_EQ(errorClass(failingCall(other)), MPI_ERR_RANK);
  CHECK_EQ(seen.calls, 1);
  CHECK(seen.comm == other);
  MPI_Comm_free(&other);
}

void predefinedHandlersCanBeGotAndFreed() {
  MPI_Comm comm = duplicate();
  for (const MPI_Errhandler predefined : {MPI_ERRORS_RETURN, MPI_ERRORS_ARE_FATAL}) {
    CHECK_EQ(MPI_Comm_set_errhandler(comm, predefined), MPI_SUCCESS);
    for (int i = 0; i < 3; ++i) {
      MPI_Errhandler got = MPI_ERRHANDLER_NULL;
      CHECK_EQ(MPI_Comm_get_errhandler(comm, &got), MPI_SUCCESS);
      CHECK(got == predefined);
      CHECK_EQ(MPI_Errhandler_free(&got), MPI_SUCCESS);
      CHECK(got == MPI_ERRHANDLER_NULL);
    }
  }
  MPI_Comm_free(&comm);
}

void theDefaultIsFatal() {
  for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
    MPI_Errhandler got = MPI_ERRHANDLER_NULL;
    CHECK_EQ(MPI_Comm_get_errhandler(comm, &got), MPI_SUCCESS);
    CHECK(got == MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&got);
  }
}

void duplicatesInheritTheHandler() {
  reset();
  MPI_Comm parent = duplicate();
  MPI_Errhandler handler = make(note);
  MPI_Comm_set_errhandler(parent, handler);
  MPI_Comm child = duplicate(parent);
  MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&parent);
  CHECK_EQ(errorClass(failingCall(child)), MPI_ERR_RANK);
  CHECK_EQ(seen.calls, 1);
  CHECK(seen.comm == child);
  MPI_Comm_free(&child);
}

void splitCommunicatorsInheritTheHandler() {
  reset();
  MPI_Comm parent = duplicate();
  MPI_Errhandler handler = make(note);
  MPI_Comm_set_errhandler(parent, handler);
  MPI_Comm half = MPI_COMM_NULL;
  CHECK_EQ(MPI_Comm_split(parent, check::rank() % 2, 0, &half), MPI_SUCCESS);
  CHECK_EQ(errorClass(failingCall(half)), MPI_ERR_RANK);
  CHECK_EQ(seen.calls, 1);
  CHECK(seen.comm == half);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&half);
  MPI_Comm_free(&parent);
}

void callErrhandlerCallsIt() {
  reset();
  MPI_Comm comm = duplicate();
  MPI_Errhandler handler = make(note);
  MPI_Comm_set_errhandler(comm, handler);
  CHECK_EQ(MPI_Comm_call_errhandler(comm, MPI_ERR_TOPOLOGY), MPI_SUCCESS);
  CHECK_EQ(seen.calls, 1);
  CHECK_EQ(seen.code, MPI_ERR_TOPOLOGY);
  CHECK(seen.comm == comm);
  int code = 0;
  MPI_Add_error_code(MPI_ERR_OTHER, &code);
  CHECK_EQ(MPI_Comm_call_errhandler(comm, code), MPI_SUCCESS);
  CHECK_EQ(seen.calls, 2);
  CHECK_EQ(seen.code, code);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&comm);
}

int depth = 0;

// Fails itself, on another communicator and on the same one.
void nested(MPI_Comm* comm, int* code, ...) {
  const int mine = ++depth;
  if (mine >= 3)
    return;
  const check::ReturningComm quiet(MPI_COMM_SELF);
  CHECK_EQ(errorClass(failingCall(quiet)), MPI_ERR_RANK);
  CHECK_EQ(errorClass(failingCall(*comm)), MPI_ERR_RANK);
  CHECK_EQ(errorClass(*code), MPI_ERR_RANK);
}

void handlersMayCallMpiAndFail() {
  depth = 0;
  MPI_Comm comm = duplicate(MPI_COMM_SELF);
  MPI_Errhandler handler = make(nested);
  MPI_Comm_set_errhandler(comm, handler);
  CHECK_EQ(errorClass(failingCall(comm)), MPI_ERR_RANK);
  CHECK_EQ(depth, 3);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&comm);
}

void replacesItself(MPI_Comm* comm, int*, ...) {
  MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN);
}

void handlersMayReplaceThemselves() {
  MPI_Comm comm = duplicate(MPI_COMM_SELF);
  MPI_Errhandler handler = make(replacesItself);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Errhandler_free(&handler);
  CHECK_EQ(errorClass(failingCall(comm)), MPI_ERR_RANK);
  MPI_Errhandler got = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(comm, &got);
  CHECK(got == MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&got);
  MPI_Comm_free(&comm);
}

void theNextCallWorks() {
  const check::ReturningComm comm;
  const int me = check::rank();
  const int next = (me + 1) % check::size();
  for (int i = 0; i < 10; ++i) {
    CHECK_EQ(errorClass(failingCall(comm)), MPI_ERR_RANK);
    int out = me;
    int in = -1;
    CHECK_EQ(
        MPI_Sendrecv(&out, 1, MPI_INT, next, i, &in, 1, MPI_INT, MPI_ANY_SOURCE, i, comm, MPI_STATUS_IGNORE),
        MPI_SUCCESS);
    CHECK_EQ(in, (me + check::size() - 1) % check::size());
  }
}

// Errors of calls without a communicator, or with one that is none, go to MPI_COMM_SELF (since MPI 4.0).
void errorsWithoutObjectGoToSelf() {
#if CHECK_MPI_40
  reset();
  MPI_Errhandler handler = make(note);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  MPI_Info info = MPI_INFO_NULL;
  CHECK_EQ(errorClass(MPI_Info_free(&info)), MPI_ERR_INFO);
  CHECK_EQ(seen.calls, 1);
  CHECK(seen.comm == MPI_COMM_SELF);
  CHECK_EQ(errorClass(MPI_Barrier(MPI_COMM_NULL)), MPI_ERR_COMM);
  CHECK_EQ(seen.calls, 2);
  MPI_Group group = MPI_GROUP_NULL;
  CHECK_EQ(errorClass(MPI_Group_free(&group)), MPI_ERR_GROUP);
  CHECK_EQ(seen.calls, 3);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
#endif
}

// What other libraries report in ways of their own: only for those with the class.
void badHandlersAreErrors() {
#ifdef MPI_ERR_ERRHANDLER
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  const check::ReturningComm comm;
  CHECK_EQ(errorClass(MPI_Comm_set_errhandler(comm, MPI_ERRHANDLER_NULL)), MPI_ERR_ERRHANDLER);
  MPI_Errhandler handler = make(note);
  const MPI_Errhandler stale = handler;
  MPI_Errhandler_free(&handler);
  CHECK_EQ(errorClass(MPI_Comm_set_errhandler(comm, stale)), MPI_ERR_ERRHANDLER);
  CHECK_EQ(errorClass(MPI_Errhandler_free(&handler)), MPI_ERR_ERRHANDLER);
  MPI_Errhandler again = stale;
  CHECK_EQ(errorClass(MPI_Errhandler_free(&again)), MPI_ERR_ERRHANDLER);
  CHECK(again == stale);
  CHECK_EQ(errorClass(MPI_Errhandler_free(nullptr)), MPI_ERR_ARG);
  CHECK_EQ(errorClass(MPI_Comm_create_errhandler(nullptr, &handler)), MPI_ERR_ARG);
  CHECK_EQ(errorClass(MPI_Comm_create_errhandler(note, nullptr)), MPI_ERR_ARG);
  CHECK_EQ(errorClass(MPI_Comm_get_errhandler(comm, nullptr)), MPI_ERR_ARG);
  CHECK_EQ(errorClass(MPI_Comm_get_errhandler(MPI_COMM_NULL, &handler)), MPI_ERR_COMM);
  CHECK_EQ(errorClass(MPI_Comm_set_errhandler(MPI_COMM_NULL, MPI_ERRORS_RETURN)), MPI_ERR_COMM);
  CHECK_EQ(errorClass(MPI_Comm_call_errhandler(MPI_COMM_NULL, MPI_ERR_OTHER)), MPI_ERR_COMM);
  // Nothing of this has touched what was there: the communicator returns its errors as before.
  CHECK_EQ(errorClass(failingCall(comm)), MPI_ERR_RANK);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
#endif
}

void handlesAsIntegers() {
#if MPI_VERSION >= 5
  MPI_Errhandler handler = make(note);
  CHECK(MPI_Errhandler_fromint(MPI_Errhandler_toint(handler)) == handler);
  CHECK(MPI_Errhandler_fromint(MPI_Errhandler_toint(MPI_ERRORS_RETURN)) == MPI_ERRORS_RETURN);
  CHECK(MPI_Errhandler_fromint(MPI_Errhandler_toint(MPI_ERRHANDLER_NULL)) == MPI_ERRHANDLER_NULL);
  MPI_Errhandler_free(&handler);
#endif
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return check::run(argc, argv,
                    {
                        {"default", theDefaultIsFatal},
                        {"called", theHandlerOfTheCommunicatorIsCalled},
                        {"return", errorsReturnGivesTheCode},
                        {"freed", aFreedHandlerGoesOnWorking},
                        {"get", getGivesWhatWasSet},
                        {"predefined", predefinedHandlersCanBeGotAndFreed},
                        {"dup", duplicatesInheritTheHandler},
                        {"split", splitCommunicatorsInheritTheHandler},
                        {"call", callErrhandlerCallsIt},
                        {"nested", handlersMayCallMpiAndFail},
                        {"replace", handlersMayReplaceThemselves},
                        {"next-call", theNextCallWorks},
                        {"self", errorsWithoutObjectGoToSelf},
                        {"bad", badHandlersAreErrors},
                        {"integers", handlesAsIntegers},
                    });
}
