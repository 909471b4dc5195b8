// Persistent requests: every mode, many restarts, Start and Startall, states in between (MPI 4.1, 3.9).
#include "test/mpi/pt2pt/Modes.h"

#include <algorithm>

using namespace check;

namespace {

constexpr int dataTag = 17;

int right() {
  return (rank() + 1) % size();
}

int left() {
  return (rank() + size() - 1) % size();
}

// A step through the ring that shows that every rank has posted its receives.
void step() {
  MPI_Barrier(MPI_COMM_WORLD);
}

void allModesRestarted() {
  constexpr int rounds = 60;
  BsendSpace space(2 * ((1 << 20) + MPI_BSEND_OVERHEAD));
  for (Mode mode : allModes())
    for (Twin twin : twins())
      for (std::size_t bytes : {std::size_t{0}, std::size_t{8}, std::size_t{5000}, std::size_t{200000}}) {
        Guarded in(bytes);
        Guarded out(bytes);
        MPI_Request receiving =
            receiveInit(twin, in.data(), in.count(), MPI_BYTE, left(), dataTag, MPI_COMM_WORLD);
        MPI_Request sending =
            sendInit(mode, twin, out.data(), out.count(), MPI_BYTE, right(), dataTag, MPI_COMM_WORLD);
        for (int round = 0; round < rounds; ++round) {
          out.fillWith(static_cast<std::uint64_t>(rank() * 1000 + round));
          in.clear();
          MPI_Start(&receiving);
          if (mode == Mode::ready)
            step();
          MPI_Start(&sending);
          MPI_Status status;
          if (round % 2) {
            MPI_Wait(&receiving, &status);
            MPI_Wait(&sending, MPI_STATUS_IGNORE);
          } else {
            int done = 0;
            while (!done)
              MPI_Test(&sending, &done, MPI_STATUS_IGNORE);
            done = 0;
            while (!done)
              MPI_Test(&receiving, &done, &status);
          }
          // Completing a persistent request makes it inactive, it is not freed.
          CHECK(receiving != MPI_REQUEST_NULL && sending != MPI_REQUEST_NULL);
          CHECK_STATUS(status, left(), dataTag, bytes);
          CHECK_EQ(in.wrongAt(static_cast<std::uint64_t>(left() * 1000 + round)), bytes);
          CHECK(in.intact());
        }
        MPI_Request_free(&receiving);
        MPI_Request_free(&sending);
        CHECK(receiving == MPI_REQUEST_NULL && sending == MPI_REQUEST_NULL);
      }
}

// MPI_Startall on a mixed array, completed by each of the completion calls in turn.
void startall() {
  constexpr int pairs = 16;
  std::vector<Guarded> in(pairs, Guarded(3000));
  std::vector<Guarded> out(pairs, Guarded(3000));
  std::vector<MPI_Request> requests;
  for (int i = 0; i < pairs; ++i) {
    requests.push_back(receiveInit(Twin::small, in[i].data(), 3000, MPI_BYTE, left(), i, MPI_COMM_WORLD));
    const Mode mode = i % 2 ? Mode::standard : Mode::synchronous;
    requests.push_back(
        sendInit(mode, Twin::small, out[i].data(), 3000, MPI_BYTE, right(), i, MPI_COMM_WORLD));
  }
  const int count = static_cast<int>(requests.size());
  std::vector<MPI_Status> statuses(requests.size());
  for (int round = 0; round < 24; ++round) {
    for (int i = 0; i < pairs; ++i) {
      out[i].fillWith(static_cast<std::uint64_t>(rank() * 5000 + round * 100 + i));
      in[i].clear();
    }
    MPI_Startall(count, requests.data());
    int left1 = count;
    if (round % 4 == 0) {
      MPI_Waitall(count, requests.data(), statuses.data());
      for (int i = 0; i < pairs; ++i)
        CHECK_STATUS(statuses[2 * i], left(), i, 3000u);
    } else if (round % 4 == 1) {
      for (; left1 > 0; --left1) {
        int index = -5;
        MPI_Waitany(count, requests.data(), &index, MPI_STATUS_IGNORE);
        CHECK(index >= 0 && index < count);
      }
      int index = -5;
      MPI_Status status;
      MPI_Waitany(count, requests.data(), &index, &status);
      CHECK_EQ(index, MPI_UNDEFINED);
    } else if (round % 4 == 2) {
      std::vector<int> indices(requests.size());
      while (left1 > 0) {
        int outcount = -5;
        MPI_Waitsome(count, requests.data(), &outcount, indices.data(), MPI_STATUSES_IGNORE);
        if (!CHECK(outcount > 0))
          break;
        left1 -= outcount;
      }
      CHECK_EQ(left1, 0);
    } else {
      int done = 0;
      while (!done)
        MPI_Testall(count, requests.data(), &done, statuses.data());
    }
    for (MPI_Request request : requests)
      CHECK(request != MPI_REQUEST_NULL);
    for (int i = 0; i < pairs; ++i)
      CHECK_EQ(in[i].wrongAt(static_cast<std::uint64_t>(left() * 5000 + round * 100 + i)), in[i].bytes());
  }
  for (MPI_Request& request : requests)
    MPI_Request_free(&request);
}

// The requests of one set are started in changing orders; order on the wire follows MPI_Start, not
// MPI_Send_init.
void startOrder() {
  int first = 1;
  int second = 2;
  MPI_Request a = sendInit(Mode::standard, Twin::small, &first, 1, MPI_INT, right(), dataTag, MPI_COMM_WORLD);
  MPI_Request b =
      sendInit(Mode::standard, Twin::small, &second, 1, MPI_INT, right(), dataTag, MPI_COMM_WORLD);
  for (int round = 0; round < 20; ++round) {
    const bool swapped = round % 2 != 0;
    MPI_Start(swapped ? &b : &a);
    MPI_Start(swapped ? &a : &b);
    int got[2] = {0, 0};
    MPI_Recv(&got[0], 1, MPI_INT, left(), dataTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&got[1], 1, MPI_INT, left(), dataTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQ(got[0], swapped ? 2 : 1);
    CHECK_EQ(got[1], swapped ? 1 : 2);
    MPI_Wait(&a, MPI_STATUS_IGNORE);
    MPI_Wait(&b, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&a);
  MPI_Request_free(&b);
}

// Wait and test return at once for an inactive request, with an empty status (MPI 4.1, 3.7.3).
void inactive() {
  int value = 0;
  MPI_Request request = receiveInit(Twin::small, &value, 1, MPI_INT, left(), dataTag, MPI_COMM_WORLD);
  for (int round = 0; round < 3; ++round) {
    MPI_Status status;
    MPI_Wait(&request, &status);
    CHECK_STATUS(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0u);
    int cancelled = 1;
    MPI_Test_cancelled(&status, &cancelled);
    CHECK(!cancelled);
    int done = 0;
    MPI_Test(&request, &done, &status);
    CHECK(done);
    CHECK_STATUS(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0u);
    CHECK(request != MPI_REQUEST_NULL);
    MPI_Start(&request);
    const int sent = 40 + round;
    MPI_Send(&sent, 1, MPI_INT, right(), dataTag, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    CHECK_STATUS(status, left(), dataTag, sizeof(int));
    CHECK_EQ(value, 40 + round);
  }
  MPI_Request_free(&request);
}

// Freeing an active persistent request lets the operation complete (MPI 4.1, 3.9: "marked for deallocation").
void freedWhileActive() {
  for (std::size_t bytes : {std::size_t{8}, std::size_t{100000}}) {
    static std::vector<unsigned char> out(100000);
    fill(out.data(), bytes, static_cast<std::uint64_t>(rank()));
    MPI_Request sending = sendInit(Mode::standard, Twin::small, out.data(), static_cast<int>(bytes), MPI_BYTE,
                                   right(), dataTag, MPI_COMM_WORLD);
    MPI_Start(&sending);
    MPI_Request_free(&sending);
    CHECK(sending == MPI_REQUEST_NULL);
    Guarded in(bytes);
    MPI_Recv(in.data(), in.count(), MPI_BYTE, left(), dataTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQ(in.wrongAt(static_cast<std::uint64_t>(left())), bytes);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

// A persistent receive with both wildcards takes what comes, again and again.
void wildcards() {
  const ReturningComm other;
  long value = 0;
  MPI_Request request =
      receiveInit(Twin::small, &value, 1, MPI_LONG, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD);
  for (int round = 0; round < 50; ++round) {
    MPI_Start(&request);
    const long sent = rank() * 100L + round;
    MPI_Send(&sent, 1, MPI_LONG, right(), round, MPI_COMM_WORLD);
    MPI_Status status;
    MPI_Wait(&request, &status);
    CHECK_STATUS(status, left(), round, sizeof(long));
    CHECK_EQ(value, left() * 100L + round);
    MPI_Barrier(other);
  }
  MPI_Request_free(&request);
}

// A persistent receive that was cancelled can be started again.
void cancelledAndRestarted() {
  int value = 0;
  MPI_Request request = receiveInit(Twin::small, &value, 1, MPI_INT, left(), dataTag, MPI_COMM_WORLD);
  for (int round = 0; round < 10; ++round) {
    MPI_Start(&request);
    MPI_Cancel(&request);
    MPI_Status status;
    MPI_Wait(&request, &status);
    int cancelled = 0;
    MPI_Test_cancelled(&status, &cancelled);
    CHECK(cancelled);
    CHECK(request != MPI_REQUEST_NULL);
    // Every rank has withdrawn its receive before the message for the next one is sent.
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Start(&request);
    MPI_Send(&round, 1, MPI_INT, right(), dataTag, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    CHECK(!cancelled);
    CHECK_STATUS(status, left(), dataTag, sizeof(int));
    CHECK_EQ(value, round);
  }
  MPI_Request_free(&request);
}

// Halo exchange in one dimension with persistent requests and a strided type, the use these were made for.
void halo() {
  constexpr int rows = 64;
  constexpr int columns = 50;
  std::vector<double> grid(rows * columns);
  MPI_Datatype column;
  MPI_Type_vector(rows, 1, columns, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_Request requests[4];
  MPI_Recv_init(&grid[0], 1, column, left(), 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(&grid[columns - 1], 1, column, right(), 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Send_init(&grid[1], 1, column, left(), 2, MPI_COMM_WORLD, &requests[2]);
  MPI_Send_init(&grid[columns - 2], 1, column, right(), 1, MPI_COMM_WORLD, &requests[3]);
  // The requests keep the type alive.
  MPI_Type_free(&column);
  for (int round = 0; round < 30; ++round) {
    std::fill(grid.begin(), grid.end(), rank() + round * 100.0);
    MPI_Startall(4, requests);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (int row = 0; row < rows; ++row) {
      CHECK_EQ(grid[row * columns], left() + round * 100.0);
      CHECK_EQ(grid[row * columns + columns - 1], right() + round * 100.0);
      CHECK_EQ(grid[row * columns + columns / 2], rank() + round * 100.0);
    }
  }
  for (MPI_Request& request : requests)
    MPI_Request_free(&request);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return run(argc, argv,
             {{"all-modes-restarted", allModesRestarted},
              {"startall", startall},
              {"start-order", startOrder},
              {"inactive", inactive},
              {"freed-while-active", freedWhileActive},
              {"wildcards", wildcards},
              {"cancelled-and-restarted", cancelledAndRestarted},
              {"halo", halo}});
}
