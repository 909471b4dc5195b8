#include "api/CollectiveBlocks.h"

#include <limits>

namespace mpl::api {

void failAddress(const char* name, const void* buffer, MPI_Count count) {
  fail(MPI_ERR_BUFFER, name, " is ",
       buffer == nullptr        ? "null"
       : buffer == MPI_IN_PLACE ? "MPI_IN_PLACE, which is not allowed here,"
                                : "no address",
       " and its count is ", count);
}

Block checkedBlock(const char* bufferName, const void* buffer, const char* countName, MPI_Count count,
                   MPI_Datatype datatype) {
  constexpr std::uintptr_t constants = 16; // no object has such an address
  checkCount(count, countName);
  const Datatype& type = committedDatatypeOf(datatype);
  if (reinterpret_cast<std::uintptr_t>(buffer) < constants &&
      (buffer != nullptr || (count != 0 && type.isPlain() && type.size() != 0))) [[unlikely]]
    failAddress(bufferName, buffer, count);
  if (std::size_t bytes = 0; __builtin_mul_overflow(static_cast<std::size_t>(count), type.size(), &bytes) ||
                             bytes > static_cast<std::size_t>(std::numeric_limits<MPI_Count>::max()))
      [[unlikely]]
    fail(MPI_ERR_COUNT, countName, " is ", count, ", and so many elements of ", type.size(),
         " bytes are more than an MPI_Count holds");
  return Block::of(buffer, count, type);
}

Block sendBlock(const void* buffer, MPI_Count count, MPI_Datatype datatype) {
  return checkedBlock("sendbuf", buffer, "sendcount", count, datatype);
}

Block receiveBlock(const void* buffer, MPI_Count count, MPI_Datatype datatype) {
  return checkedBlock("recvbuf", buffer, "recvcount", count, datatype);
}

Parts regularParts(const char* bufferName, const void* buffer, const char* countName, MPI_Count count,
                   MPI_Datatype datatype) {
  const Block one = checkedBlock(bufferName, buffer, countName, count, datatype);
  return Parts(one.at, one.count, *one.type);
}

void checkApart(const Block& send, const Block& receive) {
  if (send.at == receive.at && send.at != nullptr && send.bytes() != 0 && receive.bytes() != 0) [[unlikely]]
    fail(MPI_ERR_BUFFER, "sendbuf and recvbuf are the same memory (", static_cast<const void*>(send.at),
         "): MPI_IN_PLACE is the way to say so");
}

} // namespace mpl::api
