// Performance variables of the library, for programs that look at it from outside.
#pragma once

#include "test/mpi/Check.h"

#include <map>

namespace rdma {

// All of one's own process, watched from when this is made on.
class Pvars {
public:
  Pvars() {
    int provided = 0;
    CHECK_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    CHECK_EQ(MPI_T_pvar_session_create(&session_), MPI_SUCCESS);
    int count = 0;
    CHECK_EQ(MPI_T_pvar_get_num(&count), MPI_SUCCESS);
    for (int i = 0; i < count; ++i) {
      char name[200];
      int length = sizeof name;
      CHECK_EQ(MPI_T_pvar_get_info(i, name, &length, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                   nullptr, nullptr, nullptr, nullptr),
               MPI_SUCCESS);
      int elements = 0;
      CHECK_EQ(MPI_T_pvar_handle_alloc(session_, i, nullptr, &handles_[name], &elements), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_T_pvar_start(session_, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
  }
  ~Pvars() {
    MPI_T_pvar_session_free(&session_);
    MPI_T_finalize();
  }
  Pvars(const Pvars&) = delete;
  Pvars& operator=(const Pvars&) = delete;

  unsigned long long operator[](const std::string& name) const {
    unsigned long long value = 0;
    CHECK_EQ(MPI_T_pvar_read(session_, handles_.at(name), &value), MPI_SUCCESS);
    return value;
  }

private:
  MPI_T_pvar_session session_ = MPI_T_PVAR_SESSION_NULL;
  std::map<std::string, MPI_T_pvar_handle> handles_;
};

} // namespace rdma
