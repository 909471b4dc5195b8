// What a datatype is, and its life: MPI-5.0, sections 5.1.6 to 5.1.9, 5.1.13, 7.8 and 20.3.4. Between
// initialisation and finalisation, by any thread. Sizes, bounds and extents are in bytes; those that the
// program's integer does not hold are given as MPI_UNDEFINED. Errors: MPI_ERR_TYPE for the datatype,
// MPI_ERR_ARG for null pointers.
#include "api/TypeHelpers.h"
#include "mpl/Envelope.h"

#include <algorithm>
#include <cstring>

using namespace mpl;
using namespace mpl::api;

namespace {

template <class Count> int size(const char* function, MPI_Datatype datatype, Count* size) {
  return query(function, datatype,
               [&](const Datatype& type) { store(size, static_cast<MPI_Count>(type.size()), "size"); });
}

template <class Count> int extent(const char* function, MPI_Datatype datatype, Count* lb, Count* extent) {
  return query(function, datatype, [&](const Datatype& type) {
    checkPointer(extent, "extent");
    store(lb, type.lowerBound(), "lb");
    store(extent, type.extent(), "extent");
  });
}

template <class Count> int trueExtent(const char* function, MPI_Datatype datatype, Count* lb, Count* extent) {
  return query(function, datatype, [&](const Datatype& type) {
    checkPointer(extent, "true_extent");
    store(lb, type.trueLowerBound(), "true_lb");
    store(extent, type.trueExtent(), "true_extent");
  });
}

/// The arguments of a constructor for large counts do not fit the calls for small ones.
void refuseLargeCounts(const Envelope& envelope) {
  if (!envelope.largeCounts.empty())
    fail(MPI_ERR_TYPE, "datatype was made with large counts (", envelope.largeCounts.size(),
         " of them), which only the _c form of this function gives");
}

/// Room for everything is looked at before anything is written. room: integers, addresses, large counts,
/// datatypes
void getContents(const Datatype& type, const MPI_Count (&room)[4], int* integers, MPI_Aint* addresses,
                 MPI_Count* largeCounts, MPI_Datatype* datatypesOut) {
  const Envelope& envelope = type.envelope();
  if (envelope.combiner == MPI_COMBINER_NAMED)
    fail(MPI_ERR_TYPE, "datatype is ", type.name(), ", which was not made by a constructor");
  const auto check = [](const auto& from, MPI_Count space, const void* to, const char* name) {
    const auto count = static_cast<MPI_Count>(from.size());
    if (space < count)
      fail(MPI_ERR_ARG, "max_", name, " is ", space, ", but the datatype was made with ", count);
    if (count > 0)
      checkPointer(to, name);
  };
  check(envelope.integers, room[0], integers, "integers");
  check(envelope.addresses, room[1], addresses, "addresses");
  check(envelope.largeCounts, room[2], largeCounts, "large_counts");
  check(envelope.datatypes, room[3], datatypesOut, "datatypes");
  std::copy(envelope.integers.begin(), envelope.integers.end(), integers);
  std::copy(envelope.addresses.begin(), envelope.addresses.end(), addresses);
  std::copy(envelope.largeCounts.begin(), envelope.largeCounts.end(), largeCounts);
  for (const Ref<Datatype>& part : envelope.datatypes)
    *datatypesOut++ = part->isPredefined() ? part->handle() : giveHandle(part->duplicate(true));
}

} // namespace

extern "C" {

int PMPI_Type_commit(MPI_Datatype* datatype) {
  return guarded("MPI_Type_commit", [&] {
    runtime.requireActive();
    checkPointer(datatype, "datatype");
    datatypeOf(*datatype).commit();
  });
}

/// Sets *datatype to MPI_DATATYPE_NULL. Pending operations and datatypes made from it are not disturbed.
/// Errors: also what an attribute's delete callback returned, in which case the datatype stays.
int PMPI_Type_free(MPI_Datatype* datatype) {
  return guarded("MPI_Type_free", [&] {
    runtime.requireActive();
    checkPointer(datatype, "datatype");
    freeDatatype(*datatype);
    *datatype = MPI_DATATYPE_NULL;
  });
}

int PMPI_Type_size(MPI_Datatype datatype, int* size) {
  return ::size("MPI_Type_size", datatype, size);
}
int PMPI_Type_size_c(MPI_Datatype datatype, MPI_Count* size) {
  return ::size("MPI_Type_size_c", datatype, size);
}
int PMPI_Type_size_x(MPI_Datatype datatype, MPI_Count* size) {
  return ::size("MPI_Type_size_x", datatype, size);
}

int PMPI_Type_get_extent(MPI_Datatype datatype, MPI_Aint* lb, MPI_Aint* extent) {
  return ::extent("MPI_Type_get_extent", datatype, lb, extent);
}
int PMPI_Type_get_extent_c(MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent) {
  return ::extent("MPI_Type_get_extent_c", datatype, lb, extent);
}
int PMPI_Type_get_extent_x(MPI_Datatype datatype, MPI_Count* lb, MPI_Count* extent) {
  return ::extent("MPI_Type_get_extent_x", datatype, lb, extent);
}

int PMPI_Type_get_true_extent(MPI_Datatype datatype, MPI_Aint* true_lb, MPI_Aint* true_extent) {
  return trueExtent("MPI_Type_get_true_extent", datatype, true_lb, true_extent);
}
int PMPI_Type_get_true_extent_c(MPI_Datatype datatype, MPI_Count* true_lb, MPI_Count* true_extent) {
  return trueExtent("MPI_Type_get_true_extent_c", datatype, true_lb, true_extent);
}
int PMPI_Type_get_true_extent_x(MPI_Datatype datatype, MPI_Count* true_lb, MPI_Count* true_extent) {
  return trueExtent("MPI_Type_get_true_extent_x", datatype, true_lb, true_extent);
}

/// Errors: also MPI_ERR_TYPE for a datatype made with large counts.
int PMPI_Type_get_envelope(MPI_Datatype datatype, int* num_integers, int* num_addresses, int* num_datatypes,
                           int* combiner) {
  return query("MPI_Type_get_envelope", datatype, [&](const Datatype& type) {
    checkPointer(num_addresses, "num_addresses");
    checkPointer(num_datatypes, "num_datatypes");
    checkPointer(combiner, "combiner");
    const Envelope& envelope = type.envelope();
    refuseLargeCounts(envelope);
    store(num_integers, static_cast<MPI_Count>(envelope.integers.size()), "num_integers");
    store(num_addresses, static_cast<MPI_Count>(envelope.addresses.size()), "num_addresses");
    store(num_datatypes, static_cast<MPI_Count>(envelope.datatypes.size()), "num_datatypes");
    *combiner = envelope.combiner;
  });
}

int PMPI_Type_get_envelope_c(MPI_Datatype datatype, MPI_Count* num_integers, MPI_Count* num_addresses,
                             MPI_Count* num_large_counts, MPI_Count* num_datatypes, int* combiner) {
  return query("MPI_Type_get_envelope_c", datatype, [&](const Datatype& type) {
    checkPointer(num_addresses, "num_addresses");
    checkPointer(num_large_counts, "num_large_counts");
    checkPointer(num_datatypes, "num_datatypes");
    checkPointer(combiner, "combiner");
    const Envelope& envelope = type.envelope();
    store(num_integers, static_cast<MPI_Count>(envelope.integers.size()), "num_integers");
    store(num_addresses, static_cast<MPI_Count>(envelope.addresses.size()), "num_addresses");
    store(num_large_counts, static_cast<MPI_Count>(envelope.largeCounts.size()), "num_large_counts");
    store(num_datatypes, static_cast<MPI_Count>(envelope.datatypes.size()), "num_datatypes");
    *combiner = envelope.combiner;
  });
}

/// Derived datatypes among array_of_datatypes are new ones: the program frees them. Errors: also MPI_ERR_TYPE
/// for named datatypes and for those made with large counts, MPI_ERR_ARG for arrays that are too short.
int PMPI_Type_get_contents(MPI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes,
                           int array_of_integers[], MPI_Aint array_of_addresses[],
                           MPI_Datatype array_of_datatypes[]) {
  return query("MPI_Type_get_contents", datatype, [&](const Datatype& type) {
    refuseLargeCounts(type.envelope());
    getContents(type, {max_integers, max_addresses, 0, max_datatypes}, array_of_integers, array_of_addresses,
                nullptr, array_of_datatypes);
  });
}

int PMPI_Type_get_contents_c(MPI_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses,
                             MPI_Count max_large_counts, MPI_Count max_datatypes, int array_of_integers[],
                             MPI_Aint array_of_addresses[], MPI_Count array_of_large_counts[],
                             MPI_Datatype array_of_datatypes[]) {
  return query("MPI_Type_get_contents_c", datatype, [&](const Datatype& type) {
    getContents(type, {max_integers, max_addresses, max_large_counts, max_datatypes}, array_of_integers,
                array_of_addresses, array_of_large_counts, array_of_datatypes);
  });
}

/// type_name: at most MPI_MAX_OBJECT_NAME-1 bytes are kept.
int PMPI_Type_set_name(MPI_Datatype datatype, const char* type_name) {
  return guarded("MPI_Type_set_name", [&] {
    runtime.requireActive();
    checkPointer(type_name, "type_name");
    datatypeOf(datatype).setName(std::string(type_name, strnlen(type_name, MPI_MAX_OBJECT_NAME - 1)));
  });
}

/// type_name: room for MPI_MAX_OBJECT_NAME bytes. The name is empty where none was set.
int PMPI_Type_get_name(MPI_Datatype datatype, char* type_name, int* resultlen) {
  return query("MPI_Type_get_name", datatype, [&](const Datatype& type) {
    checkPointer(type_name, "type_name");
    checkPointer(resultlen, "resultlen");
    const std::string name = type.name();
    std::memcpy(type_name, name.c_str(), name.size() + 1);
    *resultlen = static_cast<int>(name.size());
  });
}

/// The handle as Fortran's integer, and back. At any time.
int PMPI_Type_toint(MPI_Datatype datatype) {
  return datatypes->toInt(datatype);
}
MPI_Datatype PMPI_Type_fromint(int datatype) {
  return datatypes->fromInt(datatype);
}

/// The address of a place in the program's memory, for displacements relative to MPI_BOTTOM. At any time.
int PMPI_Get_address(const void* location, MPI_Aint* address) {
  return guarded("MPI_Get_address", [&] {
    checkPointer(address, "address");
    *address = reinterpret_cast<MPI_Aint>(location);
  });
}

/// Sum and difference of addresses, wrapping as addresses do. At any time.
MPI_Aint PMPI_Aint_add(MPI_Aint base, MPI_Aint disp) {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(disp));
}
MPI_Aint PMPI_Aint_diff(MPI_Aint addr1, MPI_Aint addr2) {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(addr1) - static_cast<std::uintptr_t>(addr2));
}

} // extern "C"

#include "api/datatype_query.aliases.h"
