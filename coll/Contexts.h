#pragma once

#include "pt2pt/Communicator.h"

namespace mpl {

/// The contexts of a communicator beside those of its messages and its collectives. The ids that
/// communicators agree on stay below `derivedContexts`; the same id plus that is the communicator's too.
namespace contexts {

/// Persistent collectives: their tags are given for good, and would else meet those of later collectives.
inline std::uint64_t persistent(const Communicator& comm) noexcept {
  return comm.collectiveContext() | envelope::contextPart(envelope::derivedContexts);
}

/// MPI_Comm_create_group: some members among themselves, with tags of the program's.
inline std::uint64_t groupCreation(const Communicator& comm) noexcept {
  return comm.messageContext() | envelope::contextPart(envelope::derivedContexts);
}

} // namespace contexts
} // namespace mpl
