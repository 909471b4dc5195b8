#pragma once

#include "pt2pt/Communicator.h"
#include "pt2pt/TagProbeInfo.h"

namespace mpl {

/// What an MPI_Message stands for: a message that MPI_Mprobe or MPI_Improbe took out of matching, and its
/// communicator, which stays alive as long as the message (MPI-5.0, section 3.8.2).
class Message {
public:
  Message(Communicator& comm, const envelope::Pattern& wanted, ucp_worker_h worker)
      : probed(TagProbeInfo::probe(worker, wanted, true)), comm(&comm) {}

  TagProbeInfo probed;
  Ref<Communicator> comm;
};

extern constinit Immortal<HandleTable<Message, MPI_Message>> messages;

/// The object of a handle that the program gave; nullptr for MPI_MESSAGE_NO_PROC. Errors: MPI_ERR_ARG for
/// MPI_MESSAGE_NULL and for handles that were received already. (The standard has no class of its own for
/// them.)
Message* messageOf(MPI_Message handle);

} // namespace mpl
