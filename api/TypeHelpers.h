#pragma once

#include "api/Checks.h"
#include "api/Guard.h"
#include "mpl/Datatype.h"
#include "pt2pt/Runtime.h"

#include <limits>
#include <span>

/// What the functions on datatypes share.
namespace mpl::api {

/// Stores a value where the program wants it; MPI_UNDEFINED where the program's integer is too small for it.
template <class Out> void store(Out* out, MPI_Count value, const char* name) {
  checkPointer(out, name);
  *out = value > std::numeric_limits<Out>::max() || value < std::numeric_limits<Out>::min()
             ? Out{MPI_UNDEFINED}
             : static_cast<Out>(value);
}

/// An array argument of `count` entries. MPI_ERR_ARG for a null pointer that should have entries.
template <class T> std::span<const T> arrayOf(const T* array, MPI_Count count, const char* name) {
  if (count > 0)
    checkPointer(array, name);
  return {array, static_cast<std::size_t>(count)};
}

/// MPI_ERR_BUFFER for a null buffer (or a constant such as MPI_IN_PLACE) that has data, unless the datatype
/// may hold absolute addresses.
inline void checkMemory(const void* buffer, MPI_Count count, const Datatype& type) {
  constexpr std::uintptr_t constants = 16; // no object has such an address
  if (reinterpret_cast<std::uintptr_t>(buffer) < constants && count > 0 && type.size() != 0 && type.isPlain())
    failBuffer(buffer, count);
}

/// Runs a constructor and gives the new datatype to the program, which sees it only if nothing failed.
template <class Make> int construct(const char* function, MPI_Datatype* newtype, Make&& make) {
  return guarded(function, [&] {
    runtime.requireActive();
    checkPointer(newtype, "newtype");
    *newtype = giveHandle(make());
  });
}

/// Runs a query on a datatype.
template <class Query> int query(const char* function, MPI_Datatype datatype, Query&& ask) {
  return guarded(function, [&] {
    runtime.requireActive();
    ask(datatypeOf(datatype));
  });
}

} // namespace mpl::api
