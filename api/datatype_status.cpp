// How much was received, in elements: MPI-5.0, sections 3.2.5, 5.1.11 and 13.3. Between initialisation and
// finalisation, by any thread. Errors: MPI_ERR_TYPE for the datatype, MPI_ERR_COUNT for a negative count,
// MPI_ERR_ARG for null pointers.
#include "api/TypeHelpers.h"
#include "mpl/Status.h"

using namespace mpl;
using namespace mpl::api;

namespace {

/// Whole elements of the datatype; MPI_UNDEFINED where the message does not consist of such.
template <class Count>
int getCount(const char* function, const MPI_Status* status, MPI_Datatype datatype, Count* count) {
  return query(function, datatype, [&](const Datatype& type) {
    checkPointer(status, "status");
    const std::uint64_t bytes = statusWords::bytes(*status);
    MPI_Count result = MPI_UNDEFINED;
    if (bytes == 0)
      result = 0;
    else if (type.size() != 0 && bytes % type.size() == 0)
      result = static_cast<MPI_Count>(bytes / type.size());
    store(count, result, "count");
  });
}

/// Basic elements; MPI_UNDEFINED where the message ends within one.
template <class Count>
int getElements(const char* function, const MPI_Status* status, MPI_Datatype datatype, Count* count) {
  return query(function, datatype, [&](const Datatype& type) {
    checkPointer(status, "status");
    const auto bytes = static_cast<MPI_Count>(statusWords::bytes(*status));
    MPI_Count result = MPI_UNDEFINED;
    if (bytes == 0) {
      result = 0;
    } else if (type.size() != 0) {
      MPI_Count rest = 0;
      result = elementsInBytes(type.map().typed, bytes, rest);
      if (rest != 0)
        result = MPI_UNDEFINED;
    }
    store(count, result, "count");
  });
}

/// Makes the status say that `count` basic elements of the datatype were received.
int setElements(const char* function, MPI_Status* status, MPI_Datatype datatype, MPI_Count count) {
  return query(function, datatype, [&](const Datatype& type) {
    checkPointer(status, "status");
    checkCount(count);
    const MPI_Count bytes = type.size() != 0 ? bytesOfElements(type.map().typed, count) : 0;
    statusWords::setBytes(*status, static_cast<std::uint64_t>(bytes));
  });
}

} // namespace

extern "C" {

int PMPI_Get_count(const MPI_Status* status, MPI_Datatype datatype, int* count) {
  return getCount("MPI_Get_count", status, datatype, count);
}
int PMPI_Get_count_c(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
  return getCount("MPI_Get_count_c", status, datatype, count);
}

int PMPI_Get_elements(const MPI_Status* status, MPI_Datatype datatype, int* count) {
  return getElements("MPI_Get_elements", status, datatype, count);
}
int PMPI_Get_elements_c(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
  return getElements("MPI_Get_elements_c", status, datatype, count);
}
int PMPI_Get_elements_x(const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count) {
  return getElements("MPI_Get_elements_x", status, datatype, count);
}

int PMPI_Status_set_elements(MPI_Status* status, MPI_Datatype datatype, int count) {
  return setElements("MPI_Status_set_elements", status, datatype, count);
}
int PMPI_Status_set_elements_c(MPI_Status* status, MPI_Datatype datatype, MPI_Count count) {
  return setElements("MPI_Status_set_elements_c", status, datatype, count);
}
int PMPI_Status_set_elements_x(MPI_Status* status, MPI_Datatype datatype, MPI_Count count) {
  return setElements("MPI_Status_set_elements_x", status, datatype, count);
}

} // extern "C"

#include "api/datatype_status.aliases.h"
