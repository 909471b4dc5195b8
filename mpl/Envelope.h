#pragma once

#include "mpi.h"

#include "mpl/RefCounted.h"

#include <vector>

namespace mpl {

class Datatype;

/// The arguments of the call that made a datatype, for MPI_Type_get_envelope and MPI_Type_get_contents
/// (section 5.1.13). Calls with large counts fill `largeCounts`, the others `integers` and `addresses`.
struct Envelope {
  int combiner = MPI_COMBINER_NAMED;
  std::vector<int> integers;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Count> largeCounts;
  std::vector<Ref<Datatype>> datatypes;
};

} // namespace mpl
