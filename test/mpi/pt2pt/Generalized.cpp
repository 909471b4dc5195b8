// Generalized requests: query, free and cancel functions, statuses, all ways of completion (MPI 4.1, 13.2).
#include "test/mpi/pt2pt/Modes.h"

using namespace check;

namespace {

struct Calls {
  int query = 0;
  int free = 0;
  int cancel = 0;
  int cancelComplete = -1;
  int elements = 3;
  int cancelled = 0;
  int queryResult = MPI_SUCCESS;
};

int onQuery(void* extra, MPI_Status* status) {
  auto* calls = static_cast<Calls*>(extra);
  ++calls->query;
  MPI_Status_set_elements(status, MPI_INT, calls->elements);
  MPI_Status_set_cancelled(status, calls->cancelled);
  status->MPI_SOURCE = 77;
  status->MPI_TAG = 88;
  return calls->queryResult;
}

int onFree(void* extra) {
  ++static_cast<Calls*>(extra)->free;
  return MPI_SUCCESS;
}

int onCancel(void* extra, int complete) {
  auto* calls = static_cast<Calls*>(extra);
  ++calls->cancel;
  calls->cancelComplete = complete;
  if (!complete)
    calls->cancelled = 1;
  return MPI_SUCCESS;
}

MPI_Request start(Calls& calls) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Grequest_start(onQuery, onFree, onCancel, &calls, &request);
  return request;
}

void checkDone(const Calls& calls, const MPI_Status& status, int queries, const char* file, int line) {
  isEqual(calls.query, queries, "calls.query", "queries", file, line);
  isEqual(calls.free, 1, "calls.free", "1", file, line);
  isEqual(status.MPI_SOURCE, 77, "status.MPI_SOURCE", "77", file, line);
  isEqual(status.MPI_TAG, 88, "status.MPI_TAG", "88", file, line);
  int count = -1;
  MPI_Get_count(&status, MPI_INT, &count);
  isEqual(count, calls.elements, "count", "calls.elements", file, line);
}

void notBeforeComplete() {
  Calls calls;
  MPI_Request request = start(calls);
  CHECK(request != MPI_REQUEST_NULL);
  int done = 1;
  MPI_Status status;
  MPI_Test(&request, &done, &status);
  CHECK(!done);
  CHECK_EQ(calls.query, 0);
  MPI_Grequest_complete(request);
  CHECK_EQ(calls.free, 0);
  MPI_Wait(&request, &status);
  CHECK(request == MPI_REQUEST_NULL);
  checkDone(calls, status, 1, __FILE__, __LINE__);
}

void everyCompletion() {
  for (int way = 0; way < 8; ++way) {
    Calls calls;
    calls.elements = way;
    MPI_Request request = start(calls);
    MPI_Grequest_complete(request);
    MPI_Status status;
    int done = 0;
    int index = -1;
    if (way == 0)
      MPI_Wait(&request, &status);
    else if (way == 1)
      MPI_Test(&request, &done, &status);
    else if (way == 2)
      MPI_Waitany(1, &request, &index, &status);
    else if (way == 3)
      MPI_Testany(1, &request, &index, &done, &status);
    else if (way == 4)
      MPI_Waitall(1, &request, &status);
    else if (way == 5)
      MPI_Testall(1, &request, &done, &status);
    else if (way == 6)
      MPI_Waitsome(1, &request, &done, &index, &status);
    else
      MPI_Testsome(1, &request, &done, &index, &status);
    CHECK(request == MPI_REQUEST_NULL);
    checkDone(calls, status, 1, __FILE__, __LINE__);
  }
}

void statusIgnored() {
  Calls calls;
  MPI_Request request = start(calls);
  MPI_Grequest_complete(request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  // The query function is called even when the status is ignored, with a status of the library's (13.2).
  CHECK_EQ(calls.query, 1);
  CHECK_EQ(calls.free, 1);
}

void getStatus() {
  Calls calls;
  MPI_Request request = start(calls);
  MPI_Status status;
  int done = 1;
  MPI_Request_get_status(request, &done, &status);
  CHECK(!done);
  MPI_Grequest_complete(request);
  MPI_Request_get_status(request, &done, &status);
  CHECK(done);
  CHECK_EQ(calls.free, 0);
  CHECK_EQ(status.MPI_SOURCE, 77);
  MPI_Wait(&request, &status);
  CHECK(calls.query >= 2);
  CHECK_EQ(calls.free, 1);
}

// Request_free: no query; the free function is called when the operation is complete as well (13.2).
void freed() {
  Calls calls;
  MPI_Request request = start(calls);
  const MPI_Request copy = request;
  MPI_Request_free(&request);
  CHECK(request == MPI_REQUEST_NULL);
  CHECK_EQ(calls.free, 0);
  MPI_Grequest_complete(copy);
  CHECK_EQ(calls.free, 1);
  CHECK_EQ(calls.query, 0);
  Calls later;
  request = start(later);
  MPI_Grequest_complete(request);
  MPI_Request_free(&request);
  CHECK_EQ(later.free, 1);
  CHECK_EQ(later.query, 0);
}

void cancelled() {
  Calls calls;
  MPI_Request request = start(calls);
  MPI_Cancel(&request);
  CHECK_EQ(calls.cancel, 1);
  CHECK_EQ(calls.cancelComplete, 0);
  MPI_Grequest_complete(request);
  MPI_Status status;
  MPI_Wait(&request, &status);
  int flag = 0;
  MPI_Test_cancelled(&status, &flag);
  CHECK(flag);
  Calls late;
  request = start(late);
  MPI_Grequest_complete(request);
  MPI_Cancel(&request);
  CHECK_EQ(late.cancel, 1);
  CHECK(late.cancelComplete != 0);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  CHECK(!flag);
}

// A code that the query function returns comes out of the wait, and in MPI_ERR_IN_STATUS form out of waitall
// (13.2).
void queryFails() {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  Calls calls;
  calls.queryResult = MPI_ERR_OTHER;
  MPI_Request request = start(calls);
  MPI_Grequest_complete(request);
  MPI_Status status;
  CHECK_EQ(errorClass(MPI_Wait(&request, &status)), MPI_ERR_OTHER);
  Calls again;
  again.queryResult = MPI_ERR_OTHER;
  MPI_Request two[2] = {start(again), MPI_REQUEST_NULL};
  MPI_Status statuses[2];
  MPI_Grequest_complete(two[0]);
  CHECK_EQ(errorClass(MPI_Waitall(2, two, statuses)), MPI_ERR_IN_STATUS);
  CHECK_EQ(errorClass(statuses[0].MPI_ERROR), MPI_ERR_OTHER);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

// Mixed with messages: waitany and waitall over both kinds.
void amongMessages() {
  const int right = (rank() + 1) % size();
  const int left = (rank() + size() - 1) % size();
  for (int round = 0; round < 20; ++round) {
    Calls calls;
    int in = -1;
    MPI_Request requests[3];
    MPI_Status statuses[3];
    MPI_Irecv(&in, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &requests[0]);
    requests[1] = start(calls);
    MPI_Isend(&round, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Grequest_complete(requests[1]);
    MPI_Waitall(3, requests, statuses);
    CHECK_EQ(in, round);
    CHECK_STATUS(statuses[0], left, 1, sizeof(int));
    checkDone(calls, statuses[1], 1, __FILE__, __LINE__);
  }
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return run(argc, argv,
             {{"not-before-complete", notBeforeComplete},
              {"every-completion", everyCompletion},
              {"status-ignored", statusIgnored},
              {"get-status", getStatus},
              {"freed", freed},
              {"cancelled", cancelled},
              {"query-fails", queryFails},
              {"among-messages", amongMessages}});
}
