// Info objects: MPI-5.0, chapter 10. All of these may be called at any time, before MPI_Init and after
// MPI_Finalize too (section 11.4.1), and by any thread. Keys have 1 to MPI_MAX_INFO_KEY-1 characters, values
// up to MPI_MAX_INFO_VAL-1. Errors: MPI_ERR_INFO for a handle that is no info object (MPI_INFO_NULL is none)
// or, where it is to be changed, MPI_INFO_ENV; MPI_ERR_INFO_KEY, MPI_ERR_INFO_VALUE for a key or value that
// is null, empty (keys) or too long; MPI_ERR_ARG for other null pointers.
#include "mpl/Info.h"

#include "api/Checks.h"
#include "api/Guard.h"

#include <algorithm>
#include <cstring>
#include <string_view>

using namespace mpl;
using namespace mpl::api;

namespace {

std::string_view keyOf(const char* key) {
  if (key == nullptr)
    fail(MPI_ERR_INFO_KEY, "key is a null pointer");
  return key;
}

Info& writable(MPI_Info handle) {
  Info& info = infoOf(handle);
  if (info.isReadOnly())
    fail(MPI_ERR_INFO, "MPI_INFO_ENV cannot be changed");
  return info;
}

/// Copies at most room-1 characters and a null character; nothing where room is 0.
void copyOut(std::string_view from, char* to, std::size_t room) {
  if (room == 0)
    return;
  const std::size_t length = std::min(from.size(), room - 1);
  std::memcpy(to, from.data(), length);
  to[length] = '\0';
}

} // namespace

extern "C" {

int PMPI_Info_create(MPI_Info* info) {
  return guarded("MPI_Info_create", [&] {
    checkPointer(info, "info");
    *info = newHandle(Info());
  });
}

/// A new object with what MPI_INFO_ENV would hold had MPI_Init got these arguments (section 11.2.1). argc and
/// argv may be 0 and null.
int PMPI_Info_create_env(int argc, char* argv[], MPI_Info* info) {
  return guarded("MPI_Info_create_env", [&] {
    checkPointer(info, "info");
    *info = newHandle(envInfo(argc, argv));
  });
}

int PMPI_Info_dup(MPI_Info info, MPI_Info* newinfo) {
  return guarded("MPI_Info_dup", [&] {
    const Info& original = infoOf(info);
    checkPointer(newinfo, "newinfo");
    *newinfo = newHandle(original);
  });
}

/// Sets *info to MPI_INFO_NULL.
int PMPI_Info_free(MPI_Info* info) {
  return guarded("MPI_Info_free", [&] {
    checkPointer(info, "info");
    freeInfo(*info);
    *info = MPI_INFO_NULL;
  });
}

int PMPI_Info_set(MPI_Info info, const char* key, const char* value) {
  return guarded("MPI_Info_set", [&] {
    Info& object = writable(info);
    const std::string_view name = keyOf(key);
    if (value == nullptr)
      fail(MPI_ERR_INFO_VALUE, "value is a null pointer");
    object.set(name, value);
  });
}

/// Errors besides those above: MPI_ERR_INFO_NOKEY.
int PMPI_Info_delete(MPI_Info info, const char* key) {
  return guarded("MPI_Info_delete", [&] { writable(info).remove(keyOf(key)); });
}

/// Deprecated for MPI_Info_get_string. value gets at most valuelen characters, and a null character in
/// addition.
int PMPI_Info_get(MPI_Info info, const char* key, int valuelen, char* value, int* flag) {
  return guarded("MPI_Info_get", [&] {
    const Info& object = infoOf(info);
    const std::string_view name = keyOf(key);
    checkPointer(flag, "flag");
    if (valuelen < 0)
      fail(MPI_ERR_ARG, "valuelen is ", valuelen, ", which is negative");
    const auto found = object.get(name);
    if (found) {
      checkPointer(value, "value");
      copyOut(*found, value, static_cast<std::size_t>(valuelen) + 1);
    }
    *flag = found.has_value();
  });
}

/// buflen: in, the bytes there is room for in value; out, the bytes that the whole value needs with its null
/// character. With 0, value is not touched. Where the key is not there neither is touched.
int PMPI_Info_get_string(MPI_Info info, const char* key, int* buflen, char* value, int* flag) {
  return guarded("MPI_Info_get_string", [&] {
    const Info& object = infoOf(info);
    const std::string_view name = keyOf(key);
    checkPointer(buflen, "buflen");
    checkPointer(flag, "flag");
    if (*buflen < 0)
      fail(MPI_ERR_ARG, "buflen is ", *buflen, ", which is negative");
    const auto found = object.get(name);
    if (found) {
      if (*buflen > 0)
        checkPointer(value, "value");
      copyOut(*found, value, static_cast<std::size_t>(*buflen));
      *buflen = static_cast<int>(found->size()) + 1;
    }
    *flag = found.has_value();
  });
}

/// Deprecated. valuelen: the characters of the value, without a null character.
int PMPI_Info_get_valuelen(MPI_Info info, const char* key, int* valuelen, int* flag) {
  return guarded("MPI_Info_get_valuelen", [&] {
    const Info& object = infoOf(info);
    const std::string_view name = keyOf(key);
    checkPointer(valuelen, "valuelen");
    checkPointer(flag, "flag");
    const auto found = object.get(name);
    if (found)
      *valuelen = static_cast<int>(found->size());
    *flag = found.has_value();
  });
}

int PMPI_Info_get_nkeys(MPI_Info info, int* nkeys) {
  return guarded("MPI_Info_get_nkeys", [&] {
    const Info& object = infoOf(info);
    checkPointer(nkeys, "nkeys");
    *nkeys = static_cast<int>(object.size());
  });
}

/// key: room for MPI_MAX_INFO_KEY characters. Errors besides those above: MPI_ERR_ARG for n outside
/// 0..nkeys-1.
int PMPI_Info_get_nthkey(MPI_Info info, int n, char* key) {
  return guarded("MPI_Info_get_nthkey", [&] {
    const Info& object = infoOf(info);
    checkPointer(key, "key");
    copyOut(object.key(n), key, MPI_MAX_INFO_KEY);
  });
}

/// Handles as integers, for other languages (section 20.4).
int PMPI_Info_toint(MPI_Info info) {
  return infos->toInt(info);
}
MPI_Info PMPI_Info_fromint(int info) {
  return infos->fromInt(info);
}

} // extern "C"

#include "api/info.aliases.h"
