#include "api/Guard.h"

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

} // namespace

int report(const char* function, MPI_Comm comm) {
  try {
    throw;
  } catch (const CommunicatorError& error) {
    return raiseOn(&error.communicator(), error.errorClass(), text(function, ": ", error.message()));
  } catch (const Error& error) {
    return raiseOn(communicators->find(comm), error.errorClass(), text(function, ": ", error.message()));
  } catch (const std::bad_alloc&) {
    return raiseOn(communicators->find(comm), MPI_ERR_NO_MEM, text(function, ": out of memory"));
  } catch (const std::exception& error) {
    return raiseOn(communicators->find(comm), MPI_ERR_INTERN, text(function, ": ", error.what()));
  }
}

} // namespace mpl::api
