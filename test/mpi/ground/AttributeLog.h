// What the tests of attributes share: callbacks that write down what they were called with.
#pragma once

#include "test/mpi/Check.h"

struct Log {
  std::vector<std::string> lines;
  int copyResult = MPI_SUCCESS;
  int deleteResult = MPI_SUCCESS;
  int copyFlag = 1;
  MPI_Comm lastComm = MPI_COMM_NULL;
};
inline Log seen;
inline char cells[16]; // attribute values are addresses in here

inline int indexOf(void* value) {
  return static_cast<int>(static_cast<char*>(value) - cells);
}

inline int copyComm(MPI_Comm comm, int, void* extra, void* in, void* out, int* flag) {
  seen.lines.push_back(std::string("copy ") + static_cast<const char*>(extra) + std::to_string(indexOf(in)));
  seen.lastComm = comm;
  *static_cast<void**>(out) = static_cast<char*>(in) + 1;
  *flag = seen.copyFlag;
  return seen.copyResult;
}

inline int deleteComm(MPI_Comm comm, int, void* value, void* extra) {
  seen.lines.push_back(std::string("delete ") + static_cast<const char*>(extra) +
                       std::to_string(indexOf(value)));
  seen.lastComm = comm;
  return seen.deleteResult;
}

inline bool logged(std::vector<std::string> wanted) {
  const bool same = seen.lines == wanted;
  if (!same)
    for (const std::string& line : seen.lines)
      std::fprintf(stderr, "rank %d logged: %s\n", check::rank(), line.c_str());
  seen.lines.clear();
  return same;
}

inline int newKey(const char* name) {
  int key = MPI_KEYVAL_INVALID;
  CHECK_EQ(MPI_Comm_create_keyval(copyComm, deleteComm, &key, const_cast<char*>(name)), MPI_SUCCESS);
  CHECK(key != MPI_KEYVAL_INVALID);
  return key;
}

// The index of the value that is set, -1 where none is.
inline int valueOf(MPI_Comm comm, int key) {
  void* value = nullptr;
  int flag = -1;
  CHECK_EQ(MPI_Comm_get_attr(comm, key, &value, &flag), MPI_SUCCESS);
  return flag ? indexOf(value) : -1;
}

// A duplicate that returns its errors.
inline MPI_Comm duplicate(MPI_Comm from = MPI_COMM_WORLD) {
  MPI_Comm comm = MPI_COMM_NULL;
  CHECK_EQ(MPI_Comm_dup(from, &comm), MPI_SUCCESS);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return comm;
}
