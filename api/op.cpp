// Reduction operations: MPI-5.0, sections 6.9.1, 6.9.5, 6.9.7 and 20.3.4. Between initialisation and
// finalisation, by any thread. Errors: MPI_ERR_OP for the operation, also where it is not defined for the
// datatype; MPI_ERR_ARG for null pointers.
#include "mpl/Op.h"

#include "api/TypeHelpers.h"

using namespace mpl;
using namespace mpl::api;

namespace {

template <class Function> int create(const char* name, Function* function, int commute, MPI_Op* op) {
  return guarded(name, [&] {
    runtime.requireActive();
    checkPointer(op, "op");
    *op = giveHandle(Op::create(function, commute != 0));
  });
}

int reduceLocal(const char* function, const void* inbuf, void* inoutbuf, MPI_Count count,
                MPI_Datatype datatype, MPI_Op op) {
  return guarded(function, [&] {
    runtime.requireActive();
    const Op& operation = opOf(op);
    const Datatype& type = committedDatatypeOf(datatype);
    checkCount(count);
    checkMemory(inbuf, count, type);
    checkMemory(inoutbuf, count, type);
    operation.requireFor(type);
    operation.apply(inbuf, inoutbuf, count, type);
  });
}

} // namespace

extern "C" {

/// user_fn computes inoutvec[i] = invec[i] op inoutvec[i] and is associative; it may be called by any thread
/// that is in an MPI call, and calls no MPI function but MPI_Abort.
int PMPI_Op_create(MPI_User_function* user_fn, int commute, MPI_Op* op) {
  return create("MPI_Op_create", user_fn, commute, op);
}
int PMPI_Op_create_c(MPI_User_function_c* user_fn, int commute, MPI_Op* op) {
  return create("MPI_Op_create_c", user_fn, commute, op);
}

/// Sets *op to MPI_OP_NULL. Pending reductions are not disturbed. Errors: MPI_ERR_OP for predefined
/// operations.
int PMPI_Op_free(MPI_Op* op) {
  return guarded("MPI_Op_free", [&] {
    runtime.requireActive();
    checkPointer(op, "op");
    freeOp(*op);
    *op = MPI_OP_NULL;
  });
}

int PMPI_Op_commutative(MPI_Op op, int* commute) {
  return guarded("MPI_Op_commutative", [&] {
    runtime.requireActive();
    checkPointer(commute, "commute");
    *commute = opOf(op).isCommutative() ? 1 : 0;
  });
}

/// inoutbuf[i] = inbuf[i] op inoutbuf[i]. Errors: also MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_BUFFER.
int PMPI_Reduce_local(const void* inbuf, void* inoutbuf, int count, MPI_Datatype datatype, MPI_Op op) {
  return reduceLocal("MPI_Reduce_local", inbuf, inoutbuf, count, datatype, op);
}
int PMPI_Reduce_local_c(const void* inbuf, void* inoutbuf, MPI_Count count, MPI_Datatype datatype,
                        MPI_Op op) {
  return reduceLocal("MPI_Reduce_local_c", inbuf, inoutbuf, count, datatype, op);
}

/// The handle as Fortran's integer, and back. At any time.
int PMPI_Op_toint(MPI_Op op) {
  return ops->toInt(op);
}
MPI_Op PMPI_Op_fromint(int op) {
  return ops->fromInt(op);
}

} // extern "C"

#include "api/op.aliases.h"
