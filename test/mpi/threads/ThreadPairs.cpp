// Several threads send and receive at once: on one communicator with tags of their own, on communicators of
// their own, and with nothing of their own, where each message must be received exactly once
// (MPI 4.1, 11.6.1).
#include "test/mpi/pt2pt/Modes.h"
#include "test/mpi/threads/Team.h"

#include <set>

using namespace check;

namespace {

// A ring for one thread, over lengths on both sides of every change of the way of sending.
void ring(MPI_Comm comm, int thread, int tag, int rounds) {
  const std::vector<std::size_t> sizes = fewSizes();
  for (int round = 0; round < rounds; ++round) {
    const std::size_t bytes = sizes[static_cast<std::size_t>(round) % sizes.size()];
    Guarded in(bytes);
    Guarded out(bytes);
    const auto seed = static_cast<std::uint64_t>(thread * 100000 + round * 10);
    out.fillWith(seed + static_cast<std::uint64_t>(rank()));
    MPI_Request request;
    MPI_Status status;
    if (round % 3 == 0) {
      MPI_Irecv(in.data(), in.count(), MPI_BYTE, left(), tag, comm, &request);
      MPI_Send(out.data(), out.count(), MPI_BYTE, right(), tag, comm);
      MPI_Wait(&request, &status);
    } else if (round % 3 == 1) {
      MPI_Isend(out.data(), out.count(), MPI_BYTE, right(), tag, comm, &request);
      MPI_Recv(in.data(), in.count(), MPI_BYTE, left(), tag, comm, &status);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      MPI_Sendrecv(out.data(), out.count(), MPI_BYTE, right(), tag, in.data(), in.count(), MPI_BYTE, left(),
                   tag, comm, &status);
    }
    CHECK_STATUS(status, left(), tag, bytes);
    CHECK_EQ(in.wrongAt(seed + static_cast<std::uint64_t>(left())), bytes);
    CHECK(in.intact());
  }
}

void ownTags(int threads) {
  team(threads, [](int thread) { ring(MPI_COMM_WORLD, thread, 10 + thread, 60); });
}

void ownCommunicators(int threads) {
  std::vector<MPI_Comm> comms(static_cast<std::size_t>(threads));
  for (MPI_Comm& comm : comms)
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  team(threads, [&](int thread) { ring(comms[static_cast<std::size_t>(thread)], thread, 10, 60); });
  for (MPI_Comm& comm : comms)
    MPI_Comm_free(&comm);
}

// Every thread sends numbered messages with one tag and receives as many from anywhere: all numbers come
// exactly once.
void sharedWildcards(int threads, bool anySource) {
  constexpr int each = 400;
  const ReturningComm comm;
  std::vector<std::vector<int>> got(static_cast<std::size_t>(threads));
  team(threads, [&](int thread) {
    for (int i = 0; i < each; ++i) {
      const int out = thread * each + i;
      MPI_Request request;
      MPI_Isend(&out, 1, MPI_INT, right(), 5, comm, &request);
      int in = -1;
      MPI_Status status;
      MPI_Recv(&in, 1, MPI_INT, anySource ? MPI_ANY_SOURCE : left(), anySource ? MPI_ANY_TAG : 5, comm,
               &status);
      CHECK_EQ(status.MPI_SOURCE, left());
      got[static_cast<std::size_t>(thread)].push_back(in);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  });
  std::set<int> all;
  for (int thread = 0; thread < threads; ++thread) {
    // One thread's receives see each sender thread's messages in order.
    std::vector<int> last(static_cast<std::size_t>(threads), -1);
    for (int value : got[static_cast<std::size_t>(thread)]) {
      CHECK(value > last[static_cast<std::size_t>(value / each)]);
      last[static_cast<std::size_t>(value / each)] = value;
      all.insert(value);
    }
  }
  CHECK_EQ(static_cast<int>(all.size()), threads * each);
}

// Half of the threads only send, the other half only receive by probe and matched probe.
void sendersAndReceivers() {
  constexpr int each = 300;
  const ReturningComm comm;
  std::atomic<int> received{0};
  std::atomic<long> sum{0};
  team(4, [&](int thread) {
    if (thread < 2) {
      for (int i = 0; i < each; ++i) {
        std::vector<int> out(static_cast<std::size_t>(1 + i % 5 * 700), thread * each + i);
        MPI_Send(out.data(), static_cast<int>(out.size()), MPI_INT, right(), 6, comm);
      }
    } else {
      for (int i = 0; i < each; ++i) {
        MPI_Message message;
        MPI_Status status;
        MPI_Mprobe(MPI_ANY_SOURCE, 6, comm, &message, &status);
        int count = -1;
        MPI_Get_count(&status, MPI_INT, &count);
        std::vector<int> in(static_cast<std::size_t>(count));
        MPI_Mrecv(in.data(), count, MPI_INT, &message, MPI_STATUS_IGNORE);
        for (int value : in)
          CHECK_EQ(value, in[0]);
        CHECK_EQ(count, 1 + in[0] % each % 5 * 700);
        sum += in[0];
        ++received;
      }
    }
  });
  constexpr long total = 2 * each;
  CHECK_EQ(received, total);
  CHECK_EQ(sum, total * (total - 1) / 2);
}

// Every send mode at once, one thread each.
void modesAtOnce() {
  BsendSpace space(100 * (5000 + MPI_BSEND_OVERHEAD));
  team(3, [](int thread) {
    const Mode mode = thread == 0 ? Mode::standard : thread == 1 ? Mode::buffered : Mode::synchronous;
    for (int round = 0; round < 100; ++round) {
      Guarded in(5000);
      Guarded out(5000);
      out.fillWith(static_cast<std::uint64_t>(round));
      MPI_Request request;
      MPI_Irecv(in.data(), in.count(), MPI_BYTE, left(), 20 + thread, MPI_COMM_WORLD, &request);
      send(mode, Twin::small, out.data(), out.count(), MPI_BYTE, right(), 20 + thread, MPI_COMM_WORLD);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      CHECK_EQ(in.wrongAt(static_cast<std::uint64_t>(round)), in.bytes());
    }
  });
}

// Persistent requests of different threads.
void persistent() {
  team(3, [](int thread) {
    std::uint64_t in = 0;
    std::uint64_t out = 0;
    MPI_Request requests[2];
    MPI_Recv_init(&in, 1, MPI_UINT64_T, left(), 30 + thread, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(&out, 1, MPI_UINT64_T, right(), 30 + thread, MPI_COMM_WORLD, &requests[1]);
    for (int round = 0; round < 200; ++round) {
      out = static_cast<std::uint64_t>(rank() * 1000000 + thread * 10000 + round);
      MPI_Startall(2, requests);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      CHECK_EQ(in, static_cast<std::uint64_t>(left() * 1000000 + thread * 10000 + round));
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
  });
}

} // namespace

int main(int argc, char** argv) {
  initMultiple(&argc, &argv);
  return run(argc, argv,
             {{"own-tags-2", [] { ownTags(2); }},
              {"own-tags-4", [] { ownTags(4); }},
              {"own-communicators", [] { ownCommunicators(4); }},
              {"shared-named", [] { sharedWildcards(3, false); }},
              {"shared-wild", [] { sharedWildcards(4, true); }},
              {"senders-and-receivers", sendersAndReceivers},
              {"modes-at-once", modesAtOnce},
              {"persistent", persistent}});
}
