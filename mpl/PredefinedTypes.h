#pragma once

#include "mpl/Datatype.h"

namespace mpl {

/// MPI_Type_match_size: the predefined datatype of MPI_TYPECLASS_REAL, _INTEGER or _COMPLEX with `size`
/// bytes. Errors: MPI_ERR_ARG where there is none (section 19.1.9).
MPI_Datatype matchSize(int typeClass, int size);

/// The unnamed predefined datatypes of section 19.1.9, the same one for the same arguments; precision or
/// range may be MPI_UNDEFINED, not both. Errors: MPI_ERR_ARG where no such number exists.
MPI_Datatype f90Real(int precision, int range);
MPI_Datatype f90Complex(int precision, int range);
MPI_Datatype f90Integer(int range);

/// MPI_Type_get_value_index (section 6.9.4): the pair for MPI_MINLOC and MPI_MAXLOC, the same one for the
/// same arguments, MPI_DATATYPE_NULL where there is none.
MPI_Datatype valueIndexPair(const Datatype& value, const Datatype& index);

/// The type map of such a pair, laid out as a C struct of the two.
TypeMap pairMap(BasicType value, BasicType index);

/// What the pair consists of, for the reductions.
struct PairTypes {
  BasicType value = BasicType::none;
  BasicType index = BasicType::none;
};
/// Only for datatypes of TypeClass::valueIndex.
PairTypes pairTypes(const Datatype& pair);

} // namespace mpl
