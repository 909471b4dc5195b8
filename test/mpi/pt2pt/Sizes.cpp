// Lengths from 0 to 8 MiB on both sides of every place where a library may change its way of sending; every
// byte is checked, and the guards around the buffers.
#include "test/mpi/pt2pt/Modes.h"

using namespace check;

namespace {

constexpr std::size_t largest = 8 << 20;

int right() {
  return (rank() + 1) % size();
}

int left() {
  return (rank() + size() - 1) % size();
}

std::vector<std::size_t> sizes() {
  std::vector<std::size_t> all = switchSizes(largest);
  // Where headers of 8 to 64 bytes push a message over a power of two, and lengths that are no multiple of
  // anything.
  for (std::size_t power = 128; power <= 131072; power *= 2)
    for (std::size_t header : {8, 16, 24, 32, 48, 64, 96})
      all.push_back(power - header);
  for (std::size_t odd : {3001, 12345, 99991, 777777, 1234567})
    all.push_back(odd);
  return all;
}

void check(Guarded& in, const MPI_Status& status, int tag, std::size_t bytes) {
  CHECK_STATUS(status, left(), tag, bytes);
  CHECK_EQ(firstWrong(in.data(), bytes, bytes + static_cast<std::uint64_t>(left())), bytes);
  CHECK(in.intact());
}

void posted() {
  Guarded out(largest);
  for (std::size_t bytes : sizes()) {
    fill(out.data(), bytes, bytes + static_cast<std::uint64_t>(rank()));
    Guarded in(bytes);
    MPI_Request request;
    MPI_Irecv(in.data(), in.count(), MPI_BYTE, left(), 1, MPI_COMM_WORLD, &request);
    MPI_Send(out.data(), static_cast<int>(bytes), MPI_BYTE, right(), 1, MPI_COMM_WORLD);
    MPI_Status status;
    MPI_Wait(&request, &status);
    check(in, status, 1, bytes);
  }
}

void unexpected() {
  Guarded out(largest);
  for (std::size_t bytes : sizes()) {
    fill(out.data(), bytes, bytes + static_cast<std::uint64_t>(rank()));
    MPI_Request request;
    MPI_Isend(out.data(), static_cast<int>(bytes), MPI_BYTE, right(), 1, MPI_COMM_WORLD, &request);
    MPI_Status status;
    MPI_Probe(left(), MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    CHECK_STATUS(status, left(), 1, bytes);
    Guarded in(bytes);
    MPI_Recv(in.data(), in.count(), MPI_BYTE, left(), 1, MPI_COMM_WORLD, &status);
    check(in, status, 1, bytes);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

// The receive's buffer is longer than the message: the rest is not touched.
void roomToSpare() {
  Guarded out(largest);
  for (std::size_t bytes : sizes()) {
    if (bytes > (1 << 20))
      continue;
    fill(out.data(), bytes, bytes + static_cast<std::uint64_t>(rank()));
    Guarded in(bytes + 1000);
    for (std::size_t i = 0; i < 1000; ++i)
      in.data()[bytes + i] = 0x5A;
    MPI_Request request;
    const bool early = bytes % 2 == 0;
    if (early)
      MPI_Irecv(in.data(), in.count(), MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &request);
    MPI_Request sending;
    MPI_Isend(out.data(), static_cast<int>(bytes), MPI_BYTE, right(), 1, MPI_COMM_WORLD, &sending);
    MPI_Status status;
    if (early)
      MPI_Wait(&request, &status);
    else
      MPI_Recv(in.data(), in.count(), MPI_BYTE, left(), 1, MPI_COMM_WORLD, &status);
    check(in, status, 1, bytes);
    int touched = 0;
    for (std::size_t i = 0; i < 1000; ++i)
      touched += in.data()[bytes + i] != 0x5A;
    CHECK_EQ(touched, 0);
    MPI_Wait(&sending, MPI_STATUS_IGNORE);
    // An any-source receive of the next length must not see this one's.
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

// Buffers that are not aligned to anything.
void unaligned() {
  for (std::size_t shift = 0; shift < 8; ++shift)
    for (std::size_t bytes : {std::size_t{8}, std::size_t{1000}, std::size_t{8192}, std::size_t{70001}}) {
      std::vector<unsigned char> out(bytes + 16);
      std::vector<unsigned char> in(bytes + 16, 0xEE);
      fill(out.data() + shift, bytes, shift + static_cast<std::uint64_t>(rank()));
      MPI_Sendrecv(out.data() + shift, static_cast<int>(bytes), MPI_BYTE, right(), 2, in.data() + 7 - shift,
                   static_cast<int>(bytes), MPI_BYTE, left(), 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK_EQ(firstWrong(in.data() + 7 - shift, bytes, shift + static_cast<std::uint64_t>(left())), bytes);
      CHECK_EQ(in[7 - shift + bytes], 0xEE);
    }
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return run(argc, argv,
             {{"posted", posted},
              {"unexpected", unexpected},
              {"room-to-spare", roomToSpare},
              {"unaligned", unaligned}});
}
