// Bad input: the class of the error, a text that names function, argument and value, and a library that works
// on.
#pragma once

#include "test/mpi/Check.h"

#include <initializer_list>

namespace check {

// The texts of error messages are this library's own; the classes are the standard's.
inline bool isMpl() {
  static const bool result = [] {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    return std::string(text).find("MPL") != std::string::npos;
  }();
  return result;
}

inline void expectError(int code, std::initializer_list<int> classes,
                        std::initializer_list<const char*> words, const char* file, int line) {
  ++state().checks;
  const int found = code == MPI_SUCCESS ? MPI_SUCCESS : errorClass(code);
  bool good = false;
  std::string wanted;
  for (int oneClass : classes) {
    good = good || found == oneClass;
    wanted += " " + std::to_string(oneClass);
  }
  const std::string text = code == MPI_SUCCESS ? "success" : errorString(code);
  if (!good)
    fail("error class " + std::to_string(found) + ", wanted" + wanted + "; text: " + text, file, line);
  if (!isMpl() || code == MPI_SUCCESS)
    return;
  for (const char* word : words) {
    ++state().checks;
    if (text.find(word) == std::string::npos)
      fail("the text does not say '" + std::string(word) + "': " + text, file, line);
  }
}

// After a failure the communicator carries messages as before.
inline void stillWorks(MPI_Comm comm, const char* file, int line) {
  const int me = rankIn(comm);
  const int ranks = sizeOf(comm);
  const int left = (me + ranks - 1) % ranks;
  int in = -1;
  const int code = MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % ranks, 4242, &in, 1, MPI_INT, left, 4242, comm,
                                MPI_STATUS_IGNORE);
  isEqual(code, MPI_SUCCESS, "code of a good call after a bad one", "MPI_SUCCESS", file, line);
  isEqual(in, left, "the message after a bad call", "left", file, line);
}

// Errors that belong to no communicator go to MPI_COMM_SELF's handler since MPI 4.0, to MPI_COMM_WORLD's
// before (MPI 4.1, 9.3).
inline void returnAllErrors() {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

} // namespace check

// EXPECT_ERROR(call, class or {classes}, {words of the text})
#define EXPECT_ERROR(call, classes, ...)                                                                     \
  ::check::expectError((call), {classes}, __VA_ARGS__, __FILE__, __LINE__)
#define STILL_WORKS(comm) ::check::stillWorks((comm), __FILE__, __LINE__)
