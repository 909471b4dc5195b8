#include "api/Guard.h"

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

} // namespace

int report(const char* function, MPI_Comm comm) {
  try {
    throw;
  } catch (const CommunicatorError& error) {
    return raiseOn(&error.communicator(), error.errorClass(), text(function, ": ", error.message()));
  } catch (...) {
    return describe(function, [&](int errorClass, const std::string& message) {
      return raiseOn(communicators->find(comm), errorClass, message);
    });
  }
}

int report(const char* function, MPI_Session handle) noexcept {
  return describe(function, [&](int errorClass, const std::string& message) {
    Session* const session = sessions->find(handle);
    return raise<MPI_Session>(session != nullptr ? session->errhandler() : Errhandler::fatal(), handle,
                              nullptr, errorClass, message);
  });
}

int reportTo(MPI_Errhandler wanted, const char* function, bool ofSession) noexcept {
  return describe(function, [&](int errorClass, const std::string& message) {
    Errhandler* const found = errhandlers->find(wanted);
    Ref<Errhandler> handler = found != nullptr ? Ref<Errhandler>(found) : Errhandler::fatal();
    if (ofSession)
      return raise<MPI_Session>(std::move(handler), MPI_SESSION_NULL, nullptr, errorClass, message);
    return raise<MPI_Comm>(std::move(handler), MPI_COMM_NULL, nullptr, errorClass, message);
  });
}

} // namespace mpl::api
