// Error handlers, error codes and their texts: MPI-5.0, sections 9.3 to 9.5. By any thread; those on error
// codes, MPI_Errhandler_free and the integer forms at any time, the others between MPI_Init and MPI_Finalize
// (section 11.4.1). Errors: MPI_ERR_ERRHANDLER for a handle that is no error handler or one for another kind
// of object, MPI_ERR_ARG for null pointers and for codes that do not exist.
#include "mpl/Errhandler.h"

#include "api/Checks.h"
#include "api/Guard.h"
#include "mpl/ErrorCodes.h"
#include "pt2pt/Communicator.h"
#include "pt2pt/Runtime.h"

#include <cstring>

using namespace mpl;
using namespace mpl::api;

extern "C" {

int PMPI_Comm_create_errhandler(MPI_Comm_errhandler_function* comm_errhandler_fn,
                                MPI_Errhandler* errhandler) {
  return guarded("MPI_Comm_create_errhandler", [&] {
    runtime.requireActive();
    checkPointer(errhandler, "errhandler");
    *errhandler = giveHandle(Errhandler::create(comm_errhandler_fn));
  });
}

int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler errhandler) {
  return guarded("MPI_Comm_set_errhandler", comm, [&] {
    Communicator& object = communicatorOf(comm);
    Errhandler& handler = errhandlerOf(errhandler);
    if (!handler.suits<MPI_Comm>())
      fail(MPI_ERR_ERRHANDLER, "errhandler was not made by MPI_Comm_create_errhandler");
    object.setErrhandler(Ref<Errhandler>(&handler));
  });
}

/// The handle that was set, which the program frees once more.
int PMPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* errhandler) {
  return guarded("MPI_Comm_get_errhandler", comm, [&] {
    const Communicator& object = communicatorOf(comm);
    checkPointer(errhandler, "errhandler");
    *errhandler = giveHandle(object.errhandler());
  });
}

/// Calls the communicator's handler with the code. MPI_SUCCESS when it returns, MPI_ERRORS_RETURN included.
int PMPI_Comm_call_errhandler(MPI_Comm comm, int errorcode) {
  Ref<Communicator> object;
  const int found = guarded("MPI_Comm_call_errhandler", comm, [&] { object = Ref(&communicatorOf(comm)); });
  if (found != MPI_SUCCESS)
    return found;
  callErrhandler(object->errhandler(), comm, &object->group(), errorcode);
  return MPI_SUCCESS;
}

/// Sets *errhandler to MPI_ERRHANDLER_NULL. Objects that have the handler keep it. The predefined handlers,
/// which MPI_Comm_get_errhandler may have returned, can be freed any number of times.
int PMPI_Errhandler_free(MPI_Errhandler* errhandler) {
  return guarded("MPI_Errhandler_free", [&] {
    checkPointer(errhandler, "errhandler");
    freeErrhandler(*errhandler);
    *errhandler = MPI_ERRHANDLER_NULL;
  });
}

/// string: room for MPI_MAX_ERROR_STRING characters. Where the calling thread's last failure had this code,
/// its full message; the general text otherwise. resultlen: without the null character.
int PMPI_Error_string(int errorcode, char* string, int* resultlen) {
  return guarded("MPI_Error_string", [&] {
    checkPointer(string, "string");
    checkPointer(resultlen, "resultlen");
    const std::string text = errorString(errorcode);
    std::memcpy(string, text.c_str(), text.size() + 1);
    *resultlen = static_cast<int>(text.size());
  });
}

int PMPI_Error_class(int errorcode, int* errorclass) {
  return guarded("MPI_Error_class", [&] {
    checkPointer(errorclass, "errorclass");
    *errorclass = errorClass(errorcode);
  });
}

int PMPI_Add_error_class(int* errorclass) {
  return guarded("MPI_Add_error_class", [&] {
    checkPointer(errorclass, "errorclass");
    *errorclass = addErrorClass();
  });
}

/// errorclass: the standard's or an added one.
int PMPI_Add_error_code(int errorclass, int* errorcode) {
  return guarded("MPI_Add_error_code", [&] {
    checkPointer(errorcode, "errorcode");
    *errorcode = addErrorCode(errorclass);
  });
}

/// errorcode: an added code or class. string: up to MPI_MAX_ERROR_STRING-1 characters; replaces an earlier
/// one.
int PMPI_Add_error_string(int errorcode, const char* string) {
  return guarded("MPI_Add_error_string", [&] {
    checkPointer(string, "string");
    addErrorString(errorcode, string);
  });
}

/// Errors: MPI_ERR_ARG where the class was not added, MPI_ERR_OTHER while it has codes.
int PMPI_Remove_error_class(int errorclass) {
  return guarded("MPI_Remove_error_class", [&] { removeErrorClass(errorclass); });
}

/// Errors: MPI_ERR_ARG where the code was not added, MPI_ERR_OTHER while it has a text.
int PMPI_Remove_error_code(int errorcode) {
  return guarded("MPI_Remove_error_code", [&] { removeErrorCode(errorcode); });
}

/// Errors: MPI_ERR_ARG where the code or class has no added text.
int PMPI_Remove_error_string(int errorcode) {
  return guarded("MPI_Remove_error_string", [&] { removeErrorString(errorcode); });
}

/// Handles as integers, for other languages (section 20.4).
int PMPI_Errhandler_toint(MPI_Errhandler errhandler) {
  return errhandlers->toInt(errhandler);
}
MPI_Errhandler PMPI_Errhandler_fromint(int errhandler) {
  return errhandlers->fromInt(errhandler);
}

} // extern "C"

#include "api/errhandler.aliases.h"
