#include "pt2pt/MessageBuffer.h"

#include <cstdint>

namespace mpl {

namespace {

// One operation's view of its buffer, as UCX's generic datatypes keep it.
struct PackState {
  PackCursor cursor;
};

const Datatype& datatypeFrom(void* context) {
  return *static_cast<const Datatype*>(context);
}

void* startPack(void* context, const void* buffer, std::size_t count) {
  return new PackState{datatypeFrom(context).cursor(buffer, static_cast<MPI_Count>(count))};
}

void* startUnpack(void* context, void* buffer, std::size_t count) {
  return startPack(context, buffer, count);
}

std::size_t packedSize(void* state) {
  return static_cast<PackState*>(state)->cursor.totalBytes();
}

std::size_t pack(void* state, std::size_t offset, void* to, std::size_t room) {
  return static_cast<PackState*>(state)->cursor.pack(offset, to, room);
}

ucs_status_t unpack(void* state, std::size_t offset, const void* from, std::size_t bytes) {
  static_cast<PackState*>(state)->cursor.unpack(offset, from, bytes);
  return UCS_OK;
}

void finishPacking(void* state) {
  delete static_cast<PackState*>(state);
}

constexpr ucp_generic_dt_ops_t packing = {startPack, startUnpack, packedSize, pack, unpack, finishPacking};

ucp_datatype_t genericType(const Datatype& datatype) {
  void* made = datatype.transportType();
  if (made == nullptr) {
    ucp_datatype_t type = 0;
    if (ucp_dt_create_generic(&packing, const_cast<Datatype*>(&datatype), &type) != UCS_OK)
      fail(MPI_ERR_NO_MEM, "no memory to describe a datatype to UCX");
    made = datatype.setTransportType(reinterpret_cast<void*>(type), [](void* old) {
      ucp_dt_destroy(reinterpret_cast<ucp_datatype_t>(old));
    });
  }
  return reinterpret_cast<ucp_datatype_t>(made);
}

} // namespace

MessageBuffer messageBufferFor(const void* buffer, MPI_Count count, const Datatype& datatype) {
  MessageBuffer result;
  if (__builtin_mul_overflow(static_cast<std::uint64_t>(count), datatype.size(), &result.bytes) ||
      result.bytes > static_cast<std::uint64_t>(INT64_MAX))
    fail(MPI_ERR_COUNT, "count ", count, " of a datatype of ", datatype.size(),
         " bytes is more than an MPI_Count holds");
  if (result.bytes == 0)
    return result;
  // UCX 1.13 never finishes a rendezvous of 4 GiB and more in which the receiver reads the sender's memory;
  // data that are packed go another way.
  const bool direct = result.bytes <= largestDirect;
  if (direct && (datatype.isContiguous() || (count == 1 && datatype.isOneBlock()))) {
    const auto start =
        reinterpret_cast<std::uintptr_t>(buffer) + static_cast<std::uintptr_t>(datatype.trueLowerBound());
    result.address = reinterpret_cast<void*>(start);
    result.count = result.bytes;
    return result;
  }
  result.address = const_cast<void*>(buffer);
  result.count = static_cast<std::size_t>(count);
  result.type = genericType(datatype);
  result.plain = false;
  return result;
}

MessageBuffer packedBuffer(const MessageBuffer& run) {
  return {run.address, run.bytes, run.bytes, genericType(*datatypes->find(MPI_BYTE)), false};
}

} // namespace mpl
