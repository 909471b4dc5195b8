// What ends a program. The first argument says which failure; the runs are in ground.test, with the line that
// must be printed. A program that gets past its failure says so and ends well, which the test takes for a
// fault.
#include <mpi.h>

#include <cstdio>
#include <string>

namespace {

void failingSend(MPI_Comm comm) {
  char byte = 0;
  MPI_Send(&byte, 1, MPI_CHAR, 4711, 0, comm);
}

void callsFailingSend(MPI_Comm*, int*, ...) {
  failingSend(MPI_COMM_WORLD);
}

} // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  MPI_Info none = MPI_INFO_NULL;
  if (what == "before") {
    MPI_Info_free(&none);
  } else if (what == "before-comm") {
    failingSend(MPI_COMM_WORLD);
  }
  MPI_Init(&argc, &argv);
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (what == "world" && rank == 0) {
    failingSend(MPI_COMM_WORLD);
  } else if (what == "abort" && rank == 0) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ABORT);
    failingSend(MPI_COMM_WORLD);
  } else if (what == "self") {
    MPI_Info_free(&none);
  } else if (what == "call" && rank == 0) {
    int code = 0;
    MPI_Add_error_code(MPI_ERR_OTHER, &code);
    MPI_Add_error_string(code, "out of cheese");
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, code);
  } else if (what == "handler" && rank == 0) {
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(callsFailingSend, &handler);
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_set_errhandler(comm, handler);
    failingSend(comm);
  }
  if (what == "world" || what == "abort" || what == "call" || what == "handler")
    MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  if (what == "after") {
    MPI_Info_free(&none);
  } else if (what == "after-comm") {
    failingSend(MPI_COMM_WORLD);
  }
  std::printf("survived: %s\n", what.c_str());
  return 0;
}
