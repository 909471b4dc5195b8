#pragma once

#include <string>

namespace mpl {

class Communicator;

/// What a program can read as info key "mpl_transport" of a communicator: for each rank that was sent to, the
/// UCX transports of the connection, such as "0: self; 1: posix+cma". At most `limit` characters; ranks that
/// were not sent to are left out. Takes the engine.
std::string describeTransports(Communicator& comm, std::size_t limit);

/// The transports that UCX's own report of an endpoint names, each once, in the order of its lanes.
std::string transportsIn(const std::string& endpointReport);

} // namespace mpl
