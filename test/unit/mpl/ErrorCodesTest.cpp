#include "mpl/ErrorCodes.h"

#include "mpl/Error.h"

#include <gtest/gtest.h>

#include <set>
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

TEST(ErrorCodes, StandardClassesMapToThemselves) {
  for (int code = MPI_SUCCESS; code <= MPI_ERR_ABI; ++code) {
    EXPECT_TRUE(isErrorCode(code)) << code;
    EXPECT_EQ(errorClass(code), code);
  }
  EXPECT_EQ(errorClass(MPI_T_ERR_INVALID_NAME), MPI_T_ERR_INVALID_NAME);
}

TEST(ErrorCodes, EveryStandardClassHasNameAndText) {
  std::set<std::string> names;
  std::set<std::string> texts;
  for (int code = MPI_SUCCESS; code <= MPI_ERR_ABI; ++code) {
    const std::string name = errorClassName(code);
    EXPECT_EQ(name.rfind("MPI_", 0), 0u) << name;
    EXPECT_TRUE(names.insert(name).second) << name;
    const std::string text = errorString(code);
    EXPECT_EQ(text.rfind(name + ": ", 0), 0u) << text;
    EXPECT_GT(text.size(), name.size() + 4);
    EXPECT_TRUE(texts.insert(text).second) << text;
  }
  EXPECT_STREQ(errorClassName(MPI_ERR_RANK), "MPI_ERR_RANK");
  EXPECT_STREQ(errorClassName(MPI_ERR_TRUNCATE), "MPI_ERR_TRUNCATE");
  EXPECT_STREQ(errorClassName(MPI_ERR_ERRHANDLER), "MPI_ERR_ERRHANDLER");
  EXPECT_STREQ(errorClassName(MPI_T_ERR_PVAR_NO_ATOMIC), "MPI_T_ERR_PVAR_NO_ATOMIC");
  EXPECT_STREQ(errorClassName(-5), "unknown error class");
  EXPECT_STREQ(errorClassName(MPI_ERR_LASTCODE), "unknown error class");
}

TEST(ErrorCodes, UnknownNumbersAreErrors) {
  for (const int code : {-1, MPI_ERR_ABI + 1, 500, MPI_ERR_LASTCODE, MPI_ERR_LASTCODE + 1000000}) {
    EXPECT_FALSE(isErrorCode(code)) << code;
    EXPECT_EQ(classOf([&] { errorClass(code); }), MPI_ERR_ARG) << code;
    EXPECT_EQ(classOf([&] { errorString(code); }), MPI_ERR_ARG) << code;
  }
}

TEST(ErrorCodes, AddedClassesAndCodesAreNumberedUpwards) {
  const int first = addErrorClass();
  EXPECT_GT(first, MPI_ERR_LASTCODE);
  EXPECT_EQ(*lastUsedCode(), first);
  const int code = addErrorCode(first);
  EXPECT_EQ(code, first + 1);
  EXPECT_EQ(*lastUsedCode(), code);
  const int second = addErrorClass();
  EXPECT_GT(second, code);
  EXPECT_EQ(errorClass(first), first);
  EXPECT_EQ(errorClass(code), first);
  EXPECT_EQ(errorClass(second), second);
}

TEST(ErrorCodes, CodesMayBelongToStandardClasses) {
  const int code = addErrorCode(MPI_ERR_FILE);
  EXPECT_EQ(errorClass(code), MPI_ERR_FILE);
  addErrorString(code, "no such tape");
  EXPECT_EQ(errorString(code), "no such tape");
  EXPECT_NE(errorString(MPI_ERR_FILE), "no such tape");
}

TEST(ErrorCodes, CodesNeedAClass) {
  const int code = addErrorCode(addErrorClass());
  for (const int bad : {-1, MPI_ERR_ABI + 1, MPI_ERR_LASTCODE, code, code + 1000})
    EXPECT_EQ(classOf([&] { addErrorCode(bad); }), MPI_ERR_ARG) << bad;
}

TEST(ErrorCodes, TextsCanBeSetChangedAndRemoved) {
  const int added = addErrorClass();
  EXPECT_EQ(errorString(added), "");
  addErrorString(added, "first");
  EXPECT_EQ(errorString(added), "first");
  addErrorString(added, "second");
  EXPECT_EQ(errorString(added), "second");
  removeErrorString(added);
  EXPECT_EQ(errorString(added), "");
  EXPECT_EQ(classOf([&] { removeErrorString(added); }), MPI_ERR_ARG);
  addErrorString(added, "");
  removeErrorString(added);
}

TEST(ErrorCodes, TextsHaveALimit) {
  const int added = addErrorClass();
  const std::string longest(MPI_MAX_ERROR_STRING - 1, 'e');
  addErrorString(added, longest);
  EXPECT_EQ(errorString(added), longest);
  EXPECT_EQ(classOf([&] { addErrorString(added, longest + "e"); }), MPI_ERR_ARG);
  EXPECT_EQ(errorString(added), longest);
}

TEST(ErrorCodes, StandardTextsCannotBeChanged) {
  EXPECT_EQ(classOf([] { addErrorString(MPI_ERR_RANK, "mine"); }), MPI_ERR_ARG);
  EXPECT_EQ(classOf([] { addErrorString(MPI_SUCCESS, "mine"); }), MPI_ERR_ARG);
  EXPECT_EQ(classOf([] { addErrorString(MPI_ERR_LASTCODE, "mine"); }), MPI_ERR_ARG);
  EXPECT_EQ(classOf([] { removeErrorString(MPI_ERR_RANK); }), MPI_ERR_ARG);
  EXPECT_EQ(classOf([] { removeErrorClass(MPI_ERR_RANK); }), MPI_ERR_ARG);
  EXPECT_EQ(classOf([] { removeErrorCode(MPI_ERR_RANK); }), MPI_ERR_ARG);
}

TEST(ErrorCodes, RemovalGoesFromTextToCodeToClass) {
  const int added = addErrorClass();
  const int code = addErrorCode(added);
  addErrorString(code, "text");
  EXPECT_EQ(classOf([&] { removeErrorClass(added); }), MPI_ERR_OTHER);
  EXPECT_EQ(classOf([&] { removeErrorCode(code); }), MPI_ERR_OTHER);
  removeErrorString(code);
  removeErrorCode(code);
  EXPECT_FALSE(isErrorCode(code));
  EXPECT_TRUE(isErrorCode(added));
  removeErrorClass(added);
  EXPECT_FALSE(isErrorCode(added));
  EXPECT_EQ(classOf([&] { removeErrorClass(added); }), MPI_ERR_ARG);
  EXPECT_EQ(classOf([&] { removeErrorCode(code); }), MPI_ERR_ARG);
}

TEST(ErrorCodes, ClassesAndCodesAreNotMixedUp) {
  const int added = addErrorClass();
  const int code = addErrorCode(added);
  EXPECT_EQ(classOf([&] { removeErrorClass(code); }), MPI_ERR_ARG);
  EXPECT_EQ(classOf([&] { removeErrorCode(added); }), MPI_ERR_ARG);
  removeErrorCode(code);
  addErrorString(added, "goes with its class");
  removeErrorClass(added);
}

TEST(ErrorCodes, RemovedNumbersAreNotGivenAgain) {
  const int added = addErrorClass();
  const int before = *lastUsedCode();
  removeErrorClass(added);
  EXPECT_EQ(*lastUsedCode(), before);
  EXPECT_GT(addErrorClass(), added);
}

TEST(LastError, GivesTheFullTextForItsCodeOnly) {
  setLastError(MPI_ERR_RANK, "MPI_Send: rank 7 is not in MPI_COMM_WORLD of 2");
  EXPECT_EQ(errorString(MPI_ERR_RANK), "MPI_ERR_RANK: MPI_Send: rank 7 is not in MPI_COMM_WORLD of 2");
  EXPECT_EQ(errorString(MPI_ERR_TAG).find("MPI_Send"), std::string::npos);
  setLastError(MPI_ERR_TAG, "MPI_Recv: tag -5 is not valid");
  EXPECT_EQ(errorString(MPI_ERR_RANK).find("MPI_Send"), std::string::npos);
  EXPECT_NE(errorString(MPI_ERR_TAG).find("tag -5"), std::string::npos);
}

TEST(LastError, IsCutToTheLimit) {
  setLastError(MPI_ERR_OTHER, std::string(5000, 'x'));
  const std::string text = errorString(MPI_ERR_OTHER);
  EXPECT_EQ(text.size(), static_cast<std::size_t>(MPI_MAX_ERROR_STRING - 1));
  EXPECT_EQ(text.rfind("MPI_ERR_OTHER: x", 0), 0u);
}

TEST(LastError, LeavesAddedTextsAlone) {
  const int code = addErrorCode(MPI_ERR_OTHER);
  addErrorString(code, "mine");
  setLastError(code, "MPI_Comm_dup: the attribute copy callback failed");
  EXPECT_EQ(errorString(code), "mine");
}

TEST(LastError, NeverTouchesSuccess) {
  setLastError(MPI_SUCCESS, "nonsense");
  EXPECT_EQ(errorString(MPI_SUCCESS), "MPI_SUCCESS: no error");
}

TEST(LastError, BelongsToTheThread) {
  setLastError(MPI_ERR_COUNT, "mine");
  std::string others;
  std::thread([&] {
    others = errorString(MPI_ERR_COUNT);
    setLastError(MPI_ERR_COUNT, "theirs");
  }).join();
  EXPECT_EQ(others.find("mine"), std::string::npos);
  EXPECT_EQ(errorString(MPI_ERR_COUNT), "MPI_ERR_COUNT: mine");
}

TEST(ErrorCodes, ThreadsGetDifferentNumbers) {
  constexpr int perThread = 500;
  std::vector<std::vector<int>> numbers(4);
  {
    std::vector<std::jthread> threads;
    for (auto& mine : numbers)
      threads.emplace_back([&mine] {
        for (int i = 0; i < perThread; ++i) {
          const int added = addErrorClass();
          const int code = addErrorCode(added);
          addErrorString(code, std::to_string(code));
          EXPECT_EQ(errorString(code), std::to_string(code));
          EXPECT_EQ(errorClass(code), added);
          mine.push_back(added);
          mine.push_back(code);
        }
      });
  }
  std::set<int> all;
  for (const auto& mine : numbers)
    all.insert(mine.begin(), mine.end());
  EXPECT_EQ(all.size(), numbers.size() * perThread * 2);
  EXPECT_GE(*lastUsedCode(), *all.rbegin());
}

} // namespace
} // namespace mpl
