// What can be asked of a window, and what it carries: MPI-5.0, sections 12.2.5 to 12.2.7, 7.7, 7.8 and 9.3.
// Between MPI_Init and MPI_Finalize, by any thread. Errors: MPI_ERR_WIN, MPI_ERR_ARG for null pointers, and
// those named below.
#include "api/Checks.h"
#include "api/WindowGuard.h"
#include "mpl/Info.h"
#include "onesided/WindowHints.h"
#include "pt2pt/Runtime.h"

#include <algorithm>
#include <cstring>

using namespace mpl;
using namespace mpl::api;

extern "C" {

/// The group of the communicator that the window was made of.
int PMPI_Win_get_group(MPI_Win win, MPI_Group* group) {
  return guardedOn("MPI_Win_get_group", win, [&](Window& window) {
    checkPointer(group, "group");
    *group = newHandle(window.groupRef());
  });
}

/// The hints in force, those with a default among them.
int PMPI_Win_get_info(MPI_Win win, MPI_Info* info_used) {
  return guardedOn("MPI_Win_get_info", win, [&](Window& window) {
    checkPointer(info_used, "info_used");
    *info_used = newHandle(Info(window.hints()));
  });
}
/// Hints that can only be given when the window is made are passed over. Errors also: MPI_ERR_INFO.
int PMPI_Win_set_info(MPI_Win win, MPI_Info info) {
  return guardedOn("MPI_Win_set_info", win, [&](Window& window) {
    if (const Info* given = infoOrNull(info))
      updateWindowHints(window.hints(), *given);
  });
}

/// win_name: cut to MPI_MAX_OBJECT_NAME-1 characters.
int PMPI_Win_set_name(MPI_Win win, const char* win_name) {
  return guardedOn("MPI_Win_set_name", win, [&](Window& window) {
    checkPointer(win_name, "win_name");
    window.setName(std::string(win_name, ::strnlen(win_name, MPI_MAX_OBJECT_NAME - 1)));
  });
}
/// win_name: room for MPI_MAX_OBJECT_NAME characters. resultlen: without the null character.
int PMPI_Win_get_name(MPI_Win win, char* win_name, int* resultlen) {
  return guardedOn("MPI_Win_get_name", win, [&](Window& window) {
    checkPointer(win_name, "win_name");
    checkPointer(resultlen, "resultlen");
    const std::string name = window.name();
    std::memcpy(win_name, name.c_str(), name.size() + 1);
    *resultlen = static_cast<int>(name.size());
  });
}

/// The functions may be MPI_WIN_NULL_COPY_FN, MPI_WIN_DUP_FN and MPI_WIN_NULL_DELETE_FN. Copy functions are
/// never called: windows are not duplicated.
int PMPI_Win_create_keyval(MPI_Win_copy_attr_function* win_copy_attr_fn,
                           MPI_Win_delete_attr_function* win_delete_attr_fn, int* win_keyval,
                           void* extra_state) {
  return guarded("MPI_Win_create_keyval", [&] {
    runtime.requireActive();
    checkPointer(win_keyval, "win_keyval");
    *win_keyval = Keyval<MPI_Win>::create(win_copy_attr_fn, win_delete_attr_fn, extra_state);
  });
}
/// Sets *win_keyval to MPI_KEYVAL_INVALID. Errors: MPI_ERR_KEYVAL.
int PMPI_Win_free_keyval(int* win_keyval) {
  return guarded("MPI_Win_free_keyval", [&] {
    runtime.requireActive();
    checkPointer(win_keyval, "win_keyval");
    Keyval<MPI_Win>::free(*win_keyval);
    *win_keyval = MPI_KEYVAL_INVALID;
  });
}
/// Errors: MPI_ERR_KEYVAL, also for the predefined keys; what a delete callback returned.
int PMPI_Win_set_attr(MPI_Win win, int win_keyval, void* attribute_val) {
  return guardedOn("MPI_Win_set_attr", win, [&](Window& object) {
    const Ref<Window> window(&object);
    window->attributes().set(win, win_keyval, attribute_val);
  });
}
/// attribute_val: address of a pointer. MPI_WIN_BASE: it becomes the base; MPI_WIN_SIZE: address of an
/// MPI_Aint; MPI_WIN_DISP_UNIT, MPI_WIN_CREATE_FLAVOR and MPI_WIN_MODEL: address of an int.
int PMPI_Win_get_attr(MPI_Win win, int win_keyval, void* attribute_val, int* flag) {
  return guardedOn("MPI_Win_get_attr", win, [&](Window& window) {
    checkPointer(attribute_val, "attribute_val");
    checkPointer(flag, "flag");
    const auto value = window.attributes().get(win_keyval);
    if (value)
      *static_cast<void**>(attribute_val) = *value;
    *flag = value.has_value();
  });
}
int PMPI_Win_delete_attr(MPI_Win win, int win_keyval) {
  return guardedOn("MPI_Win_delete_attr", win, [&](Window& object) {
    const Ref<Window> window(&object);
    window->attributes().remove(win, win_keyval);
  });
}

int PMPI_Win_create_errhandler(MPI_Win_errhandler_function* win_errhandler_fn, MPI_Errhandler* errhandler) {
  return guarded("MPI_Win_create_errhandler", [&] {
    runtime.requireActive();
    checkPointer(errhandler, "errhandler");
    *errhandler = giveHandle(Errhandler::create(win_errhandler_fn));
  });
}
/// Errors: MPI_ERR_ERRHANDLER, also for a handler of another kind of object.
int PMPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler errhandler) {
  return guardedOn("MPI_Win_set_errhandler", win, [&](Window& window) {
    Errhandler& handler = errhandlerOf(errhandler);
    if (!handler.suits<MPI_Win>())
      fail(MPI_ERR_ERRHANDLER, "errhandler was not made by MPI_Win_create_errhandler");
    window.setErrhandler(Ref<Errhandler>(&handler));
  });
}
/// The handle that was set, which the program frees once more.
int PMPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler* errhandler) {
  return guardedOn("MPI_Win_get_errhandler", win, [&](Window& window) {
    checkPointer(errhandler, "errhandler");
    *errhandler = giveHandle(window.errhandler());
  });
}
/// Calls the window's handler with the code. MPI_SUCCESS when it returns.
int PMPI_Win_call_errhandler(MPI_Win win, int errorcode) {
  Ref<Window> object;
  const int found = guardedOn("MPI_Win_call_errhandler", win, [&](Window& window) { object = Ref(&window); });
  if (found != MPI_SUCCESS)
    return found;
  const Ref<Group> group = object->groupRef();
  callErrhandler(object->errhandler(), win, group.get(), errorcode);
  return MPI_SUCCESS;
}

/// Handles as integers, for other languages (section 20.4).
int PMPI_Win_toint(MPI_Win win) {
  return windows->toInt(win);
}
MPI_Win PMPI_Win_fromint(int win) {
  return windows->fromInt(win);
}

} // extern "C"

#include "api/windowQuery.aliases.h"
