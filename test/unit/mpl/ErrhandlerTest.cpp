#include "mpl/Errhandler.h"

#include "mpl/ErrorCodes.h"
#include "mpl/Group.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace mpl {
namespace {

template <class Run> int classOf(Run&& run) {
  try {
    run();
  } catch (const Error& error) {
    EXPECT_FALSE(error.message().empty());
    return error.errorClass();
  }
  return MPI_SUCCESS;
}

struct Seen {
  int calls = 0;
  const void* object = nullptr;
  int code = MPI_SUCCESS;
};
Seen seen;

template <class Handle> void note(Handle* handle, int* code, ...) {
  ++seen.calls;
  seen.object = *handle;
  seen.code = *code;
}

void replaceCode(MPI_Comm*, int* code, ...) {
  *code = MPI_ERR_INTERN;
}

const auto comm = reinterpret_cast<MPI_Comm>(std::uintptr_t(0x1234));

class ErrhandlerTest : public testing::Test {
protected:
  void SetUp() override { seen = {}; }
};

template <class Handle> class ErrhandlerKinds : public testing::Test {
protected:
  void SetUp() override { seen = {}; }
};
using Kinds = testing::Types<MPI_Comm, MPI_Win, MPI_File, MPI_Session>;
TYPED_TEST_SUITE(ErrhandlerKinds, Kinds);

TYPED_TEST(ErrhandlerKinds, CallsTheProgramsFunctionWithHandleAndCode) {
  const auto object = reinterpret_cast<TypeParam>(std::uintptr_t(0x1235));
  const auto handler = Errhandler::create(&note<TypeParam>);
  EXPECT_FALSE(handler->isPredefined());
  EXPECT_EQ(handler->template function<TypeParam>(), &note<TypeParam>);
  EXPECT_EQ(raise(handler, object, nullptr, MPI_ERR_TAG, "MPI_X: tag -7 is not valid"), MPI_ERR_TAG);
  EXPECT_EQ(seen.calls, 1);
  EXPECT_EQ(seen.object, object);
  EXPECT_EQ(seen.code, MPI_ERR_TAG);
  EXPECT_EQ(errorString(MPI_ERR_TAG), "MPI_ERR_TAG: MPI_X: tag -7 is not valid");
  callErrhandler(handler, object, nullptr, MPI_ERR_OTHER);
  EXPECT_EQ(seen.calls, 2);
  EXPECT_EQ(seen.code, MPI_ERR_OTHER);
}

TYPED_TEST(ErrhandlerKinds, SuitsItsOwnKindOnly) {
  const auto handler = Errhandler::create(&note<TypeParam>);
  EXPECT_EQ(handler->template suits<MPI_Comm>(), (std::is_same_v<TypeParam, MPI_Comm>));
  EXPECT_EQ(handler->template suits<MPI_Win>(), (std::is_same_v<TypeParam, MPI_Win>));
  EXPECT_EQ(handler->template suits<MPI_File>(), (std::is_same_v<TypeParam, MPI_File>));
  EXPECT_EQ(handler->template suits<MPI_Session>(), (std::is_same_v<TypeParam, MPI_Session>));
}

TYPED_TEST(ErrhandlerKinds, PredefinedHandlersSuitAllKinds) {
  EXPECT_TRUE(Errhandler::fatal()->template suits<TypeParam>());
  EXPECT_EQ(Errhandler::fatal()->template function<TypeParam>(), nullptr);
  const auto object = reinterpret_cast<TypeParam>(std::uintptr_t(0x1235));
  const auto giveBack = Errhandler::predefined(Errhandler::Action::giveBack);
  EXPECT_EQ(raise(giveBack, object, nullptr, MPI_ERR_COUNT, "MPI_X: count -1"), MPI_ERR_COUNT);
  EXPECT_EQ(errorString(MPI_ERR_COUNT), "MPI_ERR_COUNT: MPI_X: count -1");
}

TYPED_TEST(ErrhandlerKinds, RefusesNoFunction) {
  using Function = void (*)(TypeParam*, int*, ...);
  EXPECT_EQ(classOf([] { Errhandler::create(static_cast<Function>(nullptr)); }), MPI_ERR_ARG);
}

TEST_F(ErrhandlerTest, PredefinedHandlesAreBound) {
  EXPECT_EQ(errhandlerOf(MPI_ERRORS_ARE_FATAL).action(), Errhandler::Action::fatal);
  EXPECT_EQ(errhandlerOf(MPI_ERRORS_ABORT).action(), Errhandler::Action::abort);
  EXPECT_EQ(errhandlerOf(MPI_ERRORS_RETURN).action(), Errhandler::Action::giveBack);
  EXPECT_EQ(giveHandle(Errhandler::fatal()), MPI_ERRORS_ARE_FATAL);
  EXPECT_EQ(giveHandle(Errhandler::predefined(Errhandler::Action::giveBack)), MPI_ERRORS_RETURN);
  freeErrhandler(MPI_ERRORS_RETURN);
  freeErrhandler(MPI_ERRORS_RETURN);
  EXPECT_TRUE(errhandlerOf(MPI_ERRORS_RETURN).isPredefined());
}

TEST_F(ErrhandlerTest, TheHandlerMayChangeTheCode) {
  EXPECT_EQ(raise(Errhandler::create(&replaceCode), comm, nullptr, MPI_ERR_TAG, "x"), MPI_ERR_INTERN);
}

TEST_F(ErrhandlerTest, OneHandleForOneHandler) {
  const std::size_t before = errhandlers->live();
  auto handler = Errhandler::create(&note<MPI_Comm>);
  const MPI_Errhandler handle = giveHandle(handler);
  EXPECT_EQ(giveHandle(handler), handle);
  EXPECT_EQ(handler->references(), 3);
  freeErrhandler(handle);
  EXPECT_EQ(&errhandlerOf(handle), handler.get()) << "given twice, freed once";
  freeErrhandler(handle);
  EXPECT_EQ(handler->references(), 1);
  EXPECT_EQ(errhandlers->live(), before + 1);
  handler = nullptr;
  EXPECT_EQ(errhandlers->live(), before);
}

TEST_F(ErrhandlerTest, FreedHandlesAreNotTakenThoughTheHandlerLives) {
  const auto handler = Errhandler::create(&note<MPI_Comm>);
  const MPI_Errhandler handle = giveHandle(handler);
  freeErrhandler(handle);
  EXPECT_EQ(classOf([&] { errhandlerOf(handle); }), MPI_ERR_ERRHANDLER);
  EXPECT_EQ(classOf([&] { freeErrhandler(handle); }), MPI_ERR_ERRHANDLER);
  EXPECT_EQ(handler->references(), 1);
  EXPECT_EQ(raise(handler, comm, nullptr, MPI_ERR_TAG, "x"), MPI_ERR_TAG);
  EXPECT_EQ(seen.calls, 1) << "objects go on using it";
  EXPECT_EQ(giveHandle(handler), handle) << "MPI_Comm_get_errhandler revives the handle";
  EXPECT_EQ(&errhandlerOf(handle), handler.get());
  freeErrhandler(handle);
}

TEST_F(ErrhandlerTest, TheProgramsHandleKeepsTheHandlerAlive) {
  const MPI_Errhandler handle = giveHandle(Errhandler::create(&note<MPI_Win>));
  EXPECT_TRUE(errhandlerOf(handle).suits<MPI_Win>());
  freeErrhandler(handle);
  EXPECT_EQ(classOf([&] { errhandlerOf(handle); }), MPI_ERR_ERRHANDLER);
}

TEST_F(ErrhandlerTest, NullAndInventedHandlesAreErrors) {
  EXPECT_EQ(classOf([] { errhandlerOf(MPI_ERRHANDLER_NULL); }), MPI_ERR_ERRHANDLER);
  EXPECT_EQ(classOf([] { freeErrhandler(MPI_ERRHANDLER_NULL); }), MPI_ERR_ERRHANDLER);
  for (const std::uintptr_t value : {std::uintptr_t(0), std::uintptr_t(0x555500001000), ~std::uintptr_t(0)})
    EXPECT_EQ(classOf([&] { errhandlerOf(reinterpret_cast<MPI_Errhandler>(value)); }), MPI_ERR_ERRHANDLER);
}

MPI_Errhandler ownHandle;
void freesItself(MPI_Comm*, int* code, ...) {
  freeErrhandler(ownHandle);
  *code = MPI_ERR_OTHER;
}

TEST_F(ErrhandlerTest, AHandlerMayFreeItselfWhileItRuns) {
  auto handler = Errhandler::create(&freesItself);
  ownHandle = giveHandle(handler);
  Ref<Errhandler> last = std::move(handler);
  EXPECT_EQ(raise(std::move(last), comm, nullptr, MPI_ERR_TAG, "x"), MPI_ERR_OTHER);
  EXPECT_EQ(classOf([] { errhandlerOf(ownHandle); }), MPI_ERR_ERRHANDLER);
}

void raisesAgain(MPI_Comm* handle, int*, ...) {
  EXPECT_EQ(raise(Errhandler::create(&note<MPI_Comm>), *handle, nullptr, MPI_ERR_RANK, "inner"),
            MPI_ERR_RANK);
}

TEST_F(ErrhandlerTest, AHandlerMayFailItself) {
  EXPECT_EQ(raise(Errhandler::create(&raisesAgain), comm, nullptr, MPI_ERR_TAG, "outer"), MPI_ERR_TAG);
  EXPECT_EQ(seen.code, MPI_ERR_RANK);
}

void throws(MPI_Comm*, int*, ...) {
  throw std::runtime_error("from the handler");
}

TEST_F(ErrhandlerTest, ExceptionsOfTheProgramPass) {
  EXPECT_THROW(raise(Errhandler::create(&throws), comm, nullptr, MPI_ERR_TAG, "x"), std::runtime_error);
}

TEST_F(ErrhandlerTest, AddedCodesKeepTheirTexts) {
  const int code = addErrorCode(MPI_ERR_OTHER);
  addErrorString(code, "mine");
  const auto giveBack = Errhandler::predefined(Errhandler::Action::giveBack);
  EXPECT_EQ(raise(giveBack, comm, nullptr, code, "MPI_Comm_dup: callback failed"), code);
  EXPECT_EQ(errorString(code), "mine");
}

/// Tells in the exit status and in a line what was asked for.
void tellingHook(const AbortRequest& request) {
  const char* scope = request.scope == AbortRequest::Scope::job     ? "job"
                      : request.scope == AbortRequest::Scope::group ? "group"
                                                                    : "process";
  std::fprintf(stderr, "hook: %s %d %d\n", scope, request.group != nullptr ? request.group->size() : -1,
               request.code);
  std::_Exit(42);
}

using ErrhandlerDeathTest = ErrhandlerTest;

TEST_F(ErrhandlerDeathTest, FatalEndsTheJobWithOneLine) {
  setAbortHook(&tellingHook);
  const auto group = Group::of({0, 1, 5});
  EXPECT_EXIT(
      raise(Errhandler::fatal(), comm, group.get(), MPI_ERR_RANK, "MPI_Send: rank 7 is not there"),
      testing::ExitedWithCode(42),
      "mpl.*: MPI_Send: rank 7 is not there: MPI_ERR_RANK \\(MPI_ERRORS_ARE_FATAL\\)\nhook: job 3 6\n$");
  setAbortHook(nullptr);
}

TEST_F(ErrhandlerDeathTest, AbortEndsTheGroup) {
  setAbortHook(&tellingHook);
  const auto abort = Errhandler::predefined(Errhandler::Action::abort);
  const auto group = Group::of({0, 1, 5});
  EXPECT_EXIT(raise(abort, comm, group.get(), MPI_ERR_RANK, "MPI_Send: x"), testing::ExitedWithCode(42),
              "MPI_Send: x: MPI_ERR_RANK \\(MPI_ERRORS_ABORT\\)\nhook: group 3 6\n$");
  EXPECT_EXIT(raise(abort, comm, nullptr, MPI_ERR_RANK, "MPI_Send: x"), testing::ExitedWithCode(42),
              "hook: process -1 6\n$");
  const auto session = reinterpret_cast<MPI_Session>(std::uintptr_t(0x1234));
  EXPECT_EXIT(raise(abort, session, group.get(), MPI_ERR_ARG, "MPI_Session_x"), testing::ExitedWithCode(42),
              "hook: process 3 13\n$");
  setAbortHook(nullptr);
}

TEST_F(ErrhandlerDeathTest, CallingAFatalHandlerSaysWhoCalled) {
  const int code = addErrorClass();
  addErrorString(code, "out of cheese");
  EXPECT_EXIT(callErrhandler(Errhandler::fatal(), comm, nullptr, code), testing::ExitedWithCode(1),
              "the program called the error handler: error code [0-9]+ \"out of cheese\"");
  EXPECT_EXIT(callErrhandler(Errhandler::fatal(), comm, nullptr, MPI_ERR_IO),
              testing::ExitedWithCode(MPI_ERR_IO), "the program called the error handler: MPI_ERR_IO");
  EXPECT_EXIT(callErrhandler(Errhandler::fatal(), comm, nullptr, code + 1000), testing::ExitedWithCode(1),
              "error code [0-9]+ \\(unknown\\)");
}

TEST_F(ErrhandlerDeathTest, TheExitStatusIsNeverZero) {
  setAbortHook(nullptr);
  for (const int code : {MPI_SUCCESS, 256, 512, -256})
    EXPECT_EXIT(abortProcesses({.code = code}), testing::ExitedWithCode(1), "");
  EXPECT_EXIT(abortProcesses({.code = 7}), testing::ExitedWithCode(7), "");
}

TEST_F(ErrhandlerDeathTest, AHookThatReturnsEndsAllTheSame) {
  EXPECT_EXIT(
      {
        setAbortHook([](const AbortRequest&) {});
        abortProcesses({.code = 9});
      },
      testing::ExitedWithCode(9), "");
}

TEST_F(ErrhandlerDeathTest, AHandlerOfTheWrongKindIsFatal) {
  EXPECT_EXIT(raise(Errhandler::create(&note<MPI_Win>), comm, nullptr, MPI_ERR_TAG, "x"),
              testing::ExitedWithCode(MPI_ERR_TAG), "x: MPI_ERR_TAG");
}

TEST_F(ErrhandlerTest, ThreadsMayShareAHandler) {
  const auto handler = Errhandler::create(&replaceCode);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 5000; ++i) {
          const MPI_Errhandler handle = giveHandle(handler);
          EXPECT_EQ(raise(Ref<Errhandler>(&errhandlerOf(handle)), comm, nullptr, MPI_ERR_TAG, "x"),
                    MPI_ERR_INTERN);
          freeErrhandler(handle);
        }
      });
  }
  EXPECT_EQ(handler->references(), 1);
}

} // namespace
} // namespace mpl
