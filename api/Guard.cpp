#include "api/Guard.h"

#include "api/WindowGuard.h"
#include "comm/Session.h"
#include "mpl/Errhandler.h"
#include "pt2pt/Communicator.h"

#include <new>

namespace mpl::api {

namespace {

int raiseOn(Communicator* comm, int errorClass, const std::string& message) {
  if (comm == nullptr)
    comm = communicators->find(MPI_COMM_SELF);
  if (comm == nullptr) // before MPI_Init and after MPI_Finalize
    return raise<MPI_Comm>(Errhandler::fatal(), MPI_COMM_SELF, nullptr, errorClass, message);
  const Ref<Communicator> keep(comm); // its handler may free it
  return raise(comm->errhandler(), comm->handle(), &comm->group(), errorClass, message);
}

int raiseOnSelf(int errorClass, const std::string& message) {
  return raiseOn(static_cast<Communicator*>(nullptr), errorClass, message);
}

int raiseOn(Window* window, int errorClass, const std::string& message) {
  if (window == nullptr)
    return raiseOnSelf(errorClass, message);
  const Ref<Window> keep(window);
  const Ref<Group> group = window->groupRef();
  return raise(window->errhandler(), window->handle(), group.get(), errorClass, message);
}

// Calls give(class, text) for the exception being handled.
template <class Give> int describe(const char* function, Give&& give) {
  try {
    throw;
  } catch (const Error& error) {
    return give(error.errorClass(), text(function, ": ", error.message()));
  } catch (const std::bad_alloc&) {
    return give(MPI_ERR_NO_MEM, text(function, ": out of memory"));
  } catch (const std::exception& error) {
    return give(MPI_ERR_INTERN, text(function, ": ", error.what()));
  }
}

/// The exception being handled, to the handler of what it names itself, else of `object`.
template <class Object> int reportTo(const char* function, Object* object) {
  try {
    throw;
  } catch (const CommunicatorError& error) {
    const std::string message = text(function, ": ", error.message());
    // A request on a window belongs to the window's own communicator.
    if (Window* window = Window::ofCommunicator(error.communicator()))
      return raiseOn(window, error.errorClass(), message);
    return raiseOn(&error.communicator(), error.errorClass(), message);
  } catch (...) {
    return describe(function, [&](int errorClass, const std::string& message) {
      return raiseOn(object, errorClass, message);
    });
  }
}

} // namespace

int report(const char* function, MPI_Comm comm) {
  return reportTo(function, communicators->find(comm));
}

int reportOn(const char* function, MPI_Win win) {
  return reportTo(function, windows->find(win));
}

int report(const char* function, MPI_Session handle) {
  return describe(function, [&](int errorClass, const std::string& message) {
    Session* const session = sessions->find(handle);
    if (session == nullptr)
      return raiseOnSelf(errorClass, message);
    return raise<MPI_Session>(session->errhandler(), handle, nullptr, errorClass, message);
  });
}

int report(const char* function, MPI_Group handle) {
  return describe(function, [&](int errorClass, const std::string& message) {
    const Group* const group = groups->find(handle);
    if (group == nullptr || !group->origin())
      return raiseOnSelf(errorClass, message);
    const std::shared_ptr<SessionScope> scope = group->origin(); // its handler may free the group
    return raise<MPI_Session>(scope->errhandler.get(), scope->handle.load(), nullptr, errorClass, message);
  });
}

int reportTo(MPI_Errhandler wanted, const char* function, bool ofSession) {
  return describe(function, [&](int errorClass, const std::string& message) {
    Errhandler* const found = errhandlers->find(wanted);
    if (found == nullptr)
      return raiseOnSelf(errorClass, message);
    Ref<Errhandler> handler(found);
    if (ofSession)
      return raise<MPI_Session>(std::move(handler), MPI_SESSION_NULL, nullptr, errorClass, message);
    return raise<MPI_Comm>(std::move(handler), MPI_COMM_NULL, nullptr, errorClass, message);
  });
}

} // namespace mpl::api
