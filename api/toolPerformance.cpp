// The tool interface's performance variables: MPI-5.0, section 15.3.7.
//
// Threads, errors and strings as in tool.cpp. All variables are counts of type MPI_UNSIGNED_LONG_LONG that
// are bound to no object; they begin at 0 and are stopped when a handle is made, and can be started, stopped,
// reset and written, each handle by itself. Sessions see nothing of each other.
#include "api/ToolGuard.h"

#include "mpl/HandleTable.h"

#include <cstring>
#include <memory>

using namespace mpl;
using namespace mpl::api;

namespace {

struct PvarSession;

struct PvarHandle {
  PvarSession* session;
  WatchedVariable watched;
  MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
};

struct PvarSession {
  MPI_T_pvar_session handle = MPI_T_PVAR_SESSION_NULL;
  std::vector<std::unique_ptr<PvarHandle>> variables;
};

constinit Immortal<HandleTable<PvarSession, MPI_T_pvar_session>> sessionHandles;
constinit Immortal<HandleTable<PvarHandle, MPI_T_pvar_handle>> pvarHandles;
auto& openSessions = *new std::vector<std::unique_ptr<PvarSession>>;

PvarSession& pvarSessionOf(MPI_T_pvar_session handle) {
  PvarSession* session = sessionHandles->find(handle);
  if (session == nullptr)
    fail(MPI_T_ERR_INVALID_SESSION, "the session is not valid");
  return *session;
}

/// Of that session.
PvarHandle& pvarOf(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  const PvarSession& owner = pvarSessionOf(session);
  PvarHandle* found = pvarHandles->find(handle);
  if (found == nullptr || found->session != &owner)
    fail(MPI_T_ERR_INVALID_HANDLE, "the handle is not one of a performance variable of this session");
  return *found;
}

/// action(variable) for one or, with MPI_T_PVAR_ALL_HANDLES, all of the session.
template <class Action>
void onHandles(MPI_T_pvar_session session, MPI_T_pvar_handle handle, Action&& action) {
  if (handle != MPI_T_PVAR_ALL_HANDLES)
    return action(pvarOf(session, handle).watched);
  for (const std::unique_ptr<PvarHandle>& one : pvarSessionOf(session).variables)
    action(one->watched);
}

void store(void* to, std::uint64_t value) {
  const unsigned long long number = value;
  std::memcpy(to, &number, sizeof number);
}

int classOf(const PerformanceVariable& variable) {
  return variable.kind == PerformanceVariable::Kind::counter ? MPI_T_PVAR_CLASS_COUNTER
                                                             : MPI_T_PVAR_CLASS_AGGREGATE;
}

void close(PvarSession& session) noexcept {
  for (const std::unique_ptr<PvarHandle>& one : session.variables)
    pvarHandles->erase(one->handle);
  sessionHandles->erase(session.handle);
}

} // namespace

namespace mpl::api {

void dropPvarSessions() noexcept {
  for (const std::unique_ptr<PvarSession>& session : openSessions)
    close(*session);
  openSessions.clear();
}

} // namespace mpl::api

extern "C" {

int PMPI_T_pvar_get_num(int* num_pvar) {
  return toolCall("MPI_T_pvar_get_num", [&] {
    requireResult(num_pvar, "num_pvar");
    *num_pvar = static_cast<int>(ToolCatalogue::get().variables.size());
  });
}

/// readonly, continuous: 0; atomic: 1 (MPI_T_pvar_readreset loses nothing).
int PMPI_T_pvar_get_info(int pvar_index, char* name, int* name_len, int* verbosity, int* var_class,
                         MPI_Datatype* datatype, MPI_T_enum* enumtype, char* desc, int* desc_len, int* bind,
                         int* readonly, int* continuous, int* atomic) {
  return toolCall("MPI_T_pvar_get_info", [&] {
    const PerformanceVariable& variable = itemAt(ToolCatalogue::get().variables, pvar_index, "pvar_index");
    giveText(variable.name, name, name_len);
    giveText(variable.meaning, desc, desc_len);
    give(MPI_T_VERBOSITY_USER_DETAIL, verbosity);
    give(classOf(variable), var_class);
    give(MPI_UNSIGNED_LONG_LONG, datatype);
    give(MPI_T_ENUM_NULL, enumtype);
    give(MPI_T_BIND_NO_OBJECT, bind);
    give(0, readonly);
    give(0, continuous);
    give(1, atomic);
  });
}

/// Errors also: MPI_T_ERR_INVALID_NAME where no variable of that class has the name.
int PMPI_T_pvar_get_index(const char* name, int var_class, int* pvar_index) {
  return toolCall("MPI_T_pvar_get_index", [&] {
    requireResult(name, "name");
    requireResult(pvar_index, "pvar_index");
    *pvar_index = indexOf(ToolCatalogue::get().variables, name, [&](const PerformanceVariable& variable) {
      return classOf(variable) == var_class ? std::string_view(variable.name) : std::string_view();
    });
  });
}

/// Errors also: MPI_T_ERR_OUT_OF_SESSIONS.
int PMPI_T_pvar_session_create(MPI_T_pvar_session* session) {
  return toolCall("MPI_T_pvar_session_create", [&] {
    requireResult(session, "session");
    auto made = std::make_unique<PvarSession>();
    openSessions.reserve(openSessions.size() + 1);
    *session = made->handle = sessionHandles->insert(made.get());
    openSessions.push_back(std::move(made));
  });
}

/// session becomes MPI_T_PVAR_SESSION_NULL; its handles are freed. Errors also: MPI_T_ERR_INVALID_SESSION.
int PMPI_T_pvar_session_free(MPI_T_pvar_session* session) {
  return toolCall("MPI_T_pvar_session_free", [&] {
    requireResult(session, "session");
    PvarSession* found = &pvarSessionOf(*session);
    close(*found);
    std::erase_if(openSessions, [&](const auto& one) { return one.get() == found; });
    *session = MPI_T_PVAR_SESSION_NULL;
  });
}

/// obj_handle: not looked at. count: 1. Errors also: MPI_T_ERR_INVALID_SESSION, MPI_T_ERR_OUT_OF_HANDLES.
int PMPI_T_pvar_handle_alloc(MPI_T_pvar_session session, int pvar_index, void*, MPI_T_pvar_handle* handle,
                             int* count) {
  return toolCall("MPI_T_pvar_handle_alloc", [&] {
    PvarSession& owner = pvarSessionOf(session);
    const PerformanceVariable& variable = itemAt(ToolCatalogue::get().variables, pvar_index, "pvar_index");
    requireResult(handle, "handle");
    requireResult(count, "count");
    auto made = std::make_unique<PvarHandle>(PvarHandle{&owner, WatchedVariable(variable)});
    owner.variables.reserve(owner.variables.size() + 1);
    *handle = made->handle = pvarHandles->insert(made.get());
    owner.variables.push_back(std::move(made));
    *count = 1;
  });
}

/// handle becomes MPI_T_PVAR_HANDLE_NULL. Errors also: MPI_T_ERR_INVALID_SESSION, MPI_T_ERR_INVALID_HANDLE
/// (one of another session too).
int PMPI_T_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle* handle) {
  return toolCall("MPI_T_pvar_handle_free", [&] {
    requireResult(handle, "handle");
    PvarHandle* found = &pvarOf(session, *handle);
    pvarHandles->erase(*handle);
    std::erase_if(found->session->variables, [&](const auto& one) { return one.get() == found; });
    *handle = MPI_T_PVAR_HANDLE_NULL;
  });
}

/// handle: or MPI_T_PVAR_ALL_HANDLES. What is running already goes on. Errors also:
/// MPI_T_ERR_INVALID_SESSION, MPI_T_ERR_INVALID_HANDLE.
int PMPI_T_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return toolCall("MPI_T_pvar_start",
                  [&] { onHandles(session, handle, [](WatchedVariable& variable) { variable.start(); }); });
}

/// As MPI_T_pvar_start. The value stays.
int PMPI_T_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return toolCall("MPI_T_pvar_stop",
                  [&] { onHandles(session, handle, [](WatchedVariable& variable) { variable.stop(); }); });
}

/// buf: an unsigned long long. Errors also: MPI_T_ERR_INVALID_SESSION, MPI_T_ERR_INVALID_HANDLE
/// (MPI_T_PVAR_ALL_HANDLES too).
int PMPI_T_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buf) {
  return toolCall("MPI_T_pvar_read", [&] {
    const PvarHandle& found = pvarOf(session, handle);
    requireResult(buf, "buf");
    store(buf, found.watched.value());
  });
}

/// As MPI_T_pvar_read. The value that the variable goes on from.
int PMPI_T_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void* buf) {
  return toolCall("MPI_T_pvar_write", [&] {
    PvarHandle& found = pvarOf(session, handle);
    requireResult(buf, "buf");
    unsigned long long value = 0;
    std::memcpy(&value, buf, sizeof value);
    found.watched.exchange(value);
  });
}

/// To 0. handle: or MPI_T_PVAR_ALL_HANDLES. Errors as of MPI_T_pvar_start.
int PMPI_T_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  return toolCall("MPI_T_pvar_reset", [&] {
    onHandles(session, handle, [](WatchedVariable& variable) { variable.exchange(0); });
  });
}

/// MPI_T_pvar_read and MPI_T_pvar_reset in one step, between which nothing is counted.
int PMPI_T_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buf) {
  return toolCall("MPI_T_pvar_readreset", [&] {
    PvarHandle& found = pvarOf(session, handle);
    requireResult(buf, "buf");
    store(buf, found.watched.exchange(0));
  });
}

} // extern "C"

#include "api/toolPerformance.aliases.h"
