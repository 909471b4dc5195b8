// Every send mode, blocking and non-blocking, with both kinds of count, into posted and unposted receives
// (MPI 4.1, 3.4, 3.7).
#include "test/mpi/pt2pt/Modes.h"

using namespace check;

namespace {

constexpr int goTag = 900;
constexpr int dataTag = 901;

void tell(int peer) {
  MPI_Send(nullptr, 0, MPI_BYTE, peer, goTag, MPI_COMM_WORLD);
}

void await(int peer) {
  MPI_Recv(nullptr, 0, MPI_BYTE, peer, goTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void sendOne(Mode mode, Twin twin, std::size_t bytes, int peer, bool immediate) {
  Guarded data(bytes);
  data.fillWith(bytes + 7);
  if (immediate) {
    MPI_Request request =
        isend(mode, twin, data.data(), data.count(), MPI_BYTE, peer, dataTag, MPI_COMM_WORLD);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK(request == MPI_REQUEST_NULL);
  } else {
    CHECK_EQ(send(mode, twin, data.data(), data.count(), MPI_BYTE, peer, dataTag, MPI_COMM_WORLD),
             MPI_SUCCESS);
  }
  CHECK_EQ(data.wrongAt(bytes + 7), bytes);
}

void receivePosted(Twin twin, std::size_t bytes, int peer) {
  Guarded data(bytes);
  MPI_Request request = ireceive(twin, data.data(), data.count(), MPI_BYTE, peer, dataTag, MPI_COMM_WORLD);
  tell(peer);
  MPI_Status status;
  CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
  CHECK_STATUS(status, peer, dataTag, bytes);
  CHECK_EQ(data.wrongAt(bytes + 7), bytes);
  CHECK(data.intact());
}

void receiveUnexpected(Twin twin, std::size_t bytes, int peer) {
  MPI_Status status;
  tell(peer);
  MPI_Probe(peer, dataTag, MPI_COMM_WORLD, &status);
  CHECK_STATUS(status, peer, dataTag, bytes);
  Guarded data(bytes);
  receive(twin, data.data(), data.count(), MPI_BYTE, peer, dataTag, MPI_COMM_WORLD, &status);
  CHECK_STATUS(status, peer, dataTag, bytes);
  CHECK_EQ(data.wrongAt(bytes + 7), bytes);
  CHECK(data.intact());
}

void allSizes(bool immediate, bool posted) {
  const int peer = partner();
  if (peer < 0)
    return;
  BsendSpace space((1 << 20) + MPI_BSEND_OVERHEAD);
  for (Mode mode : allModes()) {
    if (mode == Mode::ready && !posted)
      continue;
    for (Twin twin : twins())
      for (std::size_t bytes : fewSizes())
        for (int turn = 0; turn < 2; ++turn) {
          if ((rank() & 1) == turn) {
            await(peer);
            sendOne(mode, twin, bytes, peer, immediate);
          } else if (posted) {
            receivePosted(twin, bytes, peer);
          } else {
            receiveUnexpected(twin, bytes, peer);
          }
        }
  }
}

// All ranks send to the right and receive from the left at once, in all modes, several in flight.
void ring() {
  const int right = (rank() + 1) % size();
  const int left = (rank() + size() - 1) % size();
  BsendSpace space(4 * ((1 << 20) + MPI_BSEND_OVERHEAD));
  for (Twin twin : twins())
    for (std::size_t bytes : fewSizes()) {
      std::vector<Guarded> in(4, Guarded(bytes));
      std::vector<Guarded> out(4, Guarded(bytes));
      std::vector<MPI_Request> requests;
      for (int i = 0; i < 4; ++i)
        requests.push_back(ireceive(twin, in[i].data(), in[i].count(), MPI_BYTE, left, i, MPI_COMM_WORLD));
      // The ready send needs to know that its receive is posted.
      MPI_Sendrecv(nullptr, 0, MPI_BYTE, left, goTag, nullptr, 0, MPI_BYTE, right, goTag, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      int i = 0;
      for (Mode mode : allModes()) {
        out[i].fillWith(static_cast<std::uint64_t>(rank() * 10 + i));
        requests.push_back(
            isend(mode, twin, out[i].data(), out[i].count(), MPI_BYTE, right, i, MPI_COMM_WORLD));
        ++i;
      }
      std::vector<MPI_Status> statuses(requests.size());
      CHECK_EQ(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), statuses.data()), MPI_SUCCESS);
      for (i = 0; i < 4; ++i) {
        CHECK_STATUS(statuses[i], left, i, bytes);
        CHECK_EQ(in[i].wrongAt(static_cast<std::uint64_t>(left * 10 + i)), bytes);
        CHECK(in[i].intact());
      }
    }
}

// A synchronous send does not complete before its receive has started (MPI 4.1, 3.4).
void synchronousWaits() {
  const int peer = partner();
  if (peer < 0)
    return;
  for (std::size_t bytes : fewSizes())
    for (int turn = 0; turn < 2; ++turn) {
      Guarded data(bytes);
      if ((rank() & 1) == turn) {
        data.fillWith(3);
        MPI_Request request = isend(Mode::synchronous, Twin::small, data.data(), data.count(), MPI_BYTE, peer,
                                    dataTag, MPI_COMM_WORLD);
        int early = 0;
        for (int i = 0; i < 300 && !early; ++i)
          MPI_Test(&request, &early, MPI_STATUS_IGNORE);
        CHECK(!early);
        tell(peer);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      } else {
        await(peer);
        MPI_Status status;
        MPI_Recv(data.data(), data.count(), MPI_BYTE, peer, dataTag, MPI_COMM_WORLD, &status);
        CHECK_STATUS(status, peer, dataTag, bytes);
        CHECK_EQ(data.wrongAt(3), bytes);
      }
    }
}

// A buffered send completes without its receive; so does a standard send's buffer come back after MPI_Bsend
// returns.
void bufferedDoesNotWait() {
  const int peer = partner();
  if (peer < 0)
    return;
  constexpr int messages = 10;
  constexpr std::size_t bytes = 200000;
  BsendSpace space(messages * (bytes + MPI_BSEND_OVERHEAD));
  Guarded data(bytes);
  for (int i = 0; i < messages; ++i) {
    data.fillWith(static_cast<std::uint64_t>(i));
    MPI_Bsend(data.data(), data.count(), MPI_BYTE, peer, i, MPI_COMM_WORLD);
    data.clear();
  }
  for (int i = messages - 1; i >= 0; --i) {
    MPI_Status status;
    MPI_Recv(data.data(), data.count(), MPI_BYTE, peer, i, MPI_COMM_WORLD, &status);
    CHECK_STATUS(status, peer, i, bytes);
    CHECK_EQ(data.wrongAt(static_cast<std::uint64_t>(i)), bytes);
  }
}

// The buffer of a blocking send may be overwritten at once.
void sendBufferIsFreeAfterwards() {
  const int peer = partner();
  if (peer < 0)
    return;
  for (std::size_t bytes : fewSizes()) {
    Guarded data(bytes);
    if ((rank() & 1) == 0) {
      for (int i = 0; i < 20; ++i) {
        data.fillWith(static_cast<std::uint64_t>(i));
        MPI_Send(data.data(), data.count(), MPI_BYTE, peer, dataTag, MPI_COMM_WORLD);
      }
    } else {
      for (int i = 0; i < 20; ++i) {
        MPI_Recv(data.data(), data.count(), MPI_BYTE, peer, dataTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK_EQ(data.wrongAt(static_cast<std::uint64_t>(i)), bytes);
        data.clear();
      }
    }
  }
}

// A receive of any mode may be matched by a send of any mode and any wildcard.
void wildcards() {
  const ReturningComm other;
  const int peer = partner();
  if (peer < 0)
    return;
  BsendSpace space(1 << 21);
  for (Mode mode : allModes())
    for (std::size_t bytes : fewSizes())
      for (int wild = 0; wild < 4; ++wild) {
        Guarded in(bytes);
        Guarded out(bytes);
        out.fillWith(static_cast<std::uint64_t>(wild));
        const int source = wild & 1 ? MPI_ANY_SOURCE : peer;
        const int tag = wild & 2 ? MPI_ANY_TAG : dataTag;
        MPI_Request request =
            ireceive(Twin::small, in.data(), in.count(), MPI_BYTE, source, tag, MPI_COMM_WORLD);
        // The wildcards must not catch the synchronisation, hence the other communicator.
        MPI_Sendrecv(nullptr, 0, MPI_BYTE, peer, goTag, nullptr, 0, MPI_BYTE, peer, goTag, other,
                     MPI_STATUS_IGNORE);
        MPI_Request out1 =
            isend(mode, Twin::small, out.data(), out.count(), MPI_BYTE, peer, dataTag, MPI_COMM_WORLD);
        MPI_Status status;
        MPI_Wait(&request, &status);
        CHECK_STATUS(status, peer, dataTag, bytes);
        CHECK_EQ(in.wrongAt(static_cast<std::uint64_t>(wild)), bytes);
        MPI_Wait(&out1, MPI_STATUS_IGNORE);
      }
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return run(argc, argv,
             {{"blocking-posted", [] { allSizes(false, true); }, 2},
              {"blocking-unexpected", [] { allSizes(false, false); }, 2},
              {"immediate-posted", [] { allSizes(true, true); }, 2},
              {"immediate-unexpected", [] { allSizes(true, false); }, 2},
              {"ring", ring},
              {"synchronous-waits", synchronousWaits, 2},
              {"buffered-does-not-wait", bufferedDoesNotWait, 2},
              {"send-buffer-is-free-afterwards", sendBufferIsFreeAfterwards, 2},
              {"wildcards", wildcards, 2}});
}
