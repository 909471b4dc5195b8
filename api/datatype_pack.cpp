// Packing and unpacking: MPI-5.0, sections 5.2 and 5.3. Between initialisation and finalisation, by any
// thread. Sizes and positions are in bytes; the position moves behind what was packed or unpacked. Errors:
// MPI_ERR_COUNT, MPI_ERR_TYPE (also for a datatype that is not committed), MPI_ERR_COMM, MPI_ERR_TRUNCATE
// where the packed buffer is too small, MPI_ERR_ARG for the rest; nothing was moved then.
#include "api/TypeHelpers.h"
#include "mpl/CheckedMath.h"
#include "mpl/External32.h"

#include <cstring>

using namespace mpl;
using namespace mpl::api;

namespace {

/// The part of a packed buffer that a call may use: `bytes` bytes at the position.
template <class Packed, class Position>
Packed* roomAt(Packed* buffer, MPI_Count size, const Position* position, MPI_Count bytes,
               const char* bufferName, const char* sizeName) {
  checkPointer(position, "position");
  if (size < 0)
    fail(MPI_ERR_ARG, sizeName, " is ", size, ", which is negative");
  if (*position < 0 || *position > size)
    fail(MPI_ERR_ARG, "position is ", *position, ", which is not between 0 and ", sizeName, " = ", size);
  if (bytes > size - *position)
    fail(MPI_ERR_TRUNCATE, bytes, " packed bytes do not fit ", bufferName, " of ", size,
         " bytes from position ", *position, " on");
  if (bytes > 0)
    checkPointer(buffer, bufferName);
  return buffer + *position;
}

template <class Position> void advance(Position* position, MPI_Count bytes) {
  *position = static_cast<Position>(*position + bytes);
}

MPI_Count packedSize(const Datatype& type, MPI_Count count) {
  checkCount(count);
  return checkedMultiply(count, static_cast<MPI_Count>(type.size()));
}

template <class Position>
int pack(const char* function, const void* inbuf, MPI_Count incount, MPI_Datatype datatype, void* outbuf,
         MPI_Count outsize, Position* position, MPI_Comm comm) {
  return guarded(function, comm, [&] {
    communicatorOf(comm);
    const Datatype& type = committedDatatypeOf(datatype);
    const MPI_Count bytes = packedSize(type, incount);
    char* room = roomAt(static_cast<char*>(outbuf), outsize, position, bytes, "outbuf", "outsize");
    checkMemory(inbuf, incount, type);
    type.cursor(inbuf, incount).pack(0, room, static_cast<std::size_t>(bytes));
    advance(position, bytes);
  });
}

template <class Position>
int unpack(const char* function, const void* inbuf, MPI_Count insize, Position* position, void* outbuf,
           MPI_Count outcount, MPI_Datatype datatype, MPI_Comm comm) {
  return guarded(function, comm, [&] {
    communicatorOf(comm);
    const Datatype& type = committedDatatypeOf(datatype);
    const MPI_Count bytes = packedSize(type, outcount);
    const char* room = roomAt(static_cast<const char*>(inbuf), insize, position, bytes, "inbuf", "insize");
    checkMemory(outbuf, outcount, type);
    type.cursor(outbuf, outcount).unpack(0, room, static_cast<std::size_t>(bytes));
    advance(position, bytes);
  });
}

template <class Count>
int packSize(const char* function, MPI_Count incount, MPI_Datatype datatype, MPI_Comm comm, Count* size) {
  return guarded(function, comm, [&] {
    communicatorOf(comm);
    store(size, packedSize(committedDatatypeOf(datatype), incount), "size");
  });
}

void checkRepresentation(const char* datarep) {
  checkPointer(datarep, "datarep");
  if (std::strcmp(datarep, "external32") != 0)
    fail(MPI_ERR_ARG, "datarep is \"", datarep, "\", but only \"external32\" is known");
}

/// No datatype is larger in external32 than in memory, so that one check for overflow serves both.
MPI_Count externalSize(const Datatype& type, MPI_Count count) {
  packedSize(type, count);
  return external32::size(type, count);
}

template <class Position>
int packExternal(const char* function, const char* datarep, const void* inbuf, MPI_Count incount,
                 MPI_Datatype datatype, void* outbuf, MPI_Count outsize, Position* position) {
  return guarded(function, [&] {
    runtime.requireActive();
    checkRepresentation(datarep);
    const Datatype& type = committedDatatypeOf(datatype);
    const MPI_Count bytes = externalSize(type, incount);
    char* room = roomAt(static_cast<char*>(outbuf), outsize, position, bytes, "outbuf", "outsize");
    checkMemory(inbuf, incount, type);
    external32::pack(type, incount, inbuf, room);
    advance(position, bytes);
  });
}

template <class Position>
int unpackExternal(const char* function, const char* datarep, const void* inbuf, MPI_Count insize,
                   Position* position, void* outbuf, MPI_Count outcount, MPI_Datatype datatype) {
  return guarded(function, [&] {
    runtime.requireActive();
    checkRepresentation(datarep);
    const Datatype& type = committedDatatypeOf(datatype);
    const MPI_Count bytes = externalSize(type, outcount);
    const char* room = roomAt(static_cast<const char*>(inbuf), insize, position, bytes, "inbuf", "insize");
    checkMemory(outbuf, outcount, type);
    external32::unpack(type, outcount, room, outbuf);
    advance(position, bytes);
  });
}

template <class Size>
int packExternalSize(const char* function, const char* datarep, MPI_Count incount, MPI_Datatype datatype,
                     Size* size) {
  return guarded(function, [&] {
    runtime.requireActive();
    checkRepresentation(datarep);
    store(size, externalSize(committedDatatypeOf(datatype), incount), "size");
  });
}

} // namespace

extern "C" {

int PMPI_Pack(const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf, int outsize, int* position,
              MPI_Comm comm) {
  return pack("MPI_Pack", inbuf, incount, datatype, outbuf, outsize, position, comm);
}
int PMPI_Pack_c(const void* inbuf, MPI_Count incount, MPI_Datatype datatype, void* outbuf, MPI_Count outsize,
                MPI_Count* position, MPI_Comm comm) {
  return pack("MPI_Pack_c", inbuf, incount, datatype, outbuf, outsize, position, comm);
}

int PMPI_Unpack(const void* inbuf, int insize, int* position, void* outbuf, int outcount,
                MPI_Datatype datatype, MPI_Comm comm) {
  return unpack("MPI_Unpack", inbuf, insize, position, outbuf, outcount, datatype, comm);
}
int PMPI_Unpack_c(const void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf, MPI_Count outcount,
                  MPI_Datatype datatype, MPI_Comm comm) {
  return unpack("MPI_Unpack_c", inbuf, insize, position, outbuf, outcount, datatype, comm);
}

/// size: exactly what MPI_Pack will add to the position.
int PMPI_Pack_size(int incount, MPI_Datatype datatype, MPI_Comm comm, int* size) {
  return packSize("MPI_Pack_size", incount, datatype, comm, size);
}
int PMPI_Pack_size_c(MPI_Count incount, MPI_Datatype datatype, MPI_Comm comm, MPI_Count* size) {
  return packSize("MPI_Pack_size_c", incount, datatype, comm, size);
}

int PMPI_Pack_external(const char* datarep, const void* inbuf, int incount, MPI_Datatype datatype,
                       void* outbuf, MPI_Aint outsize, MPI_Aint* position) {
  return packExternal("MPI_Pack_external", datarep, inbuf, incount, datatype, outbuf, outsize, position);
}
int PMPI_Pack_external_c(const char* datarep, const void* inbuf, MPI_Count incount, MPI_Datatype datatype,
                         void* outbuf, MPI_Count outsize, MPI_Count* position) {
  return packExternal("MPI_Pack_external_c", datarep, inbuf, incount, datatype, outbuf, outsize, position);
}

int PMPI_Unpack_external(const char datarep[], const void* inbuf, MPI_Aint insize, MPI_Aint* position,
                         void* outbuf, int outcount, MPI_Datatype datatype) {
  return unpackExternal("MPI_Unpack_external", datarep, inbuf, insize, position, outbuf, outcount, datatype);
}
int PMPI_Unpack_external_c(const char datarep[], const void* inbuf, MPI_Count insize, MPI_Count* position,
                           void* outbuf, MPI_Count outcount, MPI_Datatype datatype) {
  return unpackExternal("MPI_Unpack_external_c", datarep, inbuf, insize, position, outbuf, outcount,
                        datatype);
}

int PMPI_Pack_external_size(const char* datarep, int incount, MPI_Datatype datatype, MPI_Aint* size) {
  return packExternalSize("MPI_Pack_external_size", datarep, incount, datatype, size);
}
int PMPI_Pack_external_size_c(const char* datarep, MPI_Count incount, MPI_Datatype datatype,
                              MPI_Count* size) {
  return packExternalSize("MPI_Pack_external_size_c", datarep, incount, datatype, size);
}

} // extern "C"

#include "api/datatype_pack.aliases.h"
