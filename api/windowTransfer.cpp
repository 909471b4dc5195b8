// Put and get: MPI-5.0, section 12.3. By any thread at MPI_THREAD_MULTIPLE. They do not wait, but for the
// first access to a target in an epoch. target_disp counts in the target's disp_unit; of dynamic windows it
// is an address there. The target's data must have the same number of bytes as the origin's. Errors, to the
// window's handler: MPI_ERR_WIN, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_BUFFER, MPI_ERR_RANK, MPI_ERR_DISP,
// MPI_ERR_RMA_SYNC without an access epoch, MPI_ERR_RMA_RANGE, MPI_ERR_PROC_ABORTED. MPI_PROC_NULL does
// nothing.
#include "api/WindowArguments.h"
#include "onesided/FastTransfer.h"

using namespace mpl;
using namespace mpl::api;

namespace {

[[gnu::cold, gnu::noinline]] int putSlowly(const char* function, const void* origin, MPI_Count originCount,
                                           MPI_Datatype originType, int rank, MPI_Aint disp,
                                           MPI_Count targetCount, MPI_Datatype targetType, MPI_Win win) {
  return guardedOn(function, win, [&](Window& window) {
    rma::put(window, localData(origin, originCount, originType, "origin_count"),
             remoteData(rank, disp, targetCount, targetType));
  });
}

[[gnu::cold, gnu::noinline]] int getSlowly(const char* function, void* origin, MPI_Count originCount,
                                           MPI_Datatype originType, int rank, MPI_Aint disp,
                                           MPI_Count targetCount, MPI_Datatype targetType, MPI_Win win) {
  return guardedOn(function, win, [&](Window& window) {
    rma::get(window, localData(origin, originCount, originType, "origin_count"),
             remoteData(rank, disp, targetCount, targetType));
  });
}

[[gnu::always_inline]] inline int put(const char* function, const void* origin, MPI_Count originCount,
                                      MPI_Datatype originType, int rank, MPI_Aint disp, MPI_Count targetCount,
                                      MPI_Datatype targetType, MPI_Win win) {
  fastTransfer::Way way{};
  if (fastTransfer::find(windows->find(win), origin, originCount, datatypes->find(originType), rank, disp,
                         targetCount, datatypes->find(targetType), way) &&
      fastTransfer::put(way, origin)) [[likely]]
    return MPI_SUCCESS;
  return putSlowly(function, origin, originCount, originType, rank, disp, targetCount, targetType, win);
}

[[gnu::always_inline]] inline int get(const char* function, void* origin, MPI_Count originCount,
                                      MPI_Datatype originType, int rank, MPI_Aint disp, MPI_Count targetCount,
                                      MPI_Datatype targetType, MPI_Win win) {
  fastTransfer::Way way{};
  if (fastTransfer::find(windows->find(win), origin, originCount, datatypes->find(originType), rank, disp,
                         targetCount, datatypes->find(targetType), way) &&
      fastTransfer::get(way, origin)) [[likely]]
    return MPI_SUCCESS;
  return getSlowly(function, origin, originCount, originType, rank, disp, targetCount, targetType, win);
}

} // namespace

extern "C" {

/// origin_addr may be changed after the next flush, flush_local or end of the epoch.
int PMPI_Put(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
             MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win) {
  return put("MPI_Put", origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
             target_datatype, win);
}
int PMPI_Put_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
               MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win) {
  return put("MPI_Put_c", origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
             target_datatype, win);
}

/// The data is there after the next flush, flush_local or end of the epoch.
int PMPI_Get(void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
             MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win) {
  return get("MPI_Get", origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
             target_datatype, win);
}
int PMPI_Get_c(void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
               MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win) {
  return get("MPI_Get_c", origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
             target_datatype, win);
}

} // extern "C"

#include "api/windowTransfer.aliases.h"
