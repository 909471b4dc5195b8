// The tool interface's control variables, which are the library's settings: MPI-5.0, section 15.3.6.
//
// Threads, errors and strings as in tool.cpp. Settings are read from the environment once, so that none can
// be written (MPI_T_SCOPE_CONSTANT).
#include "api/ToolGuard.h"

#include "mpl/HandleTable.h"

using namespace mpl;
using namespace mpl::api;

namespace {

using ControlTable = HandleTable<const ControlVariable, MPI_T_cvar_handle>;
constinit Immortal<ControlTable> controlHandles;
std::vector<MPI_T_cvar_handle>& handlesInUse = *new std::vector<MPI_T_cvar_handle>;

const ControlVariable& controlOf(MPI_T_cvar_handle handle) {
  const ControlVariable* control = controlHandles->find(handle);
  if (control == nullptr)
    fail(MPI_T_ERR_INVALID_HANDLE, "the handle is not one of a control variable");
  return *control;
}

int verbosityOf(const SettingRow& row) {
  return row.name.starts_with("MPL_COLL_") ? MPI_T_VERBOSITY_TUNER_DETAIL : MPI_T_VERBOSITY_USER_BASIC;
}

} // namespace

namespace mpl::api {

void dropControlHandles() noexcept {
  for (MPI_T_cvar_handle handle : handlesInUse)
    controlHandles->erase(handle);
  handlesInUse.clear();
}

} // namespace mpl::api

extern "C" {

int PMPI_T_cvar_get_num(int* num_cvar) {
  return toolCall("MPI_T_cvar_get_num", [&] {
    requireResult(num_cvar, "num_cvar");
    *num_cvar = static_cast<int>(ToolCatalogue::get().controls.size());
  });
}

/// datatype: MPI_INT (with enumtype for words and switches), MPI_DOUBLE (seconds) or MPI_UNSIGNED_LONG_LONG.
int PMPI_T_cvar_get_info(int cvar_index, char* name, int* name_len, int* verbosity, MPI_Datatype* datatype,
                         MPI_T_enum* enumtype, char* desc, int* desc_len, int* bind, int* scope) {
  return toolCall("MPI_T_cvar_get_info", [&] {
    const ControlVariable& control = itemAt(ToolCatalogue::get().controls, cvar_index, "cvar_index");
    giveText(control.setting->name, name, name_len);
    giveText(control.setting->meaning, desc, desc_len);
    give(verbosityOf(*control.setting), verbosity);
    give(control.datatype, datatype);
    give(control.enumeration < 0 ? MPI_T_ENUM_NULL : enumHandle(control.enumeration), enumtype);
    give(MPI_T_BIND_NO_OBJECT, bind);
    give(MPI_T_SCOPE_CONSTANT, scope);
  });
}

/// Errors also: MPI_T_ERR_INVALID_NAME.
int PMPI_T_cvar_get_index(const char* name, int* cvar_index) {
  return toolCall("MPI_T_cvar_get_index", [&] {
    requireResult(name, "name");
    requireResult(cvar_index, "cvar_index");
    *cvar_index = indexOf(ToolCatalogue::get().controls, name,
                          [](const ControlVariable& control) { return control.setting->name; });
  });
}

/// obj_handle: not looked at. count: 1. Errors also: MPI_T_ERR_OUT_OF_HANDLES.
int PMPI_T_cvar_handle_alloc(int cvar_index, void*, MPI_T_cvar_handle* handle, int* count) {
  return toolCall("MPI_T_cvar_handle_alloc", [&] {
    const ControlVariable& control = itemAt(ToolCatalogue::get().controls, cvar_index, "cvar_index");
    requireResult(handle, "handle");
    requireResult(count, "count");
    handlesInUse.reserve(handlesInUse.size() + 1);
    *handle = controlHandles->insert(&control);
    handlesInUse.push_back(*handle);
    *count = 1;
  });
}

/// handle becomes MPI_T_CVAR_HANDLE_NULL. Errors also: MPI_T_ERR_INVALID_HANDLE.
int PMPI_T_cvar_handle_free(MPI_T_cvar_handle* handle) {
  return toolCall("MPI_T_cvar_handle_free", [&] {
    requireResult(handle, "handle");
    controlOf(*handle);
    controlHandles->erase(*handle);
    std::erase(handlesInUse, *handle);
    *handle = MPI_T_CVAR_HANDLE_NULL;
  });
}

/// buf: one element of the variable's datatype. Errors also: MPI_T_ERR_INVALID_HANDLE.
int PMPI_T_cvar_read(MPI_T_cvar_handle handle, void* buf) {
  return toolCall("MPI_T_cvar_read", [&] {
    const ControlVariable& control = controlOf(handle);
    requireResult(buf, "buf");
    control.read(buf);
  });
}

/// Errors also: MPI_T_ERR_INVALID_HANDLE, and MPI_T_ERR_CVAR_SET_NEVER for all others.
int PMPI_T_cvar_write(MPI_T_cvar_handle handle, const void* buf) {
  return toolCall("MPI_T_cvar_write", [&] {
    const ControlVariable& control = controlOf(handle);
    requireResult(buf, "buf");
    fail(MPI_T_ERR_CVAR_SET_NEVER, control.setting->name, " is taken from the environment only");
  });
}

} // extern "C"

#include "api/toolControl.aliases.h"
