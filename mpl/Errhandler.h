#pragma once

#include "mpi.h"

#include "mpl/HandleTable.h"
#include "mpl/RefCounted.h"

#include <atomic>
#include <string_view>
#include <type_traits>
#include <variant>

namespace mpl {

class Group;

/// What happens when a call on a communicator, window, file or session fails, MPI-5.0 section 9.3: one of the
/// predefined three, or a function of the program's for one kind of object. The program's handle and the
/// objects that use the handler each own a reference; one handler has one handle as long as it lives, so that
/// MPI_Comm_get_errhandler gives back the handle that was set. Any thread may call any function.
class Errhandler : public RefCounted<Errhandler> {
public:
  enum class Action { fatal, abort, giveBack };

  using CommFunction = MPI_Comm_errhandler_function*;
  using WinFunction = MPI_Win_errhandler_function*;
  using FileFunction = MPI_File_errhandler_function*;
  using SessionFunction = MPI_Session_errhandler_function*;

  /// A new handler of the program's; Function is one of the four types above. Errors: MPI_ERR_ARG for
  /// nullptr.
  template <class Function> static Ref<Errhandler> create(Function function);

  static Ref<Errhandler> predefined(Action action);
  static Ref<Errhandler> fatal() { return predefined(Action::fatal); }

  /// The program's function for objects of this handle type, or nullptr for another kind or a predefined
  /// handler.
  template <class Handle> auto* function() const noexcept {
    auto* const* found = std::get_if<FunctionFor<Handle>>(&what_);
    return found != nullptr ? *found : nullptr;
  }

  bool isPredefined() const noexcept { return std::holds_alternative<Action>(what_); }
  /// Only for predefined handlers.
  Action action() const noexcept { return std::get<Action>(what_); }

  /// Whether objects with this type of handle can use the handler.
  template <class Handle> bool suits() const noexcept {
    return isPredefined() || std::holds_alternative<FunctionFor<Handle>>(what_);
  }

private:
  friend class RefCounted<Errhandler>;
  friend MPI_Errhandler giveHandle(const Ref<Errhandler>& handler);
  friend Errhandler& errhandlerOf(MPI_Errhandler handle);
  friend void freeErrhandler(MPI_Errhandler handle);

  template <class Handle>
  using FunctionFor =
      std::conditional_t<std::is_same_v<Handle, MPI_Comm>, CommFunction,
                         std::conditional_t<std::is_same_v<Handle, MPI_Win>, WinFunction,
                                            std::conditional_t<std::is_same_v<Handle, MPI_File>, FileFunction,
                                                               SessionFunction>>>;
  using What = std::variant<Action, CommFunction, WinFunction, FileFunction, SessionFunction>;

  explicit Errhandler(What what);
  constexpr Errhandler(ImmortalTag tag, Action action, MPI_Errhandler handle)
      : RefCounted(tag), what_(action), handle_(handle) {}
  ~Errhandler();

  What what_;
  MPI_Errhandler handle_ = MPI_ERRHANDLER_NULL;
  std::atomic<int> given_{0}; ///< how often the program was given the handle and has not freed it
};

extern constinit Immortal<HandleTable<Errhandler, MPI_Errhandler>> errhandlers;

/// The object of a handle that the program gave. Errors: MPI_ERR_ERRHANDLER.
Errhandler& errhandlerOf(MPI_Errhandler handle);

/// The handle, for the program to keep until it frees it.
MPI_Errhandler giveHandle(const Ref<Errhandler>& handler);

/// MPI_Errhandler_free: the handler lives on while objects use it. Errors: MPI_ERR_ERRHANDLER.
void freeErrhandler(MPI_Errhandler handle);

/// Who is to end, and why.
struct AbortRequest {
  enum class Scope { job, group, process };

  Scope scope = Scope::job;
  const Group* group = nullptr; ///< for Scope::group; nullptr: this process
  int code = MPI_ERR_OTHER;     ///< the error code that led here
};

/// Ends processes; does not return. Set by the layer that knows how to; without one, this process ends.
using AbortHook = void (*)(const AbortRequest& request);
void setAbortHook(AbortHook hook) noexcept;
[[noreturn]] void abortProcesses(const AbortRequest& request) noexcept;

/// Gives a failure to an object's error handler and returns what the failed call has to return.
/// object: the handle as the program knows it, group: its processes (for MPI_ERRORS_ABORT; nullptr: this
/// process alone), code: what the call would return, message: the full text, with the function's name in
/// front, which MPI_Error_string will give to this thread. No lock may be held: a user's handler may call
/// MPI. Handle is MPI_Comm, MPI_Win, MPI_File or MPI_Session.
template <class Handle>
int raise(Ref<Errhandler> handler, Handle object, const Group* group, int code, std::string_view message);

/// MPI_X_call_errhandler: the same, but without a message of its own.
template <class Handle>
void callErrhandler(Ref<Errhandler> handler, Handle object, const Group* group, int code);

} // namespace mpl
