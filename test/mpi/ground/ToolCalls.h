// What the tests of the tool interface share.
#pragma once

#include "test/mpi/Check.h"

namespace tool {

constexpr int many = 200;

struct Text {
  char text[many] = {};
  int length = many;
  std::string get() const {
    CHECK_EQ(length, static_cast<int>(std::strlen(text)) + 1);
    return text;
  }
};

inline int pvarCount() {
  int count = -1;
  CHECK_EQ(MPI_T_pvar_get_num(&count), MPI_SUCCESS);
  return count;
}

struct Pvar {
  std::string name;
  int varClass = 0;
};

inline Pvar pvarAt(int index) {
  Text name;
  Text meaning;
  int verbosity = 0;
  int varClass = 0;
  int bind = -1;
  int readonly = -1;
  int continuous = -1;
  int atomic = -1;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_T_enum values = MPI_T_ENUM_NULL;
  CHECK_EQ(MPI_T_pvar_get_info(index, name.text, &name.length, &verbosity, &varClass, &type, &values,
                               meaning.text, &meaning.length, &bind, &readonly, &continuous, &atomic),
           MPI_SUCCESS);
  CHECK(varClass == MPI_T_PVAR_CLASS_COUNTER || varClass == MPI_T_PVAR_CLASS_AGGREGATE);
  CHECK(type == MPI_UNSIGNED_LONG_LONG);
  CHECK(values == MPI_T_ENUM_NULL);
  CHECK_EQ(bind, MPI_T_BIND_NO_OBJECT);
  CHECK_EQ(readonly, 0);
  CHECK_EQ(continuous, 0);
  CHECK_EQ(atomic, 1);
  CHECK(verbosity >= MPI_T_VERBOSITY_USER_BASIC && verbosity <= MPI_T_VERBOSITY_MPIDEV_ALL);
  CHECK(!meaning.get().empty());
  return {name.get(), varClass};
}

inline int pvarIndex(const std::string& name, int varClass) {
  int index = -1;
  CHECK_EQ(MPI_T_pvar_get_index(name.c_str(), varClass, &index), MPI_SUCCESS);
  return index;
}

// A session with one handle.
struct Watch {
  Watch(const std::string& name, int varClass) {
    int count = 0;
    CHECK_EQ(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
    CHECK_EQ(MPI_T_pvar_handle_alloc(session, pvarIndex(name, varClass), nullptr, &handle, &count),
             MPI_SUCCESS);
  }
  ~Watch() { CHECK_EQ(MPI_T_pvar_session_free(&session), MPI_SUCCESS); }
  unsigned long long read() const {
    unsigned long long value = ~0ULL;
    CHECK_EQ(MPI_T_pvar_read(session, handle, &value), MPI_SUCCESS);
    return value;
  }
  unsigned long long readReset() const {
    unsigned long long value = ~0ULL;
    CHECK_EQ(MPI_T_pvar_readreset(session, handle, &value), MPI_SUCCESS);
    return value;
  }
  void write(unsigned long long value) const {
    CHECK_EQ(MPI_T_pvar_write(session, handle, &value), MPI_SUCCESS);
  }
  void start() const { CHECK_EQ(MPI_T_pvar_start(session, handle), MPI_SUCCESS); }
  void stop() const { CHECK_EQ(MPI_T_pvar_stop(session, handle), MPI_SUCCESS); }
  MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
  MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
};

} // namespace tool
