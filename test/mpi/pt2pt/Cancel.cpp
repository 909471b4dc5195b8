// Cancelling receives and sends, freeing active requests (MPI 4.1, 3.7.3 and 3.8.4).
#include "test/mpi/pt2pt/Modes.h"

using namespace check;

namespace {

int right() {
  return (rank() + 1) % size();
}

int left() {
  return (rank() + size() - 1) % size();
}

bool wasCancelled(const MPI_Status& status) {
  int flag = -1;
  MPI_Test_cancelled(&status, &flag);
  return flag != 0;
}

// An unmatched receive: the wait ends by itself, the status says cancelled, and the buffer is not written
// afterwards.
void unmatchedReceive() {
  const ReturningComm other;
  for (std::size_t bytes : fewSizes())
    for (int wild = 0; wild < 4; ++wild) {
      Guarded in(bytes);
      in.fillWith(42);
      MPI_Request request;
      MPI_Irecv(in.data(), in.count(), MPI_BYTE, wild & 1 ? MPI_ANY_SOURCE : left(),
                wild & 2 ? MPI_ANY_TAG : 1, other, &request);
      MPI_Cancel(&request);
      CHECK(request != MPI_REQUEST_NULL);
      MPI_Status status;
      CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
      CHECK(wasCancelled(status));
      CHECK(request == MPI_REQUEST_NULL);
      MPI_Barrier(MPI_COMM_WORLD);
      // The message that comes now is for the next receive.
      Guarded out(bytes);
      Guarded next(bytes);
      out.fillWith(7);
      MPI_Request sending;
      MPI_Isend(out.data(), out.count(), MPI_BYTE, right(), 1, other, &sending);
      MPI_Recv(next.data(), next.count(), MPI_BYTE, left(), 1, other, &status);
      CHECK(!wasCancelled(status));
      CHECK_STATUS(status, left(), 1, bytes);
      CHECK_EQ(next.wrongAt(7), bytes);
      CHECK_EQ(in.wrongAt(42), bytes);
      CHECK(in.intact());
      MPI_Wait(&sending, MPI_STATUS_IGNORE);
      MPI_Barrier(MPI_COMM_WORLD);
    }
}

// A cancel after the match does nothing: the message is received.
void matchedReceive() {
  for (std::size_t bytes : fewSizes()) {
    Guarded in(bytes);
    Guarded out(bytes);
    out.fillWith(static_cast<std::uint64_t>(rank()));
    MPI_Request receiving;
    MPI_Request sending;
    MPI_Irecv(in.data(), in.count(), MPI_BYTE, left(), 1, MPI_COMM_WORLD, &receiving);
    MPI_Isend(out.data(), out.count(), MPI_BYTE, right(), 1, MPI_COMM_WORLD, &sending);
    int done = 0;
    while (!done)
      MPI_Request_get_status(receiving, &done, MPI_STATUS_IGNORE);
    MPI_Cancel(&receiving);
    MPI_Status status;
    MPI_Wait(&receiving, &status);
    CHECK(!wasCancelled(status));
    CHECK_STATUS(status, left(), 1, bytes);
    CHECK_EQ(in.wrongAt(static_cast<std::uint64_t>(left())), bytes);
    MPI_Wait(&sending, MPI_STATUS_IGNORE);
  }
}

// A cancel that races with the message: either cancelled, and the message is still there for the next
// receive, or received in full.
void racingReceive() {
  int cancelled = 0;
  for (int round = 0; round < 200; ++round) {
    const std::size_t bytes = fewSizes()[static_cast<std::size_t>(round) % 8];
    Guarded in(bytes);
    Guarded out(bytes);
    out.fillWith(static_cast<std::uint64_t>(rank() * 1000 + round));
    MPI_Request receiving;
    MPI_Request sending;
    MPI_Irecv(in.data(), in.count(), MPI_BYTE, left(), 1, MPI_COMM_WORLD, &receiving);
    MPI_Isend(out.data(), out.count(), MPI_BYTE, right(), 1, MPI_COMM_WORLD, &sending);
    int done = 0;
    MPI_Status status;
    for (int i = 0; i < round % 5; ++i)
      MPI_Request_get_status(receiving, &done, &status);
    MPI_Cancel(&receiving);
    MPI_Wait(&receiving, &status);
    if (wasCancelled(status)) {
      ++cancelled;
      MPI_Recv(in.data(), in.count(), MPI_BYTE, left(), 1, MPI_COMM_WORLD, &status);
    }
    CHECK_STATUS(status, left(), 1, bytes);
    CHECK_EQ(in.wrongAt(static_cast<std::uint64_t>(left() * 1000 + round)), bytes);
    MPI_Wait(&sending, MPI_STATUS_IGNORE);
  }
  CHECK(cancelled >= 0 && cancelled <= 200);
}

// Cancelled receives among living ones in one array.
void someOfMany() {
  constexpr int many = 40;
  int values[many];
  MPI_Request requests[many];
  MPI_Status statuses[many];
  for (int i = 0; i < many; ++i) {
    values[i] = -1;
    MPI_Irecv(&values[i], 1, MPI_INT, left(), i, MPI_COMM_WORLD, &requests[i]);
  }
  for (int i = 0; i < many; i += 2)
    MPI_Cancel(&requests[i]);
  for (int i = 1; i < many; i += 2)
    MPI_Send(&i, 1, MPI_INT, right(), i, MPI_COMM_WORLD);
  MPI_Waitall(many, requests, statuses);
  for (int i = 0; i < many; ++i) {
    CHECK_EQ(wasCancelled(statuses[i]), i % 2 == 0);
    CHECK_EQ(values[i], i % 2 ? i : -1);
  }
}

// Each way of completion sees the cancellation.
void waysOfCompletion() {
  for (int way = 0; way < 6; ++way) {
    int value = -1;
    MPI_Request request;
    MPI_Status status;
    int done = 0;
    int index = -1;
    MPI_Irecv(&value, 1, MPI_INT, left(), 1, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    switch (way) {
    case 0:
      while (!done)
        MPI_Test(&request, &done, &status);
      break;
    case 1:
      MPI_Waitany(1, &request, &index, &status);
      break;
    case 2:
      while (!done)
        MPI_Testany(1, &request, &index, &done, &status);
      break;
    case 3:
      MPI_Waitsome(1, &request, &done, &index, &status);
      break;
    case 4:
      while (!done)
        MPI_Testall(1, &request, &done, &status);
      break;
    default:
      while (!done)
        MPI_Request_get_status(request, &done, &status);
      CHECK(wasCancelled(status));
      MPI_Wait(&request, &status);
    }
    CHECK(wasCancelled(status));
    CHECK_EQ(value, -1);
  }
}

// A cancelled send either is gone, or arrives as if nothing had been asked; the wait ends in either case.
// Cancelling sends is deprecated since MPI 4.0 but still there.
void sends() {
  const int peer = partner();
  if (peer < 0)
    return;
  BsendSpace space(1 << 21);
  for (Mode mode : {Mode::standard, Mode::buffered, Mode::synchronous})
    for (std::size_t bytes : {std::size_t{0}, std::size_t{100}, std::size_t{300000}}) {
      Guarded data(bytes);
      int gone = 0;
      if (rank() % 2 == 0) {
        data.fillWith(1);
        MPI_Request request =
            isend(mode, Twin::small, data.data(), data.count(), MPI_BYTE, peer, 1, MPI_COMM_WORLD);
        MPI_Cancel(&request);
        // A rendezvous or synchronous send that could not be cancelled may wait for its receive.
        int done = 0;
        MPI_Status status;
        MPI_Test(&request, &done, &status);
        gone = done && wasCancelled(status);
        MPI_Send(&gone, 1, MPI_INT, peer, 2, MPI_COMM_WORLD);
        int received = -1;
        MPI_Recv(&received, 1, MPI_INT, peer, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (!done)
          MPI_Wait(&request, &status);
        // Either it was cancelled or it was received, never both or neither.
        CHECK_EQ(wasCancelled(status), received == 0);
      } else {
        MPI_Recv(&gone, 1, MPI_INT, peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        int there = 0;
        for (int i = 0; i < 20000 && !there; ++i)
          MPI_Iprobe(peer, 1, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        CHECK(!(gone && there));
        if (there) {
          MPI_Recv(data.data(), data.count(), MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
          CHECK_EQ(data.wrongAt(1), bytes);
        }
        MPI_Send(&there, 1, MPI_INT, peer, 3, MPI_COMM_WORLD);
      }
    }
}

// Freed active requests complete: the send is delivered, the receive's buffer is filled (3.7.3).
void freedRequests() {
  static std::vector<unsigned char> out;
  for (std::size_t bytes : fewSizes()) {
    out.resize(bytes);
    fill(out.data(), bytes, static_cast<std::uint64_t>(rank()));
    Guarded in(bytes);
    MPI_Request receiving;
    MPI_Request sending;
    MPI_Request marker;
    int last = -1;
    const int sent = 3;
    MPI_Irecv(in.data(), in.count(), MPI_BYTE, left(), 1, MPI_COMM_WORLD, &receiving);
    MPI_Irecv(&last, 1, MPI_INT, left(), 2, MPI_COMM_WORLD, &marker);
    MPI_Request_free(&receiving);
    CHECK(receiving == MPI_REQUEST_NULL);
    MPI_Issend(out.data(), static_cast<int>(bytes), MPI_BYTE, right(), 1, MPI_COMM_WORLD, &sending);
    // A synchronous send that is complete shows that the receive has started; its end is awaited by its
    // contents.
    MPI_Wait(&sending, MPI_STATUS_IGNORE);
    MPI_Send(&sent, 1, MPI_INT, right(), 2, MPI_COMM_WORLD);
    MPI_Wait(&marker, MPI_STATUS_IGNORE);
    int found = 0;
    for (int i = 0; i < 1000000 && in.wrongAt(static_cast<std::uint64_t>(left())) != bytes; ++i)
      MPI_Iprobe(left(), 99, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    CHECK_EQ(in.wrongAt(static_cast<std::uint64_t>(left())), bytes);

    MPI_Isend(out.data(), static_cast<int>(bytes), MPI_BYTE, right(), 3, MPI_COMM_WORLD, &sending);
    MPI_Request_free(&sending);
    CHECK(sending == MPI_REQUEST_NULL);
    in.clear();
    MPI_Recv(in.data(), in.count(), MPI_BYTE, left(), 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQ(in.wrongAt(static_cast<std::uint64_t>(left())), bytes);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

// A receive that is cancelled and freed at once: nothing is left of it, the next message goes to the next
// receive.
void cancelledAndFreed() {
  for (int round = 0; round < 50; ++round) {
    int value = -1;
    MPI_Request request;
    MPI_Irecv(&value, 1, MPI_INT, left(), 1, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Request_free(&request);
    CHECK(request == MPI_REQUEST_NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&round, 1, MPI_INT, right(), 1, MPI_COMM_WORLD);
    int got = -1;
    MPI_Recv(&got, 1, MPI_INT, left(), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQ(got, round);
    CHECK_EQ(value, -1);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

// Statuses of ordinary completions say "not cancelled", sends included.
void notCancelled() {
  MPI_Request requests[2];
  MPI_Status statuses[2];
  int value = 0;
  std::memset(statuses, 0xFF, sizeof statuses);
  const int sent = rank();
  MPI_Irecv(&value, 1, MPI_INT, left(), 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&sent, 1, MPI_INT, right(), 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  CHECK(!wasCancelled(statuses[0]));
  CHECK(!wasCancelled(statuses[1]));
  MPI_Status status;
  std::memset(&status, 0xFF, sizeof status);
  MPI_Sendrecv(&sent, 1, MPI_INT, right(), 1, &value, 1, MPI_INT, left(), 1, MPI_COMM_WORLD, &status);
  CHECK(!wasCancelled(status));
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return run(argc, argv,
             {{"unmatched-receive", unmatchedReceive},
              {"matched-receive", matchedReceive},
              {"racing-receive", racingReceive},
              {"some-of-many", someOfMany},
              {"ways-of-completion", waysOfCompletion},
              {"sends", sends, 2},
              {"freed-requests", freedRequests},
              {"cancelled-and-freed", cancelledAndFreed},
              {"not-cancelled", notCancelled}});
}
