// Status accessors: MPI-5.0, sections 3.2.5, 3.8.4 and 13.3. May be called at any time by any thread; a
// status is the program's own memory. Errors: MPI_ERR_ARG for a null pointer. (Counts: api/datatype files.)
#include "mpl/Status.h"
#include "api/Checks.h"
#include "api/Guard.h"

using namespace mpl;
using namespace mpl::api;

extern "C" {

/// flag: whether the operation was cancelled.
int PMPI_Test_cancelled(const MPI_Status* status, int* flag) {
  return guarded("MPI_Test_cancelled", [&] {
    checkPointer(status, "status");
    checkPointer(flag, "flag");
    *flag = statusWords::cancelled(*status);
  });
}

int PMPI_Status_set_cancelled(MPI_Status* status, int flag) {
  return guarded("MPI_Status_set_cancelled", [&] {
    checkPointer(status, "status");
    statusWords::setCancelled(*status, flag != 0);
  });
}

int PMPI_Status_get_source(const MPI_Status* status, int* source) {
  return guarded("MPI_Status_get_source", [&] {
    checkPointer(status, "status");
    checkPointer(source, "source");
    *source = status->MPI_SOURCE;
  });
}
int PMPI_Status_get_tag(const MPI_Status* status, int* tag) {
  return guarded("MPI_Status_get_tag", [&] {
    checkPointer(status, "status");
    checkPointer(tag, "tag");
    *tag = status->MPI_TAG;
  });
}
int PMPI_Status_get_error(const MPI_Status* status, int* error) {
  return guarded("MPI_Status_get_error", [&] {
    checkPointer(status, "status");
    checkPointer(error, "error");
    *error = status->MPI_ERROR;
  });
}
int PMPI_Status_set_source(MPI_Status* status, int source) {
  return guarded("MPI_Status_set_source", [&] {
    checkPointer(status, "status");
    status->MPI_SOURCE = source;
  });
}
int PMPI_Status_set_tag(MPI_Status* status, int tag) {
  return guarded("MPI_Status_set_tag", [&] {
    checkPointer(status, "status");
    status->MPI_TAG = tag;
  });
}
int PMPI_Status_set_error(MPI_Status* status, int error) {
  return guarded("MPI_Status_set_error", [&] {
    checkPointer(status, "status");
    status->MPI_ERROR = error;
  });
}

} // extern "C"

#include "api/status.aliases.h"
