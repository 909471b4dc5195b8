// Messages of a process to itself, in every mode, on MPI_COMM_SELF, MPI_COMM_WORLD and copies.
#include "test/mpi/pt2pt/Modes.h"

using namespace check;

namespace {

std::vector<MPI_Comm> theComms() {
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_SELF, &copy);
  return {MPI_COMM_SELF, MPI_COMM_WORLD, copy};
}

template <class Body> void onEach(Body body) {
  std::vector<MPI_Comm> comms = theComms();
  for (MPI_Comm comm : comms)
    body(comm, rankIn(comm));
  MPI_Comm_free(&comms.back());
}

void postedFirst() {
  BsendSpace space((9 << 20) + MPI_BSEND_OVERHEAD);
  onEach([](MPI_Comm comm, int me) {
    for (Mode mode : allModes())
      for (std::size_t bytes : switchSizes(1 << 18)) {
        Guarded in(bytes);
        Guarded out(bytes);
        out.fillWith(bytes);
        MPI_Request receiving = ireceive(Twin::small, in.data(), in.count(), MPI_BYTE, me, 3, comm);
        // A blocking send is safe here: its receive is posted.
        send(mode, Twin::small, out.data(), out.count(), MPI_BYTE, me, 3, comm);
        MPI_Status status;
        MPI_Wait(&receiving, &status);
        CHECK_STATUS(status, me, 3, bytes);
        CHECK_EQ(in.wrongAt(bytes), bytes);
        CHECK(in.intact());
      }
  });
}

void sentFirst() {
  BsendSpace space((9 << 20) + MPI_BSEND_OVERHEAD);
  onEach([](MPI_Comm comm, int me) {
    for (Mode mode : {Mode::standard, Mode::buffered, Mode::synchronous})
      for (std::size_t bytes : switchSizes(1 << 18)) {
        Guarded in(bytes);
        Guarded out(bytes);
        out.fillWith(bytes);
        MPI_Request sending = isend(mode, Twin::small, out.data(), out.count(), MPI_BYTE, me, 3, comm);
        if (mode == Mode::synchronous) {
          int early = 0;
          for (int i = 0; i < 5 && !early; ++i)
            MPI_Test(&sending, &early, MPI_STATUS_IGNORE);
          CHECK(!early);
        }
        MPI_Status status;
        MPI_Probe(MPI_ANY_SOURCE, 3, comm, &status);
        CHECK_STATUS(status, me, 3, bytes);
        MPI_Recv(in.data(), in.count(), MPI_BYTE, MPI_ANY_SOURCE, 3, comm, &status);
        CHECK_STATUS(status, me, 3, bytes);
        CHECK_EQ(in.wrongAt(bytes), bytes);
        MPI_Wait(&sending, MPI_STATUS_IGNORE);
      }
  });
}

// Bsend to oneself and then a blocking receive: no deadlock.
void bufferedBlocking() {
  BsendSpace space(10 * (100000 + MPI_BSEND_OVERHEAD));
  onEach([](MPI_Comm comm, int me) {
    for (int i = 0; i < 10; ++i) {
      Guarded out(100000);
      out.fillWith(static_cast<std::uint64_t>(i));
      MPI_Bsend(out.data(), out.count(), MPI_BYTE, me, i, comm);
    }
    for (int i = 9; i >= 0; --i) {
      Guarded in(100000);
      MPI_Recv(in.data(), in.count(), MPI_BYTE, me, i, comm, MPI_STATUS_IGNORE);
      CHECK_EQ(in.wrongAt(static_cast<std::uint64_t>(i)), in.bytes());
    }
  });
}

// Many messages to oneself in flight, taken with wildcards in the order of sending.
void manyInFlight() {
  onEach([](MPI_Comm comm, int me) {
    constexpr int many = 500;
    std::vector<int> values(many);
    std::vector<MPI_Request> requests(many);
    for (int i = 0; i < many; ++i) {
      values[i] = i * 3;
      MPI_Isend(&values[i], 1, MPI_INT, me, i % 7, comm, &requests[i]);
    }
    for (int i = 0; i < many; ++i) {
      int value = -1;
      MPI_Status status;
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
      CHECK_EQ(value, i * 3);
      CHECK_EQ(status.MPI_TAG, i % 7);
    }
    MPI_Waitall(many, requests.data(), MPI_STATUSES_IGNORE);
  });
}

// Strided on one side, other strides on the other.
void strided() {
  onEach([](MPI_Comm comm, int me) {
    for (int blocks : {1, 10, 1000, 50000}) {
      MPI_Datatype two;
      MPI_Datatype three;
      MPI_Type_vector(blocks, 1, 2, MPI_INT, &two);
      MPI_Type_vector(blocks, 1, 3, MPI_INT, &three);
      MPI_Type_commit(&two);
      MPI_Type_commit(&three);
      std::vector<int> out(static_cast<std::size_t>(blocks) * 2);
      std::vector<int> in(static_cast<std::size_t>(blocks) * 3, -1);
      for (int i = 0; i < blocks; ++i)
        out[2 * i] = i + 5;
      MPI_Status status;
      MPI_Sendrecv(out.data(), 1, two, me, 1, in.data(), 1, three, me, 1, comm, &status);
      int count = -1;
      MPI_Get_count(&status, three, &count);
      CHECK_EQ(count, 1);
      int wrong = 0;
      for (int i = 0; i < blocks; ++i)
        wrong += in[3 * i] != i + 5 || in[3 * i + 1] != -1 || in[3 * i + 2] != -1;
      CHECK_EQ(wrong, 0);
      MPI_Type_free(&two);
      MPI_Type_free(&three);
    }
  });
}

// A message to oneself that is longer than the buffer is an error like any other, and the next one is
// received.
void truncated() {
  onEach([](MPI_Comm base, int me) {
    const ReturningComm comm(base);
    for (std::size_t bytes : fewSizes()) {
      if (bytes < 8)
        continue;
      for (bool posted : {true, false}) {
        Guarded out(bytes);
        Guarded in(bytes / 2);
        out.fillWith(1);
        MPI_Request receiving = MPI_REQUEST_NULL;
        if (posted)
          MPI_Irecv(in.data(), in.count(), MPI_BYTE, me, 1, comm, &receiving);
        MPI_Request sending =
            isend(Mode::standard, Twin::small, out.data(), out.count(), MPI_BYTE, me, 1, comm);
        MPI_Status status;
        const int code = posted ? MPI_Wait(&receiving, &status)
                                : MPI_Recv(in.data(), in.count(), MPI_BYTE, me, 1, comm, &status);
        CHECK_EQ(errorClass(code), MPI_ERR_TRUNCATE);
        CHECK_EQ(status.MPI_SOURCE, me);
        CHECK_EQ(status.MPI_TAG, 1);
        CHECK(in.intact());
        CHECK_EQ(MPI_Wait(&sending, MPI_STATUS_IGNORE), MPI_SUCCESS);
        const int next = 77;
        int got = 0;
        MPI_Sendrecv(&next, 1, MPI_INT, me, 1, &got, 1, MPI_INT, me, 1, comm, MPI_STATUS_IGNORE);
        CHECK_EQ(got, 77);
      }
    }
  });
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return run(argc, argv,
             {{"posted-first", postedFirst},
              {"sent-first", sentFirst},
              {"buffered-blocking", bufferedBlocking},
              {"many-in-flight", manyInFlight},
              {"strided", strided},
              {"truncated", truncated}});
}
