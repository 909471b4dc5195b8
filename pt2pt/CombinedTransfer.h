#pragma once

#include "pt2pt/PersistentTransfer.h"

namespace mpl {

/// MPI_Isendrecv and MPI_Isendrecv_replace: one request for a send and a receive; its status is the
/// receive's. Either peer may be MPI_PROC_NULL. Takes the engine. owned: memory that the send reads and that
/// must live until the end, or empty.
MPI_Request startCombined(const TransferArguments& send, const TransferArguments& receive,
                          std::unique_ptr<std::byte[]> owned);

/// A packed copy of a message, for MPI_Sendrecv_replace and its non-blocking form.
std::unique_ptr<std::byte[]> packedCopy(const void* buffer, MPI_Count count, const Datatype& datatype,
                                        MPI_Count& bytes);

} // namespace mpl
