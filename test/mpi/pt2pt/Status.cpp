// Statuses: MPI_ERROR is touched only by calls that complete many and return MPI_ERR_IN_STATUS
// (MPI 4.1, 3.2.5), Request_get_status leaves the request alone (3.7.6), accessors and setters, counts.
#include "test/mpi/pt2pt/Modes.h"

using namespace check;

namespace {

constexpr int mark = 12345;

MPI_Status marked() {
  MPI_Status status;
  std::memset(&status, 0x3C, sizeof status);
  status.MPI_ERROR = mark;
  return status;
}

int right() {
  return (rank() + 1) % size();
}

int left() {
  return (rank() + size() - 1) % size();
}

void sendRight(int tag, std::size_t bytes) {
  static const std::vector<char> data(1 << 20);
  MPI_Request request;
  MPI_Isend(data.data(), static_cast<int>(bytes), MPI_BYTE, right(), tag, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
}

// The length of sends that are freed at once stays small: their buffer is static, so any length would do.
void errorUntouched() {
  std::vector<char> room(1 << 20);
  const int most = 1 << 20;
  for (std::size_t bytes : {std::size_t{0}, std::size_t{8}, std::size_t{20000}, std::size_t{500000}}) {
    MPI_Status status = marked();
    sendRight(1, bytes);
    MPI_Probe(left(), 1, MPI_COMM_WORLD, &status);
    CHECK_EQ(status.MPI_ERROR, mark);
    int found = 0;
    MPI_Iprobe(left(), 1, MPI_COMM_WORLD, &found, &status);
    CHECK(found);
    CHECK_EQ(status.MPI_ERROR, mark);
    MPI_Recv(room.data(), most, MPI_BYTE, left(), 1, MPI_COMM_WORLD, &status);
    CHECK_EQ(status.MPI_ERROR, mark);
    CHECK_STATUS(status, left(), 1, bytes);

    MPI_Request request;
    int done = 0;
    int index = -1;
    for (int way = 0; way < 4; ++way) {
      status = marked();
      done = 0;
      MPI_Irecv(room.data(), most, MPI_BYTE, left(), 1, MPI_COMM_WORLD, &request);
      sendRight(1, bytes);
      if (way == 0)
        MPI_Wait(&request, &status);
      else if (way == 1)
        while (!done)
          MPI_Test(&request, &done, &status);
      else if (way == 2)
        MPI_Waitany(1, &request, &index, &status);
      else
        while (!done)
          MPI_Testany(1, &request, &index, &done, &status);
      CHECK_EQ(status.MPI_ERROR, mark);
      CHECK_STATUS(status, left(), 1, bytes);
    }

    status = marked();
    MPI_Irecv(room.data(), most, MPI_BYTE, left(), 1, MPI_COMM_WORLD, &request);
    sendRight(1, bytes);
    done = 0;
    while (!done)
      MPI_Request_get_status(request, &done, &status);
    CHECK_EQ(status.MPI_ERROR, mark);
    CHECK_STATUS(status, left(), 1, bytes);
    MPI_Wait(&request, &status);
    CHECK_EQ(status.MPI_ERROR, mark);

    std::vector<char> out(bytes);
    MPI_Sendrecv(out.data(), static_cast<int>(bytes), MPI_BYTE, right(), 1, room.data(), most, MPI_BYTE,
                 left(), 1, MPI_COMM_WORLD, &status);
    CHECK_EQ(status.MPI_ERROR, mark);
    MPI_Sendrecv_replace(room.data(), static_cast<int>(bytes), MPI_BYTE, right(), 1, left(), 1,
                         MPI_COMM_WORLD, &status);
    CHECK_EQ(status.MPI_ERROR, mark);

    MPI_Message message;
    sendRight(1, bytes);
    MPI_Mprobe(left(), 1, MPI_COMM_WORLD, &message, &status);
    CHECK_EQ(status.MPI_ERROR, mark);
    MPI_Mrecv(room.data(), most, MPI_BYTE, &message, &status);
    CHECK_EQ(status.MPI_ERROR, mark);
  }
  MPI_Status status = marked();
  MPI_Request none = MPI_REQUEST_NULL;
  MPI_Wait(&none, &status);
  CHECK_EQ(status.MPI_ERROR, mark);
}

// The calls for many leave MPI_ERROR alone as well when they succeed.
void errorUntouchedByMany() {
  for (int way = 0; way < 4; ++way) {
    int values[4] = {-1, -1, -1, -1};
    MPI_Request requests[4];
    MPI_Status statuses[4] = {marked(), marked(), marked(), marked()};
    int done = 0;
    int indices[4];
    for (int i = 0; i < 4; ++i)
      MPI_Irecv(&values[i], 1, MPI_INT, left(), i, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < 4; ++i)
      MPI_Send(&i, 1, MPI_INT, right(), i, MPI_COMM_WORLD);
    if (way == 0) {
      MPI_Waitall(4, requests, statuses);
    } else if (way == 1) {
      while (!done)
        MPI_Testall(4, requests, &done, statuses);
    } else {
      for (int all = 0; all < 4; all += done) {
        if (way == 2)
          MPI_Waitsome(4, requests, &done, indices, statuses);
        else
          MPI_Testsome(4, requests, &done, indices, statuses);
        for (int i = 0; i < done; ++i)
          CHECK_EQ(statuses[i].MPI_TAG, indices[i]);
      }
    }
    for (const MPI_Status& status : statuses)
      CHECK_EQ(status.MPI_ERROR, mark);
    for (int i = 0; i < 4; ++i)
      CHECK_EQ(values[i], i);
  }
}

// Request_get_status may be called again and again, and the wait still gives the same status.
void getStatusLeavesTheRequest() {
  int value = -1;
  MPI_Request request;
  MPI_Irecv(&value, 1, MPI_INT, left(), 7, MPI_COMM_WORLD, &request);
  const MPI_Request before = request;
  int done = 1;
  MPI_Status status = marked();
  MPI_Request_get_status(request, &done, &status);
  CHECK(!done);
  MPI_Barrier(MPI_COMM_WORLD);
  const int sent = 70 + rank();
  MPI_Send(&sent, 1, MPI_INT, right(), 7, MPI_COMM_WORLD);
  done = 0;
  while (!done)
    MPI_Request_get_status(request, &done, &status);
  for (int i = 0; i < 3; ++i) {
    MPI_Request_get_status(request, &done, i == 1 ? MPI_STATUS_IGNORE : &status);
    CHECK(done);
    CHECK(request == before);
    CHECK_STATUS(status, left(), 7, sizeof(int));
  }
  CHECK_EQ(value, 70 + left());
  MPI_Wait(&request, &status);
  CHECK_STATUS(status, left(), 7, sizeof(int));
  // A null request and an inactive one are complete with an empty status.
  MPI_Request_get_status(MPI_REQUEST_NULL, &done, &status);
  CHECK(done);
  CHECK_STATUS(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0u);
  MPI_Recv_init(&value, 1, MPI_INT, left(), 7, MPI_COMM_WORLD, &request);
  done = 0;
  MPI_Request_get_status(request, &done, &status);
  CHECK(done);
  CHECK_STATUS(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0u);
  MPI_Request_free(&request);
}

#if CHECK_MPI_41
void getStatusOfMany() {
  int values[4] = {-1, -1, -1, -1};
  MPI_Request requests[5];
  MPI_Status statuses[5];
  int done = 1;
  int index = -7;
  int outcount = -7;
  int indices[5];
  for (int i = 0; i < 4; ++i)
    MPI_Irecv(&values[i], 1, MPI_INT, left(), i, MPI_COMM_WORLD, &requests[i]);
  requests[4] = MPI_REQUEST_NULL;
  const std::vector<MPI_Request> before(requests, requests + 5);

  MPI_Request_get_status_all(5, requests, &done, statuses);
  CHECK(!done);
  MPI_Request_get_status_any(5, requests, &index, &done, statuses);
  CHECK(!done);
  CHECK_EQ(index, MPI_UNDEFINED);
  MPI_Request_get_status_some(5, requests, &outcount, indices, statuses);
  CHECK_EQ(outcount, 0);
  MPI_Barrier(MPI_COMM_WORLD);

  int sent = 200;
  MPI_Send(&sent, 1, MPI_INT, right(), 2, MPI_COMM_WORLD);
  done = 0;
  while (!done)
    MPI_Request_get_status_any(5, requests, &index, &done, &statuses[0]);
  CHECK_EQ(index, 2);
  CHECK_STATUS(statuses[0], left(), 2, sizeof(int));
  MPI_Request_get_status_some(5, requests, &outcount, indices, statuses);
  CHECK_EQ(outcount, 1);
  CHECK_EQ(indices[0], 2);
  CHECK_STATUS(statuses[0], left(), 2, sizeof(int));
  MPI_Request_get_status_all(5, requests, &done, MPI_STATUSES_IGNORE);
  CHECK(!done);
  MPI_Barrier(MPI_COMM_WORLD);

  for (int i : {0, 1, 3}) {
    sent = 100 * i;
    MPI_Send(&sent, 1, MPI_INT, right(), i, MPI_COMM_WORLD);
  }
  done = 0;
  while (!done)
    MPI_Request_get_status_all(5, requests, &done, statuses);
  for (int i = 0; i < 4; ++i)
    CHECK_STATUS(statuses[i], left(), i, sizeof(int));
  CHECK_STATUS(statuses[4], MPI_ANY_SOURCE, MPI_ANY_TAG, 0u);
  MPI_Request_get_status_some(5, requests, &outcount, indices, MPI_STATUSES_IGNORE);
  CHECK_EQ(outcount, 4);
  CHECK(before == std::vector<MPI_Request>(requests, requests + 5));
  MPI_Waitall(5, requests, statuses);
  for (int i = 0; i < 4; ++i) {
    CHECK_STATUS(statuses[i], left(), i, sizeof(int));
    CHECK_EQ(values[i], 100 * i);
  }

  // All null: any and all are true, some has nothing to report.
  MPI_Request_get_status_any(5, requests, &index, &done, statuses);
  CHECK(done);
  CHECK_EQ(index, MPI_UNDEFINED);
  CHECK_STATUS(statuses[0], MPI_ANY_SOURCE, MPI_ANY_TAG, 0u);
  done = 0;
  MPI_Request_get_status_all(5, requests, &done, statuses);
  CHECK(done);
  MPI_Request_get_status_some(5, requests, &outcount, indices, statuses);
  CHECK_EQ(outcount, MPI_UNDEFINED);
  MPI_Request_get_status_all(0, nullptr, &done, MPI_STATUSES_IGNORE);
  CHECK(done);
}

void accessors() {
  MPI_Status status = marked();
  MPI_Status_set_source(&status, 7);
  MPI_Status_set_tag(&status, 99);
  MPI_Status_set_error(&status, MPI_ERR_OTHER);
  int source = 0;
  int tag = 0;
  int error = 0;
  MPI_Status_get_source(&status, &source);
  MPI_Status_get_tag(&status, &tag);
  MPI_Status_get_error(&status, &error);
  CHECK_EQ(source, 7);
  CHECK_EQ(tag, 99);
  CHECK_EQ(error, MPI_ERR_OTHER);
  CHECK_EQ(status.MPI_SOURCE, 7);
  CHECK_EQ(status.MPI_TAG, 99);
  CHECK_EQ(status.MPI_ERROR, MPI_ERR_OTHER);
}
#endif

// Status_set_elements and Status_set_cancelled are read back by Get_count, Get_elements and Test_cancelled.
void setters() {
  MPI_Status status = marked();
  int flag = -1;
  for (int wanted : {1, 0}) {
    MPI_Status_set_cancelled(&status, wanted);
    MPI_Test_cancelled(&status, &flag);
    CHECK_EQ(flag != 0, wanted != 0);
  }
  int count = -1;
  for (int elements : {0, 1, 10, 1000000}) {
    MPI_Status_set_elements(&status, MPI_DOUBLE, elements);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    CHECK_EQ(count, elements);
    MPI_Get_elements(&status, MPI_DOUBLE, &count);
    CHECK_EQ(count, elements);
    MPI_Get_count(&status, MPI_BYTE, &count);
    CHECK_EQ(count, elements * 8);
  }
#if CHECK_MPI_40
  const MPI_Count huge = 5000000000LL;
#if CHECK_MPI_41
  MPI_Status_set_elements_c(&status, MPI_INT, huge);
#else
  MPI_Status_set_elements_x(&status, MPI_INT, huge);
#endif
  MPI_Count large = -1;
  MPI_Get_count_c(&status, MPI_INT, &large);
  CHECK_EQ(large, huge);
  MPI_Get_elements_c(&status, MPI_INT, &large);
  CHECK_EQ(large, huge);
  MPI_Get_elements_x(&status, MPI_INT, &large);
  CHECK_EQ(large, huge);
  // A number that does not fit an int is MPI_UNDEFINED.
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK_EQ(count, MPI_UNDEFINED);
  MPI_Get_elements(&status, MPI_INT, &count);
  CHECK_EQ(count, MPI_UNDEFINED);
#endif
}

// Counts of received messages against several types (3.2.5, 5.1.11).
void counts() {
  MPI_Datatype pair;
  MPI_Datatype odd;
  MPI_Datatype empty;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  const int lengths[2] = {1, 1};
  const MPI_Aint places[2] = {0, 8};
  const MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
  MPI_Type_create_struct(2, lengths, places, types, &odd);
  MPI_Type_contiguous(0, MPI_INT, &empty);
  for (MPI_Datatype* type : {&pair, &odd, &empty})
    MPI_Type_commit(type);
  double room[100];
  char out[800] = {0};
  MPI_Status status;
  int count = -1;
  // 0 to 5 ints against pairs of ints.
  for (int ints = 0; ints <= 5; ++ints) {
    MPI_Sendrecv(out, ints, MPI_INT, right(), 1, room, 10, pair, left(), 1, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, pair, &count);
    CHECK_EQ(count, ints % 2 ? MPI_UNDEFINED : ints / 2);
    MPI_Get_elements(&status, pair, &count);
    CHECK_EQ(count, ints);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK_EQ(count, ints);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    CHECK_EQ(count, ints % 2 ? MPI_UNDEFINED : ints / 2);
  }
  // An int and a double: 12 bytes of data in an extent of 16.
  MPI_Sendrecv(out, 3, odd, right(), 1, room, 5, odd, left(), 1, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, odd, &count);
  CHECK_EQ(count, 3);
  MPI_Get_elements(&status, odd, &count);
  CHECK_EQ(count, 6);
  MPI_Sendrecv(out, 1, MPI_INT, right(), 1, room, 5, odd, left(), 1, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, odd, &count);
  CHECK_EQ(count, MPI_UNDEFINED);
  MPI_Get_elements(&status, odd, &count);
  CHECK_EQ(count, 1);
  // A type of size zero: nothing received counts as 0 (3.2.5).
  MPI_Sendrecv(out, 4, empty, right(), 1, room, 4, empty, left(), 1, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, empty, &count);
  CHECK_EQ(count, 0);
  MPI_Get_elements(&status, empty, &count);
  CHECK_EQ(count, 0);
  for (MPI_Datatype* type : {&pair, &odd, &empty})
    MPI_Type_free(type);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return run(argc, argv, {
    {"error-untouched", errorUntouched}, {"error-untouched-by-many", errorUntouchedByMany},
        {"get-status-leaves-the-request", getStatusLeavesTheRequest},
#if CHECK_MPI_41
        {"get-status-of-many", getStatusOfMany}, {"accessors", accessors},
#endif
        {"setters", setters}, {
      "counts", counts
    }
  });
}
