// Buffered sends and their buffer of the process: exact space, reuse, a full buffer, detach that waits
// (MPI 4.1, 3.6).
#include "test/mpi/pt2pt/Modes.h"

using namespace check;

namespace {

constexpr int dataTag = 21;

int right() {
  return (rank() + 1) % size();
}

int left() {
  return (rank() + size() - 1) % size();
}

int packed(int count, MPI_Datatype type) {
  int bytes = 0;
  MPI_Pack_size(count, type, MPI_COMM_WORLD, &bytes);
  return bytes;
}

void attachAndDetach() {
  for (int round = 0; round < 5; ++round)
    for (int bytes : {1, 1000, 1 << 20}) {
      std::vector<char> memory(static_cast<std::size_t>(bytes) + MPI_BSEND_OVERHEAD);
      const int attached = static_cast<int>(memory.size());
      CHECK_EQ(MPI_Buffer_attach(memory.data(), attached), MPI_SUCCESS);
      void* address = nullptr;
      if (round % 2 == 0 || !CHECK_MPI_40) {
        int size1 = -1;
        CHECK_EQ(MPI_Buffer_detach(&address, &size1), MPI_SUCCESS);
        CHECK_EQ(size1, attached);
      }
#if CHECK_MPI_40
      else {
        MPI_Count size2 = -1;
        CHECK_EQ(MPI_Buffer_detach_c(&address, &size2), MPI_SUCCESS);
        CHECK_EQ(size2, attached);
        CHECK_EQ(MPI_Buffer_attach_c(memory.data(), attached), MPI_SUCCESS);
        int size1 = -1;
        CHECK_EQ(MPI_Buffer_detach(&address, &size1), MPI_SUCCESS);
        CHECK_EQ(size1, attached);
      }
#endif
      CHECK(address == memory.data());
    }
}

// The space that the standard promises to be enough is enough: pack size plus overhead for each message.
void exactSpace() {
  for (int messages : {1, 2, 7})
    for (std::size_t bytes : fewSizes()) {
      const int count = static_cast<int>(bytes);
      const int each = packed(count, MPI_BYTE) + MPI_BSEND_OVERHEAD;
      std::vector<char> memory(static_cast<std::size_t>(messages * each));
      MPI_Buffer_attach(memory.data(), messages * each);
      Guarded data(bytes);
      for (int i = 0; i < messages; ++i) {
        data.fillWith(static_cast<std::uint64_t>(i + rank()));
        MPI_Bsend(data.data(), count, MPI_BYTE, right(), i, MPI_COMM_WORLD);
      }
      for (int i = 0; i < messages; ++i) {
        MPI_Recv(data.data(), count, MPI_BYTE, left(), i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK_EQ(data.wrongAt(static_cast<std::uint64_t>(i + left())), bytes);
      }
      void* address = nullptr;
      int size1 = 0;
      MPI_Buffer_detach(&address, &size1);
    }
}

// The same with a strided type, whose packed size counts and not its extent.
void exactSpaceStrided() {
  MPI_Datatype type;
  MPI_Type_vector(1000, 1, 4, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  const int bytes = packed(3, type) + MPI_BSEND_OVERHEAD;
  std::vector<char> memory(static_cast<std::size_t>(bytes));
  MPI_Buffer_attach(memory.data(), bytes);
  MPI_Aint lower = 0;
  MPI_Aint extent = 0;
  MPI_Type_get_extent(type, &lower, &extent);
  std::vector<double> out(static_cast<std::size_t>(3 * extent) / sizeof(double) + 1, -1);
  std::vector<double> in(3000, -1);
  int at = 0;
  for (int element = 0; element < 3; ++element)
    for (int i = 0; i < 1000; ++i)
      out[static_cast<std::size_t>(element) * static_cast<std::size_t>(extent) / sizeof(double) +
          static_cast<std::size_t>(i) * 4] = ++at;
  MPI_Bsend(out.data(), 3, type, right(), dataTag, MPI_COMM_WORLD);
  std::fill(out.begin(), out.end(), 0);
  MPI_Recv(in.data(), 3000, MPI_DOUBLE, left(), dataTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int wrong = 0;
  for (int i = 0; i < 3000; ++i)
    wrong += in[i] != i + 1;
  CHECK_EQ(wrong, 0);
  void* address = nullptr;
  int size1 = 0;
  MPI_Buffer_detach(&address, &size1);
  MPI_Type_free(&type);
}

// Space is used again and again: far more is sent than the buffer holds, a few messages at a time.
void reuse() {
  constexpr std::size_t bytes = 50000;
  BsendSpace space(3 * (bytes + MPI_BSEND_OVERHEAD));
  Guarded data(bytes);
  for (int round = 0; round < 300; ++round) {
    const std::size_t now = round % 3 == 0 ? bytes : round % 3 == 1 ? 100 : 9000;
    fill(data.data(), now, static_cast<std::uint64_t>(round + rank()));
    MPI_Bsend(data.data(), static_cast<int>(now), MPI_BYTE, right(), round, MPI_COMM_WORLD);
    MPI_Recv(data.data(), static_cast<int>(bytes), MPI_BYTE, left(), round, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    CHECK_EQ(firstWrong(data.data(), now, static_cast<std::uint64_t>(round + left())), now);
    // The message that I sent has arrived when the ring has closed: its space is free again.
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

// Without enough space the call fails with MPI_ERR_BUFFER, and nothing is sent.
void noSpace() {
  const ReturningComm comm;
  const int peer = right();
  std::vector<char> data(100000, 1);
  CHECK_EQ(errorClass(MPI_Bsend(data.data(), 100000, MPI_BYTE, peer, dataTag, comm)), MPI_ERR_BUFFER);
  MPI_Request request = MPI_REQUEST_NULL;
  CHECK_EQ(errorClass(MPI_Ibsend(data.data(), 100000, MPI_BYTE, peer, dataTag, comm, &request)),
           MPI_ERR_BUFFER);
  {
    BsendSpace space(50000);
    CHECK_EQ(errorClass(MPI_Bsend(data.data(), 100000, MPI_BYTE, peer, dataTag, comm)), MPI_ERR_BUFFER);
    CHECK_EQ(MPI_Bsend(data.data(), 1000, MPI_BYTE, peer, dataTag, comm), MPI_SUCCESS);
    MPI_Status status;
    MPI_Recv(data.data(), 100000, MPI_BYTE, left(), dataTag, comm, &status);
    CHECK_STATUS(status, left(), dataTag, 1000u);
  }
  int found = 1;
  MPI_Barrier(comm);
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, MPI_STATUS_IGNORE);
  CHECK(!found);
}

// A buffer that fills up: exactly the messages whose call succeeded arrive, in order.
void fillsUp() {
  const ReturningComm comm;
  constexpr int bytes = 1 << 20;
  std::vector<char> memory(3 * (bytes + MPI_BSEND_OVERHEAD));
  MPI_Buffer_attach(memory.data(), static_cast<int>(memory.size()));
  Guarded data(bytes);
  int sent = 0;
  for (int i = 0; i < 6; ++i) {
    data.fillWith(static_cast<std::uint64_t>(sent));
    const int code = MPI_Bsend(data.data(), bytes, MPI_BYTE, right(), dataTag, comm);
    if (code == MPI_SUCCESS)
      ++sent;
    else
      CHECK_EQ(errorClass(code), MPI_ERR_BUFFER);
  }
  CHECK(sent >= 3);
  int expected = 0;
  MPI_Sendrecv(&sent, 1, MPI_INT, right(), dataTag + 1, &expected, 1, MPI_INT, left(), dataTag + 1, comm,
               MPI_STATUS_IGNORE);
  for (int i = 0; i < expected; ++i) {
    MPI_Recv(data.data(), bytes, MPI_BYTE, left(), dataTag, comm, MPI_STATUS_IGNORE);
    CHECK_EQ(data.wrongAt(static_cast<std::uint64_t>(i)), data.bytes());
  }
  void* address = nullptr;
  int size1 = 0;
  MPI_Buffer_detach(&address, &size1);
  CHECK(address == memory.data());
}

// Detach returns only when the buffer is no longer needed: it is overwritten at once and the data still
// arrive.
void detachWaits() {
  const int peer = partner();
  if (peer < 0)
    return;
  for (int bytes : {100, 300000, 4 << 20}) {
    Guarded data(static_cast<std::size_t>(bytes));
    if (rank() % 2 == 0) {
      std::vector<char> memory(static_cast<std::size_t>(bytes) + MPI_BSEND_OVERHEAD);
      MPI_Buffer_attach(memory.data(), static_cast<int>(memory.size()));
      data.fillWith(5);
      MPI_Bsend(data.data(), bytes, MPI_BYTE, peer, dataTag, MPI_COMM_WORLD);
      void* address = nullptr;
      int size1 = 0;
      MPI_Buffer_detach(&address, &size1);
      std::memset(memory.data(), 0x99, memory.size());
      MPI_Send(nullptr, 0, MPI_BYTE, peer, dataTag + 1, MPI_COMM_WORLD);
    } else {
      const double start = MPI_Wtime();
      while (MPI_Wtime() - start < 0.02) {
      }
      MPI_Recv(data.data(), bytes, MPI_BYTE, peer, dataTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK_EQ(data.wrongAt(5), data.bytes());
      MPI_Recv(nullptr, 0, MPI_BYTE, peer, dataTag + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
}

// Ibsend requests are complete at once, whatever the receiver does, and cancel or free of them is harmless.
void immediate() {
  constexpr int bytes = 200000;
  BsendSpace space(4 * (bytes + MPI_BSEND_OVERHEAD));
  Guarded data(bytes);
  data.fillWith(static_cast<std::uint64_t>(rank()));
  MPI_Request requests[3];
  for (int i = 0; i < 3; ++i)
    MPI_Ibsend(data.data(), bytes, MPI_BYTE, right(), i, MPI_COMM_WORLD, &requests[i]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Request_free(&requests[1]);
  int done = 0;
  while (!done)
    MPI_Test(&requests[2], &done, MPI_STATUS_IGNORE);
  for (int i = 2; i >= 0; --i) {
    Guarded in(bytes);
    MPI_Recv(in.data(), bytes, MPI_BYTE, left(), i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQ(in.wrongAt(static_cast<std::uint64_t>(left())), in.bytes());
  }
}

#if CHECK_MPI_41
void flush() {
  constexpr int bytes = 300000;
  BsendSpace space(bytes + MPI_BSEND_OVERHEAD);
  Guarded data(bytes);
  Guarded in(bytes);
  for (int round = 0; round < 10; ++round) {
    data.fillWith(static_cast<std::uint64_t>(round));
    MPI_Request receiving;
    MPI_Irecv(in.data(), bytes, MPI_BYTE, left(), dataTag, MPI_COMM_WORLD, &receiving);
    // The buffer has space for one: without the flush the next round would fail.
    MPI_Bsend(data.data(), bytes, MPI_BYTE, right(), dataTag, MPI_COMM_WORLD);
    MPI_Wait(&receiving, MPI_STATUS_IGNORE);
    CHECK_EQ(in.wrongAt(static_cast<std::uint64_t>(round)), in.bytes());
    if (round % 2) {
      CHECK_EQ(MPI_Buffer_flush(), MPI_SUCCESS);
    } else {
      MPI_Request request = MPI_REQUEST_NULL;
      CHECK_EQ(MPI_Buffer_iflush(&request), MPI_SUCCESS);
      CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
  }
  CHECK_EQ(MPI_Buffer_flush(), MPI_SUCCESS);
}
#endif

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return run(argc, argv, {
    {"attach-and-detach", attachAndDetach}, {"exact-space", exactSpace},
        {"exact-space-strided", exactSpaceStrided}, {"reuse", reuse}, {"no-space", noSpace},
        {"fills-up", fillsUp}, {"detach-waits", detachWaits, 2},
#if CHECK_MPI_41
        {"flush", flush},
#endif
    {
      "immediate", immediate
    }
  });
}
