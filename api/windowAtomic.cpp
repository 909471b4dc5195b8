// Accumulate functions: MPI-5.0, section 12.3.4. Atomic for each element of the predefined datatype that both
// datatypes are made of; all of them on one location are ordered as they were called by one process. Errors
// as of MPI_Put (windowTransfer.cpp), and MPI_ERR_OP for an operation that is not predefined or not defined
// for the datatype. By any thread at MPI_THREAD_MULTIPLE.
#include "api/WindowArguments.h"

using namespace mpl;
using namespace mpl::api;

namespace {

int accumulate(const char* function, const void* origin, MPI_Count originCount, MPI_Datatype originType,
               int rank, MPI_Aint disp, MPI_Count targetCount, MPI_Datatype targetType, MPI_Op op,
               MPI_Win win) {
  return guardedOn(function, win, [&](Window& window) {
    rma::accumulate(window, localData(origin, originCount, originType, "origin_count"),
                    remoteData(rank, disp, targetCount, targetType), opOf(op));
  });
}

int getAccumulate(const char* function, const void* origin, MPI_Count originCount, MPI_Datatype originType,
                  void* result, MPI_Count resultCount, MPI_Datatype resultType, int rank, MPI_Aint disp,
                  MPI_Count targetCount, MPI_Datatype targetType, MPI_Op op, MPI_Win win) {
  return guardedOn(function, win, [&](Window& window) {
    const Op& operation = opOf(op);
    rma::getAccumulate(window, operandData(origin, originCount, originType, operation),
                       localData(result, resultCount, resultType, "result_count"),
                       remoteData(rank, disp, targetCount, targetType), operation);
  });
}

} // namespace

extern "C" {

/// MPI_REPLACE puts atomically.
int PMPI_Accumulate(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
                    MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op,
                    MPI_Win win) {
  return accumulate("MPI_Accumulate", origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                    target_count, target_datatype, op, win);
}
int PMPI_Accumulate_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                      int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                      MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
  return accumulate("MPI_Accumulate_c", origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                    target_count, target_datatype, op, win);
}

/// result_addr gets what was at the target before. MPI_NO_OP changes nothing, and origin_* are not looked at.
int PMPI_Get_accumulate(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                        void* result_addr, int result_count, MPI_Datatype result_datatype, int target_rank,
                        MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op,
                        MPI_Win win) {
  return getAccumulate("MPI_Get_accumulate", origin_addr, origin_count, origin_datatype, result_addr,
                       result_count, result_datatype, target_rank, target_disp, target_count, target_datatype,
                       op, win);
}
int PMPI_Get_accumulate_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                          void* result_addr, MPI_Count result_count, MPI_Datatype result_datatype,
                          int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                          MPI_Datatype target_datatype, MPI_Op op, MPI_Win win) {
  return getAccumulate("MPI_Get_accumulate_c", origin_addr, origin_count, origin_datatype, result_addr,
                       result_count, result_datatype, target_rank, target_disp, target_count, target_datatype,
                       op, win);
}

/// One element of a predefined datatype.
int PMPI_Fetch_and_op(const void* origin_addr, void* result_addr, MPI_Datatype datatype, int target_rank,
                      MPI_Aint target_disp, MPI_Op op, MPI_Win win) {
  return guardedOn("MPI_Fetch_and_op", win, [&](Window& window) {
    const Datatype& type = committedDatatypeOf(datatype);
    const Op& operation = opOf(op);
    if (operation.kind() != Op::Kind::noOp)
      checkedBuffer(origin_addr, 1, type);
    checkedBuffer(result_addr, 1, type);
    rma::fetchAndOp(window, origin_addr, result_addr, type, target_rank, target_disp, operation);
  });
}

/// One element; puts origin's value where the target's equals compare's. Errors also: MPI_ERR_TYPE for other
/// than integer, logical, multi-language and byte types.
int PMPI_Compare_and_swap(const void* origin_addr, const void* compare_addr, void* result_addr,
                          MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Win win) {
  return guardedOn("MPI_Compare_and_swap", win, [&](Window& window) {
    const Datatype& type = committedDatatypeOf(datatype);
    checkedBuffer(origin_addr, 1, type);
    checkedBuffer(compare_addr, 1, type);
    checkedBuffer(result_addr, 1, type);
    rma::compareAndSwap(window, origin_addr, compare_addr, result_addr, type, target_rank, target_disp);
  });
}

} // extern "C"

#include "api/windowAtomic.aliases.h"
