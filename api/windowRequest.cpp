// The same operations with requests: MPI-5.0, section 12.3.5. The request is complete when origin buffers may
// be changed (put, accumulate) or the data is there (get, get_accumulate); a flush or the end of the epoch is
// still needed for completion at the target. Errors as of the forms without request, and MPI_ERR_RMA_SYNC
// outside passive-target epochs; those that come later are given to the window's handler by the call that
// completes the request.
#include "api/WindowArguments.h"

using namespace mpl;
using namespace mpl::api;

namespace {

int requestPut(const char* function, const void* origin, MPI_Count originCount, MPI_Datatype originType,
               int rank, MPI_Aint disp, MPI_Count targetCount, MPI_Datatype targetType, MPI_Win win,
               MPI_Request* request) {
  return requested(function, win, rank, request, [&](Window& window, const rma::Tracked& tracked) {
    rma::put(window, localData(origin, originCount, originType, "origin_count"),
             remoteData(rank, disp, targetCount, targetType), tracked);
  });
}

int requestGet(const char* function, void* origin, MPI_Count originCount, MPI_Datatype originType, int rank,
               MPI_Aint disp, MPI_Count targetCount, MPI_Datatype targetType, MPI_Win win,
               MPI_Request* request) {
  return requested(function, win, rank, request, [&](Window& window, const rma::Tracked& tracked) {
    rma::get(window, localData(origin, originCount, originType, "origin_count"),
             remoteData(rank, disp, targetCount, targetType), tracked);
  });
}

int requestAccumulate(const char* function, const void* origin, MPI_Count originCount,
                      MPI_Datatype originType, int rank, MPI_Aint disp, MPI_Count targetCount,
                      MPI_Datatype targetType, MPI_Op op, MPI_Win win, MPI_Request* request) {
  return requested(function, win, rank, request, [&](Window& window, const rma::Tracked& tracked) {
    rma::accumulate(window, localData(origin, originCount, originType, "origin_count"),
                    remoteData(rank, disp, targetCount, targetType), opOf(op), tracked);
  });
}

int requestGetAccumulate(const char* function, const void* origin, MPI_Count originCount,
                         MPI_Datatype originType, void* result, MPI_Count resultCount,
                         MPI_Datatype resultType, int rank, MPI_Aint disp, MPI_Count targetCount,
                         MPI_Datatype targetType, MPI_Op op, MPI_Win win, MPI_Request* request) {
  return requested(function, win, rank, request, [&](Window& window, const rma::Tracked& tracked) {
    const Op& operation = opOf(op);
    rma::getAccumulate(window, operandData(origin, originCount, originType, operation),
                       localData(result, resultCount, resultType, "result_count"),
                       remoteData(rank, disp, targetCount, targetType), operation, tracked);
  });
}

} // namespace

extern "C" {

int PMPI_Rput(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
              MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win,
              MPI_Request* request) {
  return requestPut("MPI_Rput", origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                    target_count, target_datatype, win, request);
}
int PMPI_Rput_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                int target_rank, MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype,
                MPI_Win win, MPI_Request* request) {
  return requestPut("MPI_Rput_c", origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                    target_count, target_datatype, win, request);
}

int PMPI_Rget(void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
              MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win,
              MPI_Request* request) {
  return requestGet("MPI_Rget", origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                    target_count, target_datatype, win, request);
}
int PMPI_Rget_c(void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
                MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win,
                MPI_Request* request) {
  return requestGet("MPI_Rget_c", origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                    target_count, target_datatype, win, request);
}

int PMPI_Raccumulate(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
                     MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op,
                     MPI_Win win, MPI_Request* request) {
  return requestAccumulate("MPI_Raccumulate", origin_addr, origin_count, origin_datatype, target_rank,
                           target_disp, target_count, target_datatype, op, win, request);
}
int PMPI_Raccumulate_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                       int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                       MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request* request) {
  return requestAccumulate("MPI_Raccumulate_c", origin_addr, origin_count, origin_datatype, target_rank,
                           target_disp, target_count, target_datatype, op, win, request);
}

int PMPI_Rget_accumulate(const void* origin_addr, int origin_count, MPI_Datatype origin_datatype,
                         void* result_addr, int result_count, MPI_Datatype result_datatype, int target_rank,
                         MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Op op,
                         MPI_Win win, MPI_Request* request) {
  return requestGetAccumulate("MPI_Rget_accumulate", origin_addr, origin_count, origin_datatype, result_addr,
                              result_count, result_datatype, target_rank, target_disp, target_count,
                              target_datatype, op, win, request);
}
int PMPI_Rget_accumulate_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                           void* result_addr, MPI_Count result_count, MPI_Datatype result_datatype,
                           int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                           MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request* request) {
  return requestGetAccumulate("MPI_Rget_accumulate_c", origin_addr, origin_count, origin_datatype,
                              result_addr, result_count, result_datatype, target_rank, target_disp,
                              target_count, target_datatype, op, win, request);
}

} // extern "C"

#include "api/windowRequest.aliases.h"
