// Bad requests, and errors that show when an operation completes.
#include "test/mpi/args/Expect.h"
#include "test/mpi/pt2pt/Modes.h"

using namespace check;

namespace {

int right() {
  return (rank() + 1) % size();
}

int left() {
  return (rank() + size() - 1) % size();
}

void nullRequests() {
  MPI_Request none = MPI_REQUEST_NULL;
  EXPECT_ERROR(MPI_Cancel(&none), MPI_ERR_REQUEST, {"MPI_Cancel", "request is MPI_REQUEST_NULL"});
  EXPECT_ERROR(MPI_Request_free(&none), MPI_ERR_REQUEST, {"MPI_Request_free", "request is MPI_REQUEST_NULL"});
  EXPECT_ERROR(MPI_Start(&none), MPI_ERR_REQUEST, {"MPI_Start", "request is MPI_REQUEST_NULL"});
  EXPECT_ERROR(MPI_Grequest_complete(none), MPI_ERR_REQUEST,
               {"MPI_Grequest_complete", "request is MPI_REQUEST_NULL"});
  MPI_Request some[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  EXPECT_ERROR(MPI_Startall(2, some), MPI_ERR_REQUEST, {"MPI_Startall"});
  STILL_WORKS(MPI_COMM_WORLD);
}

void negativeCounts() {
  MPI_Request none = MPI_REQUEST_NULL;
  MPI_Status status;
  int index = 0;
  int done = 0;
  const std::initializer_list<int> classes{MPI_ERR_COUNT, MPI_ERR_ARG};
  expectError(MPI_Waitall(-1, &none, &status), classes, {"MPI_Waitall", "-1"}, __FILE__, __LINE__);
  expectError(MPI_Testall(-1, &none, &done, &status), classes, {"MPI_Testall", "-1"}, __FILE__, __LINE__);
  expectError(MPI_Waitany(-1, &none, &index, &status), classes, {"MPI_Waitany", "-1"}, __FILE__, __LINE__);
  expectError(MPI_Testany(-1, &none, &index, &done, &status), classes, {"MPI_Testany", "-1"}, __FILE__,
              __LINE__);
  expectError(MPI_Waitsome(-1, &none, &done, &index, &status), classes, {"MPI_Waitsome", "-1"}, __FILE__,
              __LINE__);
  expectError(MPI_Testsome(-1, &none, &done, &index, &status), classes, {"MPI_Testsome", "-1"}, __FILE__,
              __LINE__);
  expectError(MPI_Startall(-1, &none), classes, {"MPI_Startall", "-1"}, __FILE__, __LINE__);
  STILL_WORKS(MPI_COMM_WORLD);
}

// MPI_Start wants an inactive persistent request (MPI 4.1, 3.9).
void startOfOthers() {
  const ReturningComm comm;
  int in = -1;
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_INT, left(), 1, comm, &request);
  EXPECT_ERROR(MPI_Start(&request), MPI_ERR_REQUEST, {"MPI_Start"});
  const int out = 5;
  MPI_Send(&out, 1, MPI_INT, right(), 1, comm);
  CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK_EQ(in, 5);

  in = -1;
  MPI_Recv_init(&in, 1, MPI_INT, left(), 2, comm, &request);
  MPI_Start(&request);
  if (isMpl())
    EXPECT_ERROR(MPI_Start(&request), MPI_ERR_REQUEST, {"MPI_Start", "active"});
  MPI_Send(&out, 1, MPI_INT, right(), 2, comm);
  CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK_EQ(in, 5);
  MPI_Request_free(&request);
  STILL_WORKS(comm);
}

// Neither may be done with collectives that are under way (MPI-5.0, section 6.12).
void collectives() {
  if (!isMpl())
    return;
  const ReturningComm comm;
  int in = rank(), out = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&in, &out, 1, MPI_INT, MPI_SUM, comm, &request);
  EXPECT_ERROR(MPI_Request_free(&request), MPI_ERR_REQUEST, {"MPI_Request_free", "all-reduce", "waited for"});
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK_EQ(out, size() * (size() - 1) / 2);
  if (size() > 1) {
    // It cannot end before rank 1 has heard that it was not cancelled.
    if (rank() == 0) {
      MPI_Request late = MPI_REQUEST_NULL;
      MPI_Ibarrier(comm, &late);
      EXPECT_ERROR(MPI_Cancel(&late), MPI_ERR_REQUEST, {"MPI_Cancel", "barrier", "cancelled"});
      MPI_Send(nullptr, 0, MPI_INT, 1, 4, comm);
      MPI_Wait(&late, MPI_STATUS_IGNORE);
    } else {
      if (rank() == 1)
        MPI_Recv(nullptr, 0, MPI_INT, 0, 4, comm, MPI_STATUS_IGNORE);
      MPI_Ibarrier(comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
#if CHECK_MPI_40
  MPI_Allreduce_init(&in, &out, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  EXPECT_ERROR(MPI_Request_free(&request), MPI_ERR_REQUEST, {"MPI_Request_free", "all-reduce", "waited for"});
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
#endif
  STILL_WORKS(comm);
}

// Handles that were completed or never existed. Other libraries may crash on these.
void deadHandles() {
  if (!isMpl())
    return;
  const ReturningComm comm;
  int in = -1;
  const int out = 6;
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_INT, left(), 1, comm, &request);
  MPI_Request dead = request;
  MPI_Send(&out, 1, MPI_INT, right(), 1, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request again = dead;
  EXPECT_ERROR(MPI_Wait(&again, MPI_STATUS_IGNORE), MPI_ERR_REQUEST, {"MPI_Wait", "request"});
  again = dead;
  int done = 0;
  EXPECT_ERROR(MPI_Test(&again, &done, MPI_STATUS_IGNORE), MPI_ERR_REQUEST, {"MPI_Test"});
  again = dead;
  EXPECT_ERROR(MPI_Request_free(&again), MPI_ERR_REQUEST, {"MPI_Request_free"});
  again = dead;
  EXPECT_ERROR(MPI_Cancel(&again), MPI_ERR_REQUEST, {"MPI_Cancel"});
  MPI_Recv_init(&in, 1, MPI_INT, left(), 1, comm, &request);
  dead = request;
  MPI_Request_free(&request);
  EXPECT_ERROR(MPI_Start(&dead), MPI_ERR_REQUEST, {"MPI_Start"});
  for (std::uintptr_t bits : {std::uintptr_t{0x7}, std::uintptr_t{0x555555}, std::uintptr_t{0xDEADBEEF00}}) {
    MPI_Request garbage;
    std::memcpy(&garbage, &bits, sizeof garbage);
    EXPECT_ERROR(MPI_Wait(&garbage, MPI_STATUS_IGNORE), MPI_ERR_REQUEST, {"MPI_Wait"});
    EXPECT_ERROR(MPI_Request_get_status(garbage, &done, MPI_STATUS_IGNORE), MPI_ERR_REQUEST,
                 {"MPI_Request_get_status"});
    MPI_Request two[2] = {MPI_REQUEST_NULL, garbage};
    const int code = MPI_Waitall(2, two, MPI_STATUSES_IGNORE);
    expectError(code, {MPI_ERR_REQUEST, MPI_ERR_IN_STATUS}, {"MPI_Waitall"}, __FILE__, __LINE__);
  }
  STILL_WORKS(comm);
}

// A message too long shows at the wait, on the communicator of the receive: Wait gives the class, Waitall
// MPI_ERR_IN_STATUS with the class in the status (MPI 4.1, 3.7.5).
void lateErrors() {
  const ReturningComm comm;
  int in[2] = {-1, -1};
  int in2 = -1;
  const int out[4] = {1, 2, 3, 4};
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Irecv(in, 1, MPI_INT, left(), 1, comm, &requests[0]);
  MPI_Send(out, 4, MPI_INT, right(), 1, comm);
  const std::string from = std::to_string(left());
  EXPECT_ERROR(MPI_Wait(&requests[0], &statuses[0]), MPI_ERR_TRUNCATE, {"MPI_Wait", "16", "4", from.c_str()});
  CHECK_EQ(statuses[0].MPI_SOURCE, left());
  CHECK_EQ(statuses[0].MPI_TAG, 1);
  CHECK_EQ(in[1], -1);

  MPI_Irecv(in, 1, MPI_INT, left(), 1, comm, &requests[0]);
  MPI_Irecv(&in2, 1, MPI_INT, left(), 2, comm, &requests[1]);
  MPI_Send(out, 4, MPI_INT, right(), 1, comm);
  MPI_Send(out, 1, MPI_INT, right(), 2, comm);
  EXPECT_ERROR(MPI_Waitall(2, requests, statuses), MPI_ERR_IN_STATUS, {"MPI_Waitall"});
  CHECK_EQ(errorClass(statuses[0].MPI_ERROR), MPI_ERR_TRUNCATE);
  if (statuses[1].MPI_ERROR == MPI_ERR_PENDING)
    MPI_Wait(&requests[1], &statuses[1]);
  else
    CHECK_EQ(statuses[1].MPI_ERROR, MPI_SUCCESS);
  CHECK_EQ(in2, 1);
  CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);

  // Without statuses the error is still reported.
  MPI_Irecv(in, 1, MPI_INT, left(), 1, comm, &requests[0]);
  MPI_Send(out, 4, MPI_INT, right(), 1, comm);
  const int code = MPI_Waitall(1, requests, MPI_STATUSES_IGNORE);
  expectError(code, {MPI_ERR_IN_STATUS, MPI_ERR_TRUNCATE}, {"MPI_Waitall"}, __FILE__, __LINE__);
  CHECK(requests[0] == MPI_REQUEST_NULL);
  EXPECT_ERROR((MPI_Send(out, 4, MPI_INT, right(), 3, MPI_COMM_NULL)), MPI_ERR_COMM, {"MPI_Send"});
  STILL_WORKS(comm);
}

// A blocking receive reports sizes, source and tag in its text.
void truncationText() {
  const ReturningComm comm;
  std::vector<char> out(4096);
  std::vector<char> in(1024);
  MPI_Request request;
  MPI_Isend(out.data(), 4096, MPI_BYTE, right(), 77, comm, &request);
  const std::string from = std::to_string(left());
  EXPECT_ERROR(MPI_Recv(in.data(), 1024, MPI_BYTE, left(), 77, comm, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE,
               {"MPI_Recv", "4096", "1024", "77", from.c_str()});
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  STILL_WORKS(comm);
}

void nullPointers() {
  if (!isMpl())
    return;
  const ReturningComm comm;
  int value = 0;
  int found = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  EXPECT_ERROR(MPI_Isend(&value, 1, MPI_INT, rank(), 1, comm, nullptr), MPI_ERR_ARG,
               {"MPI_Isend", "request"});
  EXPECT_ERROR(MPI_Irecv(&value, 1, MPI_INT, rank(), 1, comm, nullptr), MPI_ERR_ARG,
               {"MPI_Irecv", "request"});
  EXPECT_ERROR(MPI_Iprobe(0, 1, comm, nullptr, MPI_STATUS_IGNORE), MPI_ERR_ARG, {"MPI_Iprobe", "flag"});
  EXPECT_ERROR(MPI_Comm_rank(comm, nullptr), MPI_ERR_ARG, {"MPI_Comm_rank"});
  EXPECT_ERROR(MPI_Comm_size(comm, nullptr), MPI_ERR_ARG, {"MPI_Comm_size"});
  EXPECT_ERROR(MPI_Test(&request, nullptr, MPI_STATUS_IGNORE), MPI_ERR_ARG, {"MPI_Test", "flag"});
  EXPECT_ERROR(MPI_Startall(1, nullptr), MPI_ERR_ARG, {"MPI_Startall", "array_of_requests"});
  EXPECT_ERROR(MPI_Waitall(1, nullptr, MPI_STATUSES_IGNORE), MPI_ERR_ARG, {"MPI_Waitall", "requests"});
  // One of the requests is complete, so that an index is due; it must not be lost.
  MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 1, comm, &request);
  EXPECT_ERROR(MPI_Waitsome(1, &request, &found, nullptr, MPI_STATUSES_IGNORE), MPI_ERR_ARG,
               {"MPI_Waitsome", "array_of_indices"});
  EXPECT_ERROR(MPI_Testsome(1, &request, &found, nullptr, MPI_STATUSES_IGNORE), MPI_ERR_ARG,
               {"MPI_Testsome", "array_of_indices"});
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION > 0)
  EXPECT_ERROR(MPI_Request_get_status_some(1, &request, &found, nullptr, MPI_STATUSES_IGNORE), MPI_ERR_ARG,
               {"MPI_Request_get_status_some", "array_of_indices"});
#endif
  CHECK(request != MPI_REQUEST_NULL);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_ERROR(MPI_Improbe(0, 1, comm, &found, nullptr, MPI_STATUS_IGNORE), MPI_ERR_ARG,
               {"MPI_Improbe", "message"});
  STILL_WORKS(comm);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  returnAllErrors();
  return run(argc, argv,
             {{"null-requests", nullRequests},
              {"negative-counts", negativeCounts},
              {"start-of-others", startOfOthers},
              {"collectives", collectives},
              {"dead-handles", deadHandles},
              {"late-errors", lateErrors},
              {"truncation-text", truncationText},
              {"null-pointers", nullPointers}});
}
