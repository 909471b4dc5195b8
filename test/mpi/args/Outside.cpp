// Calls before MPI_Init and after MPI_Finalize. The argument says which:
//   allowed           all that the standard allows there (MPI 4.1, 11.4.1); must pass
//   before NAME       one that is not allowed, before MPI_Init; must end the process with a message that
//   names it after NAME        the same after MPI_Finalize fatal NAME        a bad argument under
//   MPI_ERRORS_ARE_FATAL
#include "test/mpi/Check.h"

#include <string>

namespace {

int value = 0;

void callOne(const std::string& name) {
  int in = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  if (name == "MPI_Send")
    MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
  else if (name == "MPI_Recv")
    MPI_Recv(&in, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else if (name == "MPI_Irecv")
    MPI_Irecv(&in, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
  else if (name == "MPI_Comm_rank")
    MPI_Comm_rank(MPI_COMM_WORLD, &in);
  else if (name == "MPI_Comm_dup")
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  else if (name == "MPI_Barrier")
    MPI_Barrier(MPI_COMM_WORLD);
  else if (name == "MPI_Allreduce")
    MPI_Allreduce(&value, &in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  else if (name == "MPI_Type_contiguous")
    MPI_Type_contiguous(2, MPI_INT, &type);
  else if (name == "MPI_Wait")
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  else if (name == "MPI_Start")
    MPI_Start(&request);
  else if (name == "MPI_Cancel")
    MPI_Cancel(&request);
  else if (name == "MPI_Request_free")
    MPI_Request_free(&request);
  else if (name == "MPI_Iprobe")
    MPI_Iprobe(0, 1, MPI_COMM_WORLD, &in, MPI_STATUS_IGNORE);
  else if (name == "MPI_Improbe") {
    MPI_Message message;
    MPI_Improbe(0, 1, MPI_COMM_WORLD, &in, &message, MPI_STATUS_IGNORE);
  } else if (name == "MPI_Init")
    MPI_Init(nullptr, nullptr);
  else if (name == "MPI_Finalize")
    MPI_Finalize();
  else {
    std::printf("FAIL Outside: unknown function '%s'\n", name.c_str());
    std::exit(99);
  }
}

void callBadly(const std::string& name) {
  int in = 0;
  if (name == "MPI_Send")
    MPI_Send(&value, 1, MPI_INT, 12345, 1, MPI_COMM_WORLD);
  else if (name == "MPI_Recv")
    MPI_Recv(&in, 1, MPI_INT, 0, -4711, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else if (name == "MPI_Comm_size")
    MPI_Comm_size(MPI_COMM_NULL, &in);
  else if (name == "MPI_Allreduce")
    MPI_Allreduce(&value, &in, -3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  else if (name == "MPI_Wait") {
    // Too long a message to oneself shows at the wait.
    const int out[2] = {1, 2};
    MPI_Request request;
    MPI_Irecv(&in, 1, MPI_INT, check::rank(), 1, MPI_COMM_WORLD, &request);
    MPI_Send(out, 2, MPI_INT, check::rank(), 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    std::printf("FAIL Outside: unknown function '%s'\n", name.c_str());
    MPI_Abort(MPI_COMM_WORLD, 99);
  }
}

void allowed(bool before, bool after) {
  int flag = -1;
  int version = 0;
  int subversion = 0;
  int length = 0;
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  CHECK_EQ(MPI_Initialized(&flag), MPI_SUCCESS);
  CHECK_EQ(flag != 0, !before);
  CHECK_EQ(MPI_Finalized(&flag), MPI_SUCCESS);
  CHECK_EQ(flag != 0, after);
  CHECK_EQ(MPI_Get_version(&version, &subversion), MPI_SUCCESS);
  CHECK_EQ(version, MPI_VERSION);
  CHECK_EQ(subversion, MPI_SUBVERSION);
  CHECK_EQ(MPI_Get_library_version(text, &length), MPI_SUCCESS);
  CHECK_EQ(static_cast<int>(std::strlen(text)), length);
#if CHECK_MPI_40
  // Since MPI 4.0 info objects and error handlers may be made at any time.
  MPI_Info info;
  CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
  CHECK_EQ(MPI_Info_set(info, "key", "value"), MPI_SUCCESS);
  char found[20];
  int size = 20;
  CHECK_EQ(MPI_Info_get_string(info, "key", &size, found, &flag), MPI_SUCCESS);
  CHECK(flag);
  CHECK_EQ(std::string(found), std::string("value"));
  CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
  int theClass = -1;
  CHECK_EQ(MPI_Error_class(MPI_ERR_RANK, &theClass), MPI_SUCCESS);
  CHECK_EQ(theClass, MPI_ERR_RANK);
  char message[MPI_MAX_ERROR_STRING];
  CHECK_EQ(MPI_Error_string(MPI_ERR_RANK, message, &length), MPI_SUCCESS);
  CHECK(length > 0);
#endif
}

} // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const std::string name = argc > 2 ? argv[2] : "";
  if (what == "before")
    callOne(name);
  if (what == "allowed")
    allowed(true, false);
  MPI_Init(&argc, &argv);
  const int me = check::rank();
  if (what == "allowed")
    allowed(false, false);
  if (what == "fatal")
    callBadly(name);
  MPI_Finalize();
  if (what == "after")
    callOne(name);
  if (what == "allowed") {
    allowed(false, true);
    const long failures = check::state().failures;
    if (me == 0)
      std::printf("%s Outside allowed, %ld checks\n", failures ? "FAIL" : "PASS",
                  static_cast<long>(check::state().checks));
    return failures ? 1 : 0;
  }
  // The calls that are not allowed should have ended the process.
  std::printf("FAIL Outside %s %s: the call came back\n", what.c_str(), name.c_str());
  return 0;
}
