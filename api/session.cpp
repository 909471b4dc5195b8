// Sessions: MPI-5.0, section 11.3, and their error handlers, section 9.3.4.
//
// MPI_Session_init, MPI_Session_finalize, MPI_Session_create_errhandler and the integer forms: at any time,
// by any thread, before MPI_Init and after MPI_Finalize too. The others while the session lives, by any
// thread. Errors: MPI_ERR_SESSION, MPI_ERR_ARG for null pointers, names and numbers of no process set,
// MPI_ERR_INFO; they go to the session's error handler.
#include "comm/Session.h"

#include "api/Checks.h"
#include "api/Guard.h"

#include <algorithm>
#include <cstring>

using namespace mpl;
using namespace mpl::api;

extern "C" {

/// info: "thread_level" (MPI_THREAD_SINGLE, the default, to MPI_THREAD_MULTIPLE), which is given as asked
/// for. errhandler: the session's, and for errors of this call. Errors also: those of MPI_Init.
int PMPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session) {
  try {
    checkPointer(session, "session");
    Errhandler& handler = errhandlerOf(errhandler);
    if (!handler.suits<MPI_Session>())
      fail(MPI_ERR_ERRHANDLER, "errhandler was not made by MPI_Session_create_errhandler");
    *session = Session::open(infoOrNull(info), Ref<Errhandler>(&handler));
    return MPI_SUCCESS;
  } catch (...) {
    return reportTo(errhandler, "MPI_Session_init", true);
  }
}

/// Sets *session to MPI_SESSION_NULL. Communicators that come from the session are to be freed before. The
/// last one outside the World Model waits until what this process has sent is received, its requests freed or
/// not, and for receives whose requests were freed; it says so when that takes long. It waits for nothing
/// else of other processes.
int PMPI_Session_finalize(MPI_Session* session) {
  return guarded("MPI_Session_finalize", session != nullptr ? *session : MPI_SESSION_NULL, [&] {
    checkPointer(session, "session");
    Session::close(*session);
    *session = MPI_SESSION_NULL;
  });
}

/// npset_names: how many sets have names, at least 2. info: no hints are known. Asks the launcher.
int PMPI_Session_get_num_psets(MPI_Session session, MPI_Info info, int* npset_names) {
  return guarded("MPI_Session_get_num_psets", session, [&] {
    Session& object = sessionOf(session);
    checkPointer(npset_names, "npset_names");
    infoOrNull(info);
    *npset_names = static_cast<int>(object.psetNames().size());
  });
}

/// n: from 0. pset_len: in, the room in pset_name; out, what the name needs, its null character counted. At
/// most pset_len characters are written, nothing where it is 0.
int PMPI_Session_get_nth_pset(MPI_Session session, MPI_Info info, int n, int* pset_len, char* pset_name) {
  return guarded("MPI_Session_get_nth_pset", session, [&] {
    Session& object = sessionOf(session);
    checkPointer(pset_len, "pset_len");
    infoOrNull(info);
    if (*pset_len < 0)
      fail(MPI_ERR_ARG, "pset_len is ", *pset_len, ", which is negative");
    const std::vector<std::string> names = object.psetNames();
    if (n < 0 || static_cast<std::size_t>(n) >= names.size())
      fail(MPI_ERR_ARG, "n is ", n, ": there are ", names.size(), " process sets");
    const std::string& name = names[static_cast<std::size_t>(n)];
    if (*pset_len > 0) {
      checkPointer(pset_name, "pset_name");
      const std::size_t length = std::min(name.size(), static_cast<std::size_t>(*pset_len) - 1);
      std::memcpy(pset_name, name.data(), length);
      pset_name[length] = '\0';
    }
    *pset_len = static_cast<int>(name.size()) + 1;
  });
}

/// info: a new object with the key "mpi_size", the number of processes in the set; the program frees it.
int PMPI_Session_get_pset_info(MPI_Session session, const char* pset_name, MPI_Info* info) {
  return guarded("MPI_Session_get_pset_info", session, [&] {
    Session& object = sessionOf(session);
    checkPointer(pset_name, "pset_name");
    checkPointer(info, "info");
    Info about;
    about.set("mpi_size", std::to_string(object.group(pset_name)->size()));
    *info = newHandle(about);
  });
}

/// info_used: a new object with the hints in force, for the program to free.
int PMPI_Session_get_info(MPI_Session session, MPI_Info* info_used) {
  return guarded("MPI_Session_get_info", session, [&] {
    const Session& object = sessionOf(session);
    checkPointer(info_used, "info_used");
    *info_used = newHandle(object.info());
  });
}

/// newgroup: the processes of the set, in the order of their ranks in the job.
int PMPI_Group_from_session_pset(MPI_Session session, const char* pset_name, MPI_Group* newgroup) {
  return guarded("MPI_Group_from_session_pset", session, [&] {
    Session& object = sessionOf(session);
    checkPointer(pset_name, "pset_name");
    checkPointer(newgroup, "newgroup");
    *newgroup = newHandle(object.group(pset_name));
  });
}

int PMPI_Session_create_errhandler(MPI_Session_errhandler_function* session_errhandler_fn,
                                   MPI_Errhandler* errhandler) {
  return guarded("MPI_Session_create_errhandler", [&] {
    checkPointer(errhandler, "errhandler");
    *errhandler = giveHandle(Errhandler::create(session_errhandler_fn));
  });
}

/// Errors also: MPI_ERR_ERRHANDLER.
int PMPI_Session_set_errhandler(MPI_Session session, MPI_Errhandler errhandler) {
  return guarded("MPI_Session_set_errhandler", session, [&] {
    Session& object = sessionOf(session);
    Errhandler& handler = errhandlerOf(errhandler);
    if (!handler.suits<MPI_Session>())
      fail(MPI_ERR_ERRHANDLER, "errhandler was not made by MPI_Session_create_errhandler");
    object.setErrhandler(Ref<Errhandler>(&handler));
  });
}

/// The handle that was set, which the program frees once more.
int PMPI_Session_get_errhandler(MPI_Session session, MPI_Errhandler* errhandler) {
  return guarded("MPI_Session_get_errhandler", session, [&] {
    const Session& object = sessionOf(session);
    checkPointer(errhandler, "errhandler");
    *errhandler = giveHandle(object.errhandler());
  });
}

/// Calls the session's handler with the code. MPI_SUCCESS when it returns.
int PMPI_Session_call_errhandler(MPI_Session session, int errorcode) {
  Ref<Errhandler> handler;
  const int found =
      guarded("MPI_Session_call_errhandler", session, [&] { handler = sessionOf(session).errhandler(); });
  if (found != MPI_SUCCESS)
    return found;
  callErrhandler(handler, session, nullptr, errorcode);
  return MPI_SUCCESS;
}

/// Handles as integers, for other languages (section 20.4).
int PMPI_Session_toint(MPI_Session session) {
  return sessions->toInt(session);
}
MPI_Session PMPI_Session_fromint(int session) {
  return sessions->fromInt(session);
}

} // extern "C"

#include "api/session.aliases.h"
