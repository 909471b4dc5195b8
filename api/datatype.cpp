// Constructors of datatypes: MPI-5.0, sections 5.1.2 to 5.1.5, 5.1.9, 5.1.10 and 19.1.9. Between
// initialisation and finalisation, by any thread. Displacements and strides are in bytes where a function's
// name has an h or is that of a struct or a resized datatype, else in extents of oldtype. The new datatype is
// not committed. Each function has a twin for large counts. Errors: MPI_ERR_COUNT for a negative count and
// for a datatype too large for an MPI_Count, MPI_ERR_TYPE for oldtype, MPI_ERR_ARG for other arguments.
#include "mpl/DatatypeConstructors.h"

#include "api/TypeHelpers.h"
#include "mpl/PredefinedTypes.h"

using namespace mpl;
using namespace mpl::api;

namespace {

template <class Count>
int contiguous(const char* function, Count count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return construct(function, newtype, [&] { return makeContiguous(count, datatypeOf(oldtype)); });
}

template <class Count>
int vector(const char* function, Count count, Count blocklength, Count stride, MPI_Datatype oldtype,
           MPI_Datatype* newtype) {
  return construct(function, newtype,
                   [&] { return makeVector(count, blocklength, stride, datatypeOf(oldtype)); });
}

template <class Count>
int hvector(const char* function, Count count, Count blocklength, MPI_Count stride, MPI_Datatype oldtype,
            MPI_Datatype* newtype) {
  return construct(function, newtype,
                   [&] { return makeHvector(count, blocklength, stride, datatypeOf(oldtype)); });
}

template <class Count>
int indexed(const char* function, Count count, const Count* blocklengths, const Count* displacements,
            MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return construct(function, newtype, [&] {
    checkCount(count);
    arrayOf(displacements, count, "array_of_displacements");
    return makeIndexed(arrayOf(blocklengths, count, "array_of_blocklengths"), displacements,
                       datatypeOf(oldtype));
  });
}

template <class Count, class Displacement>
int hindexed(const char* function, Count count, const Count* blocklengths, const Displacement* displacements,
             MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return construct(function, newtype, [&] {
    checkCount(count);
    arrayOf(displacements, count, "array_of_displacements");
    return makeHindexed(arrayOf(blocklengths, count, "array_of_blocklengths"), displacements,
                        datatypeOf(oldtype));
  });
}

template <class Count>
int indexedBlock(const char* function, Count count, Count blocklength, const Count* displacements,
                 MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return construct(function, newtype, [&] {
    checkCount(count);
    return makeIndexedBlock(blocklength, arrayOf(displacements, count, "array_of_displacements"),
                            datatypeOf(oldtype));
  });
}

template <class Count, class Displacement>
int hindexedBlock(const char* function, Count count, Count blocklength, const Displacement* displacements,
                  MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return construct(function, newtype, [&] {
    checkCount(count);
    return makeHindexedBlock(blocklength, arrayOf(displacements, count, "array_of_displacements"),
                             datatypeOf(oldtype));
  });
}

template <class Count, class Displacement>
int structure(const char* function, Count count, const Count* blocklengths, const Displacement* displacements,
              const MPI_Datatype* types, MPI_Datatype* newtype) {
  return construct(function, newtype, [&] {
    checkCount(count);
    arrayOf(displacements, count, "array_of_displacements");
    arrayOf(types, count, "array_of_types");
    return makeStruct(arrayOf(blocklengths, count, "array_of_blocklengths"), displacements, types);
  });
}

void checkDimensions(int ndims) {
  if (ndims < 1)
    fail(MPI_ERR_ARG, "ndims is ", ndims, ", which is not positive");
}

template <class Count>
int subarray(const char* function, int ndims, const Count* sizes, const Count* subsizes, const Count* starts,
             int order, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return construct(function, newtype, [&] {
    checkDimensions(ndims);
    arrayOf(subsizes, ndims, "array_of_subsizes");
    arrayOf(starts, ndims, "array_of_starts");
    return makeSubarray(arrayOf(sizes, ndims, "array_of_sizes"), subsizes, starts, order,
                        datatypeOf(oldtype));
  });
}

template <class Count>
int darray(const char* function, const DarrayShape<Count>& shape, int ndims, const Count* globalSizes,
           MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return construct(function, newtype, [&] {
    checkDimensions(ndims);
    arrayOf(shape.distributions, ndims, "array_of_distribs");
    arrayOf(shape.arguments, ndims, "array_of_dargs");
    arrayOf(shape.processSizes, ndims, "array_of_psizes");
    DarrayShape<Count> complete = shape;
    complete.globalSizes = arrayOf(globalSizes, ndims, "array_of_gsizes");
    return makeDarray(complete, datatypeOf(oldtype));
  });
}

int resized(const char* function, MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent, bool large,
            MPI_Datatype* newtype) {
  return construct(function, newtype, [&] { return makeResized(datatypeOf(oldtype), lb, extent, large); });
}

/// The functions that give a predefined datatype.
template <class Find>
int predefined(const char* function, MPI_Datatype* newtype, const char* name, Find&& find) {
  return guarded(function, [&] {
    runtime.requireActive();
    checkPointer(newtype, name);
    *newtype = find();
  });
}

} // namespace

extern "C" {

int PMPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return contiguous("MPI_Type_contiguous", count, oldtype, newtype);
}
int PMPI_Type_contiguous_c(MPI_Count count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return contiguous("MPI_Type_contiguous_c", count, oldtype, newtype);
}

int PMPI_Type_vector(int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return vector("MPI_Type_vector", count, blocklength, stride, oldtype, newtype);
}
int PMPI_Type_vector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype,
                       MPI_Datatype* newtype) {
  return vector("MPI_Type_vector_c", count, blocklength, stride, oldtype, newtype);
}

int PMPI_Type_create_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
                             MPI_Datatype* newtype) {
  return hvector("MPI_Type_create_hvector", count, blocklength, stride, oldtype, newtype);
}
int PMPI_Type_create_hvector_c(MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype,
                               MPI_Datatype* newtype) {
  return hvector("MPI_Type_create_hvector_c", count, blocklength, stride, oldtype, newtype);
}

int PMPI_Type_indexed(int count, const int array_of_blocklengths[], const int array_of_displacements[],
                      MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return indexed("MPI_Type_indexed", count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
}
int PMPI_Type_indexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                        const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                        MPI_Datatype* newtype) {
  return indexed("MPI_Type_indexed_c", count, array_of_blocklengths, array_of_displacements, oldtype,
                 newtype);
}

int PMPI_Type_create_hindexed(int count, const int array_of_blocklengths[],
                              const MPI_Aint array_of_displacements[], MPI_Datatype oldtype,
                              MPI_Datatype* newtype) {
  return hindexed("MPI_Type_create_hindexed", count, array_of_blocklengths, array_of_displacements, oldtype,
                  newtype);
}
int PMPI_Type_create_hindexed_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                                const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                                MPI_Datatype* newtype) {
  return hindexed("MPI_Type_create_hindexed_c", count, array_of_blocklengths, array_of_displacements, oldtype,
                  newtype);
}

int PMPI_Type_create_indexed_block(int count, int blocklength, const int array_of_displacements[],
                                   MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return indexedBlock("MPI_Type_create_indexed_block", count, blocklength, array_of_displacements, oldtype,
                      newtype);
}
int PMPI_Type_create_indexed_block_c(MPI_Count count, MPI_Count blocklength,
                                     const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                                     MPI_Datatype* newtype) {
  return indexedBlock("MPI_Type_create_indexed_block_c", count, blocklength, array_of_displacements, oldtype,
                      newtype);
}

int PMPI_Type_create_hindexed_block(int count, int blocklength, const MPI_Aint array_of_displacements[],
                                    MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return hindexedBlock("MPI_Type_create_hindexed_block", count, blocklength, array_of_displacements, oldtype,
                       newtype);
}
int PMPI_Type_create_hindexed_block_c(MPI_Count count, MPI_Count blocklength,
                                      const MPI_Count array_of_displacements[], MPI_Datatype oldtype,
                                      MPI_Datatype* newtype) {
  return hindexedBlock("MPI_Type_create_hindexed_block_c", count, blocklength, array_of_displacements,
                       oldtype, newtype);
}

int PMPI_Type_create_struct(int count, const int array_of_blocklengths[],
                            const MPI_Aint array_of_displacements[], const MPI_Datatype array_of_types[],
                            MPI_Datatype* newtype) {
  return structure("MPI_Type_create_struct", count, array_of_blocklengths, array_of_displacements,
                   array_of_types, newtype);
}
int PMPI_Type_create_struct_c(MPI_Count count, const MPI_Count array_of_blocklengths[],
                              const MPI_Count array_of_displacements[], const MPI_Datatype array_of_types[],
                              MPI_Datatype* newtype) {
  return structure("MPI_Type_create_struct_c", count, array_of_blocklengths, array_of_displacements,
                   array_of_types, newtype);
}

/// A box of array_of_subsizes elements out of an array of array_of_sizes, from array_of_starts (counted from
/// 0) on.
int PMPI_Type_create_subarray(int ndims, const int array_of_sizes[], const int array_of_subsizes[],
                              const int array_of_starts[], int order, MPI_Datatype oldtype,
                              MPI_Datatype* newtype) {
  return subarray("MPI_Type_create_subarray", ndims, array_of_sizes, array_of_subsizes, array_of_starts,
                  order, oldtype, newtype);
}
int PMPI_Type_create_subarray_c(int ndims, const MPI_Count array_of_sizes[],
                                const MPI_Count array_of_subsizes[], const MPI_Count array_of_starts[],
                                int order, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return subarray("MPI_Type_create_subarray_c", ndims, array_of_sizes, array_of_subsizes, array_of_starts,
                  order, oldtype, newtype);
}

/// The part of process `rank` (of `size`) in an array that is distributed in blocks or cyclically.
int PMPI_Type_create_darray(int size, int rank, int ndims, const int array_of_gsizes[],
                            const int array_of_distribs[], const int array_of_dargs[],
                            const int array_of_psizes[], int order, MPI_Datatype oldtype,
                            MPI_Datatype* newtype) {
  return darray("MPI_Type_create_darray",
                DarrayShape<int>{size, rank, {}, array_of_distribs, array_of_dargs, array_of_psizes, order},
                ndims, array_of_gsizes, oldtype, newtype);
}
int PMPI_Type_create_darray_c(int size, int rank, int ndims, const MPI_Count array_of_gsizes[],
                              const int array_of_distribs[], const int array_of_dargs[],
                              const int array_of_psizes[], int order, MPI_Datatype oldtype,
                              MPI_Datatype* newtype) {
  return darray(
      "MPI_Type_create_darray_c",
      DarrayShape<MPI_Count>{size, rank, {}, array_of_distribs, array_of_dargs, array_of_psizes, order},
      ndims, array_of_gsizes, oldtype, newtype);
}

int PMPI_Type_create_resized(MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype* newtype) {
  return resized("MPI_Type_create_resized", oldtype, lb, extent, false, newtype);
}
int PMPI_Type_create_resized_c(MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype* newtype) {
  return resized("MPI_Type_create_resized_c", oldtype, lb, extent, true, newtype);
}

/// Committed if oldtype is. Errors: also what an attribute's copy callback returned.
int PMPI_Type_dup(MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return guarded("MPI_Type_dup", [&] {
    runtime.requireActive();
    checkPointer(newtype, "newtype");
    const Ref<Datatype> old(&datatypeOf(oldtype));
    const Ref<Datatype> copy = makeDuplicate(*old);
    const MPI_Datatype handle = giveHandle(copy);
    try {
      old->attributes().copyTo(oldtype, copy->attributes());
    } catch (...) {
      copy->attributes().discardAll(handle);
      freeDatatype(handle);
      throw;
    }
    *newtype = handle;
  });
}

// Predefined datatypes by what they are for; the same arguments give the same handle, which is not to be
// freed.

/// p: decimal digits, r: decimal exponent, either may be MPI_UNDEFINED.
int PMPI_Type_create_f90_real(int p, int r, MPI_Datatype* newtype) {
  return predefined("MPI_Type_create_f90_real", newtype, "newtype", [&] { return f90Real(p, r); });
}
int PMPI_Type_create_f90_complex(int p, int r, MPI_Datatype* newtype) {
  return predefined("MPI_Type_create_f90_complex", newtype, "newtype", [&] { return f90Complex(p, r); });
}
int PMPI_Type_create_f90_integer(int r, MPI_Datatype* newtype) {
  return predefined("MPI_Type_create_f90_integer", newtype, "newtype", [&] { return f90Integer(r); });
}

/// size: in bytes.
int PMPI_Type_match_size(int typeclass, int size, MPI_Datatype* datatype) {
  return predefined("MPI_Type_match_size", datatype, "datatype", [&] { return matchSize(typeclass, size); });
}

/// The pair for MPI_MINLOC and MPI_MAXLOC (section 6.9.4); MPI_DATATYPE_NULL where there is none.
int PMPI_Type_get_value_index(MPI_Datatype value_type, MPI_Datatype index_type, MPI_Datatype* pair_type) {
  return predefined("MPI_Type_get_value_index", pair_type, "pair_type",
                    [&] { return valueIndexPair(datatypeOf(value_type), datatypeOf(index_type)); });
}

} // extern "C"

#include "api/datatype.aliases.h"
