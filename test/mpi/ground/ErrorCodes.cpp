// Error classes, codes and texts, those that the program adds too, at every time of a program's life
// (MPI-5.0, sections 9.4, 9.5 and 11.4.1).
#include "test/mpi/Check.h"

#include <set>
#include <thread>

using check::errorClass;
using check::errorString;

namespace {

int lastUsedCode() {
  int* value = nullptr;
  int flag = 0;
  CHECK_EQ(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag), MPI_SUCCESS);
  CHECK(flag);
  return flag ? *value : -1;
}

const std::vector<int>& standardClasses() {
  static const std::vector<int> classes{
      MPI_ERR_BUFFER,      MPI_ERR_COUNT,        MPI_ERR_TYPE,
      MPI_ERR_TAG,         MPI_ERR_COMM,         MPI_ERR_RANK,
      MPI_ERR_REQUEST,     MPI_ERR_ROOT,         MPI_ERR_GROUP,
      MPI_ERR_OP,          MPI_ERR_TOPOLOGY,     MPI_ERR_DIMS,
      MPI_ERR_ARG,         MPI_ERR_UNKNOWN,      MPI_ERR_TRUNCATE,
      MPI_ERR_OTHER,       MPI_ERR_INTERN,       MPI_ERR_PENDING,
      MPI_ERR_IN_STATUS,   MPI_ERR_ACCESS,       MPI_ERR_AMODE,
      MPI_ERR_ASSERT,      MPI_ERR_BAD_FILE,     MPI_ERR_BASE,
      MPI_ERR_CONVERSION,  MPI_ERR_DISP,         MPI_ERR_DUP_DATAREP,
      MPI_ERR_FILE_EXISTS, MPI_ERR_FILE_IN_USE,  MPI_ERR_FILE,
      MPI_ERR_INFO_KEY,    MPI_ERR_INFO_NOKEY,   MPI_ERR_INFO_VALUE,
      MPI_ERR_INFO,        MPI_ERR_IO,           MPI_ERR_KEYVAL,
      MPI_ERR_LOCKTYPE,    MPI_ERR_NAME,         MPI_ERR_NO_MEM,
      MPI_ERR_NOT_SAME,    MPI_ERR_NO_SPACE,     MPI_ERR_NO_SUCH_FILE,
      MPI_ERR_PORT,        MPI_ERR_QUOTA,        MPI_ERR_READ_ONLY,
      MPI_ERR_RMA_ATTACH,  MPI_ERR_RMA_CONFLICT, MPI_ERR_RMA_RANGE,
      MPI_ERR_RMA_SHARED,  MPI_ERR_RMA_SYNC,     MPI_ERR_SERVICE,
      MPI_ERR_SIZE,        MPI_ERR_SPAWN,        MPI_ERR_UNSUPPORTED_DATAREP,
      MPI_ERR_WIN,         MPI_ERR_RMA_FLAVOR,   MPI_ERR_UNSUPPORTED_OPERATION,
  };
  return classes;
}

void standardClassesHaveTexts() {
  std::set<std::string> texts;
  for (const int code : standardClasses()) {
    CHECK_EQ(errorClass(code), code);
    const std::string text = errorString(code);
    CHECK(!text.empty());
    CHECK(texts.insert(text).second);
    CHECK(text.size() < MPI_MAX_ERROR_STRING);
  }
  CHECK_EQ(errorClass(MPI_SUCCESS), MPI_SUCCESS);
  CHECK(!errorString(MPI_SUCCESS).empty());
}

void programsAddClassesCodesAndTexts() {
  int newClass = 0;
  int newCode = 0;
  CHECK_EQ(MPI_Add_error_class(&newClass), MPI_SUCCESS);
  CHECK(newClass > 0);
  CHECK_EQ(lastUsedCode(), newClass);
  CHECK_EQ(MPI_Add_error_code(newClass, &newCode), MPI_SUCCESS);
  CHECK_EQ(lastUsedCode(), newCode);
  CHECK(newCode != newClass);
  CHECK_EQ(errorClass(newClass), newClass);
  CHECK_EQ(errorClass(newCode), newClass);
  CHECK_EQ(MPI_Add_error_string(newClass, "a class of mine"), MPI_SUCCESS);
  CHECK_EQ(MPI_Add_error_string(newCode, "a code of mine"), MPI_SUCCESS);
  CHECK_EQ(errorString(newClass), std::string("a class of mine"));
  CHECK_EQ(errorString(newCode), std::string("a code of mine"));
  CHECK_EQ(MPI_Add_error_string(newCode, "changed"), MPI_SUCCESS);
  CHECK_EQ(errorString(newCode), std::string("changed"));
}

void codesOfStandardClasses() {
  int code = 0;
  CHECK_EQ(MPI_Add_error_code(MPI_ERR_FILE, &code), MPI_SUCCESS);
  CHECK_EQ(errorClass(code), MPI_ERR_FILE);
}

void textsThatWereNotAddedAreEmpty() {
  int code = 0;
  CHECK_EQ(MPI_Add_error_code(MPI_ERR_OTHER, &code), MPI_SUCCESS);
  CHECK_EQ(errorString(code), std::string());
}

// From here on MPI 4.1 is needed, or what only this library promises.
#if CHECK_MPI_41

void removalGoesFromTextToClass() {
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  int newClass = 0;
  int newCode = 0;
  MPI_Add_error_class(&newClass);
  MPI_Add_error_code(newClass, &newCode);
  MPI_Add_error_string(newCode, "text");
  CHECK_EQ(errorClass(MPI_Remove_error_class(newClass)), MPI_ERR_OTHER);
  CHECK_EQ(errorClass(MPI_Remove_error_code(newCode)), MPI_ERR_OTHER);
  CHECK_EQ(MPI_Remove_error_string(newCode), MPI_SUCCESS);
  CHECK_EQ(MPI_Remove_error_code(newCode), MPI_SUCCESS);
  CHECK_EQ(MPI_Remove_error_class(newClass), MPI_SUCCESS);
  int found = 0;
  CHECK_EQ(MPI_Error_class(newCode, &found), MPI_ERR_ARG);
  CHECK_EQ(errorClass(MPI_Remove_error_string(newCode)), MPI_ERR_ARG);
  CHECK_EQ(errorClass(MPI_Remove_error_code(newCode)), MPI_ERR_ARG);
  CHECK_EQ(errorClass(MPI_Remove_error_class(newClass)), MPI_ERR_ARG);
  CHECK_EQ(errorClass(MPI_Remove_error_class(MPI_ERR_RANK)), MPI_ERR_ARG);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

void badCodesAreErrors() {
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  int value = -7;
  for (const int bad : {-1, 5000000, MPI_ERR_LASTCODE}) {
    CHECK_EQ(MPI_Error_class(bad, &value), MPI_ERR_ARG);
    CHECK_EQ(MPI_Error_string(bad, text, &length), MPI_ERR_ARG);
    CHECK_EQ(MPI_Add_error_code(bad, &value), MPI_ERR_ARG);
    CHECK_EQ(MPI_Add_error_string(bad, "text"), MPI_ERR_ARG);
    CHECK_EQ(value, -7);
  }
  CHECK_EQ(MPI_Add_error_string(MPI_ERR_RANK, "not mine"), MPI_ERR_ARG);
  CHECK_EQ(MPI_Add_error_class(nullptr), MPI_ERR_ARG);
  CHECK_EQ(MPI_Error_class(MPI_ERR_RANK, nullptr), MPI_ERR_ARG);
  CHECK_EQ(MPI_Error_string(MPI_ERR_RANK, nullptr, &length), MPI_ERR_ARG);
  CHECK_EQ(MPI_Error_string(MPI_ERR_RANK, text, nullptr), MPI_ERR_ARG);
  int mine = 0;
  MPI_Add_error_class(&mine);
  CHECK_EQ(MPI_Add_error_string(mine, nullptr), MPI_ERR_ARG);
  const std::string longest(MPI_MAX_ERROR_STRING - 1, 'x');
  CHECK_EQ(MPI_Add_error_string(mine, (longest + "x").c_str()), MPI_ERR_ARG);
  CHECK_EQ(MPI_Add_error_string(mine, longest.c_str()), MPI_SUCCESS);
  CHECK_EQ(errorString(mine), longest);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

#ifdef MPI_ABI_VERSION
// The text of a failure tells function, argument and value, to the thread that failed.
void failuresTellWhatHappened() {
  const check::ReturningComm comm;
  MPI_Comm_set_name(comm, "tellers");
  char byte = 0;
  const int code = MPI_Send(&byte, 1, MPI_CHAR, 4711, 0, comm);
  CHECK_EQ(code, MPI_ERR_RANK);
  const std::string text = errorString(code);
  for (const char* part : {"MPI_ERR_RANK", "MPI_Send", "4711", "tellers"})
    if (!CHECK(text.find(part) != std::string::npos))
      std::fprintf(stderr, "\"%s\" is not in \"%s\"\n", part, text.c_str());
  std::string others;
  std::thread([&] { others = errorString(MPI_ERR_RANK); }).join();
  CHECK(others.find("4711") == std::string::npos);
  CHECK_EQ(MPI_Send(&byte, -3, MPI_CHAR, 0, 0, comm), MPI_ERR_COUNT);
  CHECK(errorString(MPI_ERR_COUNT).find("-3") != std::string::npos);
  CHECK(errorString(MPI_ERR_RANK).find("4711") == std::string::npos);
}
#endif

#endif

#if CHECK_MPI_40
// What may be called at any time works before MPI_Init and after MPI_Finalize.
bool worksOutside() {
  bool good = errorClass(MPI_ERR_RANK) == MPI_ERR_RANK && !errorString(MPI_ERR_RANK).empty();
#if CHECK_MPI_41
  int newClass = 0;
  int newCode = 0;
  good = good && MPI_Add_error_class(&newClass) == MPI_SUCCESS;
  good = good && MPI_Add_error_code(newClass, &newCode) == MPI_SUCCESS;
  good = good && MPI_Add_error_string(newCode, "text") == MPI_SUCCESS && errorString(newCode) == "text";
  good = good && MPI_Remove_error_string(newCode) == MPI_SUCCESS &&
         MPI_Remove_error_code(newCode) == MPI_SUCCESS;
  good = good && MPI_Remove_error_class(newClass) == MPI_SUCCESS;
#endif
  return good;
}
#endif

} // namespace

int main(int argc, char** argv) {
#if CHECK_MPI_40
  const bool before = worksOutside();
#else
  const bool before = true;
#endif
  MPI_Init(&argc, &argv);
  const int status = check::run(argc, argv, {
    {"before", [before] { CHECK(before); }}, {"standard", standardClassesHaveTexts},
        {"add", programsAddClassesCodesAndTexts}, {"standard-class", codesOfStandardClasses},
        {"empty", textsThatWereNotAddedAreEmpty},
#if CHECK_MPI_41
        {"remove", removalGoesFromTextToClass}, {"bad", badCodesAreErrors},
#ifdef MPI_ABI_VERSION
        {"tell", failuresTellWhatHappened},
#endif
#endif
  });
#if CHECK_MPI_40
  if (!worksOutside()) {
    std::printf("FAIL after MPI_Finalize\n");
    return 1;
  }
#endif
  return status;
}
