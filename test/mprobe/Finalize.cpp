// Leaves something open at MPI_Finalize, which must end all the same:
//   matched SIZE     a message is matched and never received
//   unexpected SIZE  a message arrives and nobody asks for it
//   imrecv SIZE      MPI_Imrecv is started and never completed
//   synchronous SIZE the matched message came from a synchronous send
// With one rank the message goes to itself. Such programs break the standard's rules for MPI_Finalize, so
// that an MPI that hangs here is not wrong; but its user waits.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s matched|unexpected|imrecv|synchronous SIZE\n", argv[0]);
    return 2;
  }
  const char* const what = argv[1];
  const int size = std::atoi(argv[2]);
  MPI_Init(nullptr, nullptr);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  // The buffers outlive MPI_Finalize.
  static std::vector<char> sent;
  static std::vector<char> received;
  sent.resize(static_cast<std::size_t>(size));
  received.resize(static_cast<std::size_t>(size));
  MPI_Request send;
  MPI_Request receive;
  const int to = (rank + 1) % ranks;
  if (std::strcmp(what, "synchronous") == 0)
    MPI_Issend(sent.data(), size, MPI_BYTE, to, 1, MPI_COMM_WORLD, &send);
  else
    MPI_Isend(sent.data(), size, MPI_BYTE, to, 1, MPI_COMM_WORLD, &send);
  if (std::strcmp(what, "unexpected") == 0) {
    MPI_Probe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Message message;
    MPI_Mprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    if (std::strcmp(what, "imrecv") == 0)
      MPI_Imrecv(received.data(), size, MPI_BYTE, &message, &receive);
  }
  MPI_Finalize();
  if (rank == 0)
    std::printf("ended\n");
  return 0;
}
