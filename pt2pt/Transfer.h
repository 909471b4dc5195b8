#pragma once

#include "pt2pt/Communicator.h"
#include "pt2pt/Request.h"

#include <cstdint>

namespace mpl {

/// Sends and receives for the layers above (collectives, communicator constructors), beside the program's
/// own. They use a context of their own and are never seen by the program's receives. All functions are
/// called with the engine held and do not wait.
///
/// A request that they give is internal: no handle is given out; the owner calls requestPool.release(request)
/// after it is complete. Errors of the operation are in request.outcome.error (MPI_SUCCESS or a class);
/// errors of starting are thrown.
namespace transfer {

/// Sends count elements to a rank of the peer group with the given context bits and tag
/// (0..envelope::maxTag). nullptr: it left at once, there is nothing to wait for.
Request* send(Communicator& comm, std::uint64_t context, const void* buffer, MPI_Count count,
              const Datatype& datatype, int destination, int tag);

/// Receives from a rank of the peer group; always gives a request. outcome.bytes tells what came.
Request* receive(Communicator& comm, std::uint64_t context, void* buffer, MPI_Count count,
                 const Datatype& datatype, int source, int tag);

/// The same for plain bytes.
Request* sendBytes(Communicator& comm, std::uint64_t context, const void* buffer, std::size_t bytes,
                   int destination, int tag);
Request* receiveBytes(Communicator& comm, std::uint64_t context, void* buffer, std::size_t bytes, int source,
                      int tag);

/// Takes a receive back that has not matched yet (the schedule is given up). The request stays the owner's
/// and completes, cancelled or with its message.
void cancel(Request& request) noexcept;

} // namespace transfer
} // namespace mpl
