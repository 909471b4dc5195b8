#include "mpl/Errhandler.h"

#include "mpl/ErrorCodes.h"
#include "mpl/Log.h"

#include <unistd.h>

namespace mpl {

constinit Immortal<HandleTable<Errhandler, MPI_Errhandler>> errhandlers;

namespace {

std::atomic<AbortHook> abortHook{nullptr};

/// The predefined handlers are valid from the moment the library is loaded.
[[maybe_unused]] const bool predefinedBound = [] {
  errhandlers->setPredefined(MPI_ERRORS_ARE_FATAL, Errhandler::predefined(Errhandler::Action::fatal).get());
  errhandlers->setPredefined(MPI_ERRORS_ABORT, Errhandler::predefined(Errhandler::Action::abort).get());
  errhandlers->setPredefined(MPI_ERRORS_RETURN, Errhandler::predefined(Errhandler::Action::giveBack).get());
  return true;
}();

} // namespace

Errhandler::Errhandler(What what) : what_(what), handle_(errhandlers->insert(this)) {}

Errhandler::~Errhandler() {
  errhandlers->erase(handle_);
}

Ref<Errhandler> Errhandler::predefined(Action action) {
  static auto* fatal = new Errhandler(ImmortalTag{}, Action::fatal, MPI_ERRORS_ARE_FATAL);
  static auto* abort = new Errhandler(ImmortalTag{}, Action::abort, MPI_ERRORS_ABORT);
  static auto* giveBack = new Errhandler(ImmortalTag{}, Action::giveBack, MPI_ERRORS_RETURN);
  return Ref<Errhandler>(action == Action::fatal ? fatal : action == Action::abort ? abort : giveBack);
}

template <class Function> Ref<Errhandler> Errhandler::create(Function function) {
  if (function == nullptr)
    fail(MPI_ERR_ARG, "the error handler function is NULL");
  return Ref<Errhandler>(new Errhandler(What(function)));
}

template Ref<Errhandler> Errhandler::create(CommFunction);
template Ref<Errhandler> Errhandler::create(WinFunction);
template Ref<Errhandler> Errhandler::create(FileFunction);
template Ref<Errhandler> Errhandler::create(SessionFunction);

Errhandler& errhandlerOf(MPI_Errhandler handle) {
  Errhandler* handler = errhandlers->find(handle);
  if (handler == nullptr ||
      !(handler->isPredefined() || handler->given_.load(std::memory_order_relaxed) > 0)) {
    if (handle == MPI_ERRHANDLER_NULL)
      fail(MPI_ERR_ERRHANDLER, "errhandler is MPI_ERRHANDLER_NULL");
    fail(MPI_ERR_ERRHANDLER, "errhandler is no error handler: ", static_cast<const void*>(handle));
  }
  return *handler;
}

MPI_Errhandler giveHandle(const Ref<Errhandler>& handler) {
  if (!handler->isPredefined()) {
    handler->retain();
    handler->given_.fetch_add(1, std::memory_order_relaxed);
  }
  return handler->handle_;
}

void freeErrhandler(MPI_Errhandler handle) {
  Errhandler& handler = errhandlerOf(handle);
  if (handler.isPredefined())
    return;
  handler.given_.fetch_sub(1, std::memory_order_relaxed);
  handler.release();
}

void setAbortHook(AbortHook hook) noexcept {
  abortHook.store(hook);
}

void abortProcesses(const AbortRequest& request) noexcept {
  if (const AbortHook hook = abortHook.load())
    hook(request);
  // Without a hook, or should it return: an exit status that is never 0.
  _exit(request.code > 0 && request.code < 256 ? request.code : 1);
}

namespace {

template <class Handle>
[[noreturn]] void abortAfter(Errhandler::Action action, const Group* group, int code, std::string_view line) {
  AbortRequest request{.scope = AbortRequest::Scope::job, .group = group, .code = code};
  if (action == Errhandler::Action::abort)
    request.scope = std::is_same_v<Handle, MPI_Session> || group == nullptr ? AbortRequest::Scope::process
                                                                            : AbortRequest::Scope::group;
  log::error(line, action == Errhandler::Action::abort ? " (MPI_ERRORS_ABORT)" : " (MPI_ERRORS_ARE_FATAL)");
  abortProcesses(request);
}

/// line() gives what is printed before an abort; only then is it called.
template <class Handle, class Line>
int callHandler(const Errhandler& handler, Handle object, const Group* group, int code, Line&& line) {
  if (auto* function = handler.function<Handle>()) {
    function(&object, &code);
    return code;
  }
  // A handler for another kind of object cannot be set; were it there all the same, ending is the safe
  // answer.
  const auto action = handler.isPredefined() ? handler.action() : Errhandler::Action::fatal;
  if (action == Errhandler::Action::giveBack)
    return code;
  abortAfter<Handle>(action, group, code, line());
}

/// What is known about a code without the circumstances: "MPI_ERR_RANK", or number and text of an added one.
std::string describe(int code) {
  if (code > MPI_ERR_LASTCODE)
    return text("error code ", code, isErrorCode(code) ? " \"" + errorString(code) + "\"" : " (unknown)");
  return errorClassName(code);
}

} // namespace

template <class Handle>
int raise(Ref<Errhandler> handler, Handle object, const Group* group, int code, std::string_view message) {
  setLastError(code, message);
  return callHandler(*handler, object, group, code, [&] { return text(message, ": ", describe(code)); });
}

template <class Handle>
void callErrhandler(Ref<Errhandler> handler, Handle object, const Group* group, int code) {
  callHandler(*handler, object, group, code,
              [&] { return text("the program called the error handler: ", describe(code)); });
}

template int raise(Ref<Errhandler>, MPI_Comm, const Group*, int, std::string_view);
template int raise(Ref<Errhandler>, MPI_Win, const Group*, int, std::string_view);
template int raise(Ref<Errhandler>, MPI_File, const Group*, int, std::string_view);
template int raise(Ref<Errhandler>, MPI_Session, const Group*, int, std::string_view);
template void callErrhandler(Ref<Errhandler>, MPI_Comm, const Group*, int);
template void callErrhandler(Ref<Errhandler>, MPI_Win, const Group*, int);
template void callErrhandler(Ref<Errhandler>, MPI_File, const Group*, int);
template void callErrhandler(Ref<Errhandler>, MPI_Session, const Group*, int);

} // namespace mpl
