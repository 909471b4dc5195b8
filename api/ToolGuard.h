#pragma once

#include "api/ToolCatalogue.h"
#include "mpl/Error.h"

#include <mutex>
#include <new>

namespace mpl::api {

/// The tool interface's own state. It has no error handlers: functions return what went wrong (MPI-5.0,
/// section 15.3.10).
struct ToolState {
  std::recursive_mutex mutex; ///< one tool call at a time
  int users = 0;              ///< calls of MPI_T_init_thread less those of MPI_T_finalize
};

extern ToolState& toolState; ///< never destroyed: tools may come late

/// MPI_SUCCESS or the class of the error that body() threw, whose message is for MPL_LOG=debug.
[[gnu::cold]] int toolError(const char* function) noexcept;

/// Runs the body of a function between MPI_T_init_thread and MPI_T_finalize, before MPI_Init and after
/// MPI_Finalize too, in any thread: body() throws mpl::Error or returns.
template <class Body> int toolCall(const char* function, Body&& body) {
  const std::lock_guard lock(toolState.mutex);
  if (toolState.users == 0)
    return MPI_T_ERR_NOT_INITIALIZED;
  try {
    body();
    return MPI_SUCCESS;
  } catch (...) {
    return toolError(function);
  }
}

/// A string result (section 15.3.3): at most *length characters with the null character are written to
/// buffer, and *length becomes what the whole needs. Null pointers and 0: less, or nothing, is written.
void giveText(std::string_view text, char* buffer, int* length) noexcept;

/// A result that nobody may want.
template <class T> void give(T value, T* result) noexcept {
  if (result != nullptr)
    *result = value;
}

/// MPI_T_ERR_INVALID for a null pointer that has to be there.
inline void requireResult(const void* pointer, const char* name) {
  if (pointer == nullptr)
    fail(MPI_T_ERR_INVALID, name, " is a null pointer");
}

/// The element of a list. Errors: MPI_T_ERR_INVALID_INDEX.
template <class T> const T& itemAt(const std::vector<T>& list, int index, const char* name) {
  if (index < 0 || static_cast<std::size_t>(index) >= list.size())
    fail(MPI_T_ERR_INVALID_INDEX, name, " is ", index, ": there are ", list.size());
  return list[static_cast<std::size_t>(index)];
}

/// Its index by name. nameOf(element). Errors: MPI_T_ERR_INVALID_NAME.
template <class T, class NameOf> int indexOf(const std::vector<T>& list, const char* name, NameOf&& nameOf) {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (nameOf(list[i]) == std::string_view(name))
      return static_cast<int>(i);
  fail(MPI_T_ERR_INVALID_NAME, "nothing has the name \"", name, "\"");
}

/// What MPI_T_ENUM_NULL and enumerations of the catalogue are to tools.
MPI_T_enum enumHandle(int index) noexcept;

/// The last MPI_T_finalize: what tools still hold becomes stale.
void dropControlHandles() noexcept;
void dropPvarSessions() noexcept;

} // namespace mpl::api
