// MPI_Finalize with things left undone does not hang. Beyond what the standard demands of a library (such
// programs are erroneous, MPI 4.1, 11.2.2), but a program that ends this way shall end. The argument says
// what is left:
//   unexpected    messages that nobody receives, short and long
//   unfinished    sends and receives that are never completed
//   matched       messages taken by a matched probe and never received, with a synchronous sender that waits
//   for them slow          one rank comes to MPI_Finalize a second later than the others, still receiving
#include "test/mpi/Check.h"

#include <ctime>
#include <string>
#include <vector>

namespace {

std::vector<char> large(4 << 20);
MPI_Request requests[8];

void unexpected(int right) {
  for (int i = 0; i < 50; ++i)
    MPI_Send(large.data(), 100, MPI_BYTE, right, i, MPI_COMM_WORLD);
  MPI_Isend(large.data(), static_cast<int>(large.size()), MPI_BYTE, right, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Request_free(&requests[0]);
}

void unfinished(int right) {
  static int values[4];
  MPI_Isend(large.data(), static_cast<int>(large.size()), MPI_BYTE, right, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Issend(large.data(), 8, MPI_BYTE, right, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(large.data(), 8, MPI_BYTE, right, 3, MPI_COMM_WORLD, &requests[2]);
  MPI_Irecv(&values[0], 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &requests[3]);
  MPI_Irecv(&values[1], 1, MPI_INT, right, 98, MPI_COMM_WORLD, &requests[4]);
  MPI_Recv_init(&values[2], 1, MPI_INT, right, 97, MPI_COMM_WORLD, &requests[5]);
  MPI_Start(&requests[5]);
  MPI_Send_init(&values[3], 1, MPI_INT, right, 96, MPI_COMM_WORLD, &requests[6]);
}

void matched(int right, int left) {
  MPI_Message message;
  MPI_Issend(large.data(), static_cast<int>(large.size()), MPI_BYTE, right, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Issend(large.data(), 8, MPI_BYTE, right, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(large.data(), 8, MPI_BYTE, right, 3, MPI_COMM_WORLD, &requests[2]);
  for (int tag = 1; tag <= 3; ++tag)
    MPI_Mprobe(left, tag, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
}

void slow(int me, int right, int left) {
  if (me == 0) {
    timespec second{1, 0};
    nanosleep(&second, nullptr);
  }
  MPI_Isend(large.data(), static_cast<int>(large.size()), MPI_BYTE, right, 1, MPI_COMM_WORLD, &requests[0]);
  std::vector<char> in(large.size());
  MPI_Recv(in.data(), static_cast<int>(in.size()), MPI_BYTE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  for (int i = 0; i < 3; ++i)
    MPI_Send(large.data(), 1000, MPI_BYTE, right, 2, MPI_COMM_WORLD);
  for (int i = 0; i < 3; ++i)
    MPI_Recv(in.data(), 1000, MPI_BYTE, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int me = check::rank();
  const int ranks = check::size();
  const int right = (me + 1) % ranks;
  const int left = (me + ranks - 1) % ranks;
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "unexpected")
    unexpected(right);
  else if (what == "unfinished")
    unfinished(right);
  else if (what == "matched")
    matched(right, left);
  else if (what == "slow")
    slow(me, right, left);
  else {
    std::printf("FAIL Finalize: unknown argument '%s'\n", what.c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  const int code = MPI_Finalize();
  int finalized = 0;
  MPI_Finalized(&finalized);
  const bool good = code == MPI_SUCCESS && finalized != 0;
  if (me == 0 || !good)
    std::printf("%s Finalize %s, %d ranks\n", good ? "PASS" : "FAIL", what.c_str(), ranks);
  return good ? 0 : 1;
}
