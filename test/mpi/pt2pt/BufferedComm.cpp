// Buffers of a communicator and of a session, and automatic buffering (MPI 4.1, 3.6).
#include "test/mpi/pt2pt/Modes.h"

using namespace check;

namespace {

#if CHECK_MPI_41

constexpr int dataTag = 31;

int right() {
  return (rank() + 1) % size();
}

int left() {
  return (rank() + size() - 1) % size();
}

void sendAndReceive(MPI_Comm comm, int bytes, std::uint64_t seed) {
  Guarded data(static_cast<std::size_t>(bytes));
  data.fillWith(seed + static_cast<std::uint64_t>(rank()));
  CHECK_EQ(MPI_Bsend(data.data(), bytes, MPI_BYTE, right(), dataTag, comm), MPI_SUCCESS);
  data.clear();
  MPI_Recv(data.data(), bytes, MPI_BYTE, left(), dataTag, comm, MPI_STATUS_IGNORE);
  CHECK_EQ(data.wrongAt(seed + static_cast<std::uint64_t>(left())), data.bytes());
}

void ofACommunicator() {
  const ReturningComm with;
  const ReturningComm without;
  constexpr int bytes = 100000;
  std::vector<char> memory(bytes + MPI_BSEND_OVERHEAD);
  const int attached = static_cast<int>(memory.size());
  CHECK_EQ(MPI_Comm_attach_buffer(with, memory.data(), attached), MPI_SUCCESS);
  for (int round = 0; round < 5; ++round) {
    sendAndReceive(with, bytes, static_cast<std::uint64_t>(round));
    if (round % 2) {
      CHECK_EQ(MPI_Comm_flush_buffer(with), MPI_SUCCESS);
    } else {
      MPI_Request request = MPI_REQUEST_NULL;
      CHECK_EQ(MPI_Comm_iflush_buffer(with, &request), MPI_SUCCESS);
      CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
  }
  // It serves this communicator alone.
  std::vector<char> data(bytes);
  CHECK_EQ(errorClass(MPI_Bsend(data.data(), bytes, MPI_BYTE, right(), dataTag, without)), MPI_ERR_BUFFER);
  void* address = nullptr;
  int size1 = -1;
  CHECK_EQ(MPI_Comm_detach_buffer(with, &address, &size1), MPI_SUCCESS);
  CHECK(address == memory.data());
  CHECK_EQ(size1, attached);
  CHECK_EQ(errorClass(MPI_Bsend(data.data(), bytes, MPI_BYTE, right(), dataTag, with)), MPI_ERR_BUFFER);
  CHECK_EQ(MPI_Comm_attach_buffer_c(with, memory.data(), attached), MPI_SUCCESS);
  sendAndReceive(with, bytes, 50);
  MPI_Count size2 = -1;
  CHECK_EQ(MPI_Comm_detach_buffer_c(with, &address, &size2), MPI_SUCCESS);
  CHECK_EQ(size2, attached);
}

// The communicator's buffer is used before the process's; others use the process's.
void besideTheProcess() {
  const ReturningComm with;
  const ReturningComm without;
  std::vector<char> small(1000 + MPI_BSEND_OVERHEAD);
  std::vector<char> data(100000);
  BsendSpace space(100000 + MPI_BSEND_OVERHEAD);
  MPI_Comm_attach_buffer(with, small.data(), static_cast<int>(small.size()));
  sendAndReceive(without, 100000, 1);
  sendAndReceive(with, 1000, 2);
  // What does not fit the communicator's buffer does not go to the process's.
  CHECK_EQ(errorClass(MPI_Bsend(data.data(), 100000, MPI_BYTE, right(), dataTag, with)), MPI_ERR_BUFFER);
  void* address = nullptr;
  int size1 = 0;
  MPI_Comm_detach_buffer(with, &address, &size1);
  CHECK(address == small.data());
  MPI_Buffer_flush();
  sendAndReceive(with, 100000, 3);
}

// A copy of a communicator does not take the buffer with it.
void copiesStartWithout() {
  const ReturningComm with;
  std::vector<char> memory(10000 + MPI_BSEND_OVERHEAD);
  MPI_Comm_attach_buffer(with, memory.data(), static_cast<int>(memory.size()));
  {
    const ReturningComm copy(static_cast<MPI_Comm>(with));
    std::vector<char> data(10000);
    CHECK_EQ(errorClass(MPI_Bsend(data.data(), 10000, MPI_BYTE, right(), dataTag, copy)), MPI_ERR_BUFFER);
  }
  void* address = nullptr;
  int size1 = 0;
  MPI_Comm_detach_buffer(with, &address, &size1);
}

void automatic() {
  // Of the process: any number of any length, the argument size does not matter.
  CHECK_EQ(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0), MPI_SUCCESS);
  const ReturningComm comm;
  for (int bytes : {0, 100, 100000, 8 << 20})
    sendAndReceive(comm, bytes, 1);
  constexpr int many = 200;
  constexpr int bytes = 50000;
  Guarded data(bytes);
  for (int i = 0; i < many; ++i) {
    data.fillWith(static_cast<std::uint64_t>(i));
    CHECK_EQ(MPI_Bsend(data.data(), bytes, MPI_BYTE, right(), i, comm), MPI_SUCCESS);
  }
  for (int i = many - 1; i >= 0; --i) {
    MPI_Recv(data.data(), bytes, MPI_BYTE, left(), i, comm, MPI_STATUS_IGNORE);
    CHECK_EQ(data.wrongAt(static_cast<std::uint64_t>(i)), data.bytes());
  }
  CHECK_EQ(MPI_Buffer_flush(), MPI_SUCCESS);
  void* address = nullptr;
  int size1 = -1;
  CHECK_EQ(MPI_Buffer_detach(&address, &size1), MPI_SUCCESS);
  CHECK(address == MPI_BUFFER_AUTOMATIC);

  // Of one communicator.
  CHECK_EQ(MPI_Comm_attach_buffer(comm, MPI_BUFFER_AUTOMATIC, 0), MPI_SUCCESS);
  for (int length : {0, 100, 100000, 1 << 20})
    sendAndReceive(comm, length, 2);
  CHECK_EQ(MPI_Comm_detach_buffer(comm, &address, &size1), MPI_SUCCESS);
  CHECK(address == MPI_BUFFER_AUTOMATIC);
  std::vector<char> out(100);
  CHECK_EQ(errorClass(MPI_Bsend(out.data(), 100, MPI_BYTE, right(), dataTag, comm)), MPI_ERR_BUFFER);
}

// An unfinished iflush beside other requests.
void iflushAmongRequests() {
  const ReturningComm comm;
  MPI_Comm_attach_buffer(comm, MPI_BUFFER_AUTOMATIC, 0);
  Guarded out(500000);
  Guarded in(500000);
  out.fillWith(static_cast<std::uint64_t>(rank()));
  MPI_Bsend(out.data(), out.count(), MPI_BYTE, right(), dataTag, comm);
  MPI_Request requests[2];
  MPI_Comm_iflush_buffer(comm, &requests[0]);
  MPI_Irecv(in.data(), in.count(), MPI_BYTE, left(), dataTag, comm, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  CHECK_EQ(in.wrongAt(static_cast<std::uint64_t>(left())), in.bytes());
  void* address = nullptr;
  int size1 = 0;
  MPI_Comm_detach_buffer(comm, &address, &size1);
}

// Sessions may be missing from a library that has these buffers: the case looks for them when it runs.
#pragma weak MPI_Session_init
#pragma weak MPI_Session_finalize
#pragma weak MPI_Session_attach_buffer
#pragma weak MPI_Session_detach_buffer
#pragma weak MPI_Session_flush_buffer
#pragma weak MPI_Group_from_session_pset
#pragma weak MPI_Comm_create_from_group

void ofASession() {
  if (MPI_Session_init == nullptr || MPI_Session_attach_buffer == nullptr ||
      MPI_Comm_create_from_group == nullptr)
    return;
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "test of buffers", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  MPI_Group_free(&group);
  std::vector<char> memory(100000 + MPI_BSEND_OVERHEAD);
  const int attached = static_cast<int>(memory.size());
  CHECK_EQ(MPI_Session_attach_buffer(session, memory.data(), attached), MPI_SUCCESS);
  for (int round = 0; round < 3; ++round) {
    sendAndReceive(comm, 100000, static_cast<std::uint64_t>(round));
    CHECK_EQ(MPI_Session_flush_buffer(session), MPI_SUCCESS);
  }
  void* address = nullptr;
  int size1 = 0;
  CHECK_EQ(MPI_Session_detach_buffer(session, &address, &size1), MPI_SUCCESS);
  CHECK(address == memory.data());
  CHECK_EQ(size1, attached);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
}

#else

void olderThanThese() {
  CHECK(MPI_VERSION < 5);
}

#endif

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
#if CHECK_MPI_41
  return run(argc, argv,
             {{"of-a-communicator", ofACommunicator},
              {"beside-the-process", besideTheProcess},
              {"copies-start-without", copiesStartWithout},
              {"automatic", automatic},
              {"of-a-session", ofASession},
              {"iflush-among-requests", iflushAmongRequests}});
#else
  return run(argc, argv, {{"older-than-these", olderThanThese}});
#endif
}
