// Order: messages do not overtake one another, receives match in the order in which they were posted
// (MPI 4.1, 3.5).
#include "test/mpi/pt2pt/Modes.h"

#include <algorithm>

using namespace check;

namespace {

// Lengths that go by different ways (eager, rendezvous), in an order that tempts a short one to overtake.
const std::size_t lengths[] = {1 << 20, 8, 0, 70000, 4, 9000, 300000, 16, 1024, 128};
constexpr int messages = 60;

std::size_t lengthOf(int message) {
  return lengths[static_cast<std::size_t>(message) % (sizeof lengths / sizeof lengths[0])];
}

void checkArrived(Guarded& data, const MPI_Status& status, int source, int tag, int message,
                  std::uint64_t seed = 0) {
  CHECK_STATUS(status, source, tag, lengthOf(message));
  CHECK_EQ(firstWrong(data.data(), lengthOf(message), seed + static_cast<std::uint64_t>(message)),
           lengthOf(message));
  CHECK(data.intact());
}

// One sender, one tag: they arrive in the order of the sends, however they are received and sent. The buffers
// are one for each message; the contents depend on the seed.
void oneTag(bool immediateSend, int wild, bool posted, std::vector<Guarded>& buffers, std::uint64_t seed) {
  const int peer = partner();
  if (peer < 0)
    return;
  constexpr int tag = 5;
  if (rank() % 2 == 0) {
    std::vector<Guarded>& out = buffers;
    std::vector<MPI_Request> requests;
    for (int i = 0; i < messages; ++i)
      out[i].fillWith(seed + static_cast<std::uint64_t>(i));
    MPI_Recv(nullptr, 0, MPI_BYTE, peer, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < messages; ++i) {
      if (immediateSend)
        requests.push_back(isend(i % 3 ? Mode::standard : Mode::synchronous, Twin::small, out[i].data(),
                                 out[i].count(), MPI_BYTE, peer, tag, MPI_COMM_WORLD));
      else
        MPI_Send(out[i].data(), out[i].count(), MPI_BYTE, peer, tag, MPI_COMM_WORLD);
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    return;
  }
  const int source = wild & 1 ? MPI_ANY_SOURCE : peer;
  const int wantedTag = wild & 2 ? MPI_ANY_TAG : tag;
  std::vector<Guarded>& in = buffers;
  MPI_Status status;
  if (posted) {
    std::vector<MPI_Request> requests;
    for (int i = 0; i < messages; ++i)
      requests.push_back(
          ireceive(Twin::small, in[i].data(), 1 << 20, MPI_BYTE, source, wantedTag, MPI_COMM_WORLD));
    MPI_Send(nullptr, 0, MPI_BYTE, peer, 99, MPI_COMM_WORLD);
    for (int i = 0; i < messages; ++i) {
      MPI_Wait(&requests[i], &status);
      checkArrived(in[i], status, peer, tag, i, seed);
    }
  } else {
    MPI_Send(nullptr, 0, MPI_BYTE, peer, 99, MPI_COMM_WORLD);
    for (int i = 0; i < messages; ++i) {
      MPI_Recv(in[0].data(), 1 << 20, MPI_BYTE, source, wantedTag, MPI_COMM_WORLD, &status);
      checkArrived(in[0], status, peer, tag, i, seed);
    }
  }
}

void oneTagAllWays() {
  std::vector<Guarded> buffers;
  for (int i = 0; i < messages; ++i)
    buffers.emplace_back(rank() % 2 == 0 ? lengthOf(i) : std::size_t{1} << 20);
  std::uint64_t seed = 0;
  for (int wild = 0; wild < 4; ++wild)
    for (bool posted : {false, true})
      for (bool immediate : {false, true}) {
        oneTag(immediate, wild, posted, buffers, seed);
        seed += messages;
        MPI_Barrier(MPI_COMM_WORLD);
      }
}

// Two sends that both match the first of two receives: the first send goes to the first receive (3.5,
// example 3.6).
void specificAndWildPosted() {
  const int peer = partner();
  if (peer < 0)
    return;
  for (std::size_t bytes : fewSizes())
    for (int variant = 0; variant < 2; ++variant) {
      Guarded a(bytes);
      Guarded b(bytes);
      if (rank() % 2 == 0) {
        a.fillWith(1);
        b.fillWith(2);
        MPI_Recv(nullptr, 0, MPI_BYTE, peer, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(a.data(), a.count(), MPI_BYTE, peer, 5, MPI_COMM_WORLD);
        MPI_Send(b.data(), b.count(), MPI_BYTE, peer, 5, MPI_COMM_WORLD);
      } else {
        MPI_Request requests[2];
        MPI_Status statuses[2];
        // The wild receive is the older one in variant 0, the younger one in variant 1.
        const int firstTag = variant == 0 ? MPI_ANY_TAG : 5;
        const int secondTag = variant == 0 ? 5 : MPI_ANY_TAG;
        MPI_Irecv(a.data(), a.count(), MPI_BYTE, MPI_ANY_SOURCE, firstTag, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(b.data(), b.count(), MPI_BYTE, peer, secondTag, MPI_COMM_WORLD, &requests[1]);
        MPI_Send(nullptr, 0, MPI_BYTE, peer, 99, MPI_COMM_WORLD);
        MPI_Waitall(2, requests, statuses);
        CHECK_STATUS(statuses[0], peer, 5, bytes);
        CHECK_STATUS(statuses[1], peer, 5, bytes);
        CHECK_EQ(a.wrongAt(1), bytes);
        CHECK_EQ(b.wrongAt(2), bytes);
      }
    }
}

// Different tags may be received in any order, and a wildcard takes the oldest that is left.
void otherTagsOutOfOrder() {
  const int peer = partner();
  if (peer < 0)
    return;
  if (rank() % 2 == 0) {
    std::vector<MPI_Request> requests;
    std::vector<Guarded> out;
    for (int i = 0; i < messages; ++i) {
      out.emplace_back(lengthOf(i));
      out.back().fillWith(static_cast<std::uint64_t>(i));
    }
    for (int i = 0; i < messages; ++i)
      requests.push_back(isend(Mode::standard, Twin::small, out[i].data(), out[i].count(), MPI_BYTE, peer, i,
                               MPI_COMM_WORLD));
    MPI_Waitall(messages, requests.data(), MPI_STATUSES_IGNORE);
  } else {
    Guarded in(1 << 20);
    MPI_Status status;
    // Odd tags by name from the back, then the even ones by wildcard from the front.
    for (int i = messages - 1; i >= 0; i -= 2) {
      MPI_Recv(in.data(), 1 << 20, MPI_BYTE, peer, i, MPI_COMM_WORLD, &status);
      checkArrived(in, status, peer, i, i);
    }
    for (int i = 0; i < messages; i += 2) {
      MPI_Recv(in.data(), 1 << 20, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      checkArrived(in, status, peer, i, i);
    }
  }
}

// Everybody sends to rank 0, itself included: order holds per source under wildcards.
void manySources() {
  const ReturningComm other;
  constexpr int each = 200;
  std::vector<MPI_Request> requests;
  std::vector<int> values(2 * each);
  for (int i = 0; i < each; ++i) {
    values[2 * i] = rank();
    values[2 * i + 1] = i;
    MPI_Request request;
    MPI_Isend(&values[2 * i], 2, MPI_INT, 0, i % 3, other, &request);
    requests.push_back(request);
  }
  if (rank() == 0) {
    std::vector<int> next(static_cast<std::size_t>(size()), 0);
    for (int i = 0; i < each * size(); ++i) {
      int value[2];
      MPI_Status status;
      MPI_Recv(value, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, other, &status);
      CHECK_EQ(value[0], status.MPI_SOURCE);
      CHECK_EQ(value[1], next[static_cast<std::size_t>(value[0])]++);
      CHECK_EQ(status.MPI_TAG, value[1] % 3);
    }
  }
  MPI_Waitall(each, requests.data(), MPI_STATUSES_IGNORE);
}

// Any-source receives posted among specific ones for other sources: each takes what it may, the oldest first.
void anySourceAmongSpecific() {
  constexpr int rounds = 30;
  const ReturningComm other;
  if (rank() == 0) {
    const int peers = size() - 1;
    for (int round = 0; round < rounds; ++round) {
      std::vector<int> got(static_cast<std::size_t>(2 * peers), -1);
      std::vector<MPI_Request> requests(got.size());
      std::vector<MPI_Status> statuses(got.size());
      // First a specific receive for each, then a wild one for each: the wild ones get the second messages.
      for (int i = 0; i < peers; ++i)
        MPI_Irecv(&got[i], 1, MPI_INT, i + 1, round, other, &requests[i]);
      for (int i = peers; i < 2 * peers; ++i)
        MPI_Irecv(&got[i], 1, MPI_INT, MPI_ANY_SOURCE, round, other, &requests[i]);
      MPI_Barrier(other);
      MPI_Waitall(2 * peers, requests.data(), statuses.data());
      std::vector<int> seen(static_cast<std::size_t>(size()), 0);
      for (int i = 0; i < 2 * peers; ++i) {
        const int source = statuses[i].MPI_SOURCE;
        ++seen[source];
        CHECK_EQ(got[i], source * 2 + (i < peers ? 0 : 1));
      }
      for (int i = 1; i <= peers; ++i)
        CHECK_EQ(seen[i], 2);
    }
  } else {
    for (int round = 0; round < rounds; ++round) {
      MPI_Barrier(other);
      for (int i = 0; i < 2; ++i) {
        const int value = rank() * 2 + i;
        MPI_Send(&value, 1, MPI_INT, 0, round, other);
      }
    }
  }
}

// A wild receive that waits must not take away what a later specific receive of another communicator is for.
void communicatorsAreApart() {
  const int peer = partner();
  MPI_Comm first;
  MPI_Comm second;
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  MPI_Comm_dup(MPI_COMM_WORLD, &second);
  if (peer >= 0) {
    for (std::size_t bytes : fewSizes()) {
      Guarded inFirst(bytes);
      Guarded inSecond(bytes);
      Guarded out(bytes);
      MPI_Request requests[2];
      MPI_Irecv(inFirst.data(), inFirst.count(), MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, first, &requests[0]);
      MPI_Irecv(inSecond.data(), inSecond.count(), MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, second,
                &requests[1]);
      out.fillWith(2);
      MPI_Send(out.data(), out.count(), MPI_BYTE, peer, 1, second);
      MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
      int done = 1;
      MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE);
      CHECK(!done);
      out.fillWith(1);
      MPI_Sendrecv(nullptr, 0, MPI_BYTE, peer, 1, nullptr, 0, MPI_BYTE, peer, 1, second, MPI_STATUS_IGNORE);
      MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE);
      CHECK(!done);
      MPI_Sendrecv(nullptr, 0, MPI_BYTE, peer, 1, nullptr, 0, MPI_BYTE, peer, 1, second, MPI_STATUS_IGNORE);
      MPI_Send(out.data(), out.count(), MPI_BYTE, peer, 1, first);
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
      CHECK_EQ(inFirst.wrongAt(1), bytes);
      CHECK_EQ(inSecond.wrongAt(2), bytes);
    }
  }
  MPI_Comm_free(&first);
  MPI_Comm_free(&second);
}

// Probe shows the oldest matching message, the one that the next such receive gets (3.8.1).
void probeThenReceive() {
  const int peer = partner();
  if (peer < 0)
    return;
  if (rank() % 2 == 0) {
    for (int i = 0; i < messages; ++i) {
      Guarded out(lengthOf(i));
      out.fillWith(static_cast<std::uint64_t>(i));
      MPI_Send(out.data(), out.count(), MPI_BYTE, peer, i % 4, MPI_COMM_WORLD);
    }
  } else {
    for (int i = 0; i < messages; ++i) {
      MPI_Status probed;
      MPI_Status received;
      MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &probed);
      CHECK_STATUS(probed, peer, i % 4, lengthOf(i));
      int bytes = -1;
      MPI_Get_count(&probed, MPI_BYTE, &bytes);
      Guarded in(static_cast<std::size_t>(bytes));
      MPI_Recv(in.data(), bytes, MPI_BYTE, probed.MPI_SOURCE, probed.MPI_TAG, MPI_COMM_WORLD, &received);
      checkArrived(in, received, peer, i % 4, i);
    }
  }
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return run(argc, argv,
             {{"one-tag", oneTagAllWays, 2},
              {"specific-and-wild-posted", specificAndWildPosted, 2},
              {"other-tags-out-of-order", otherTagsOutOfOrder, 2},
              {"many-sources", manySources},
              {"any-source-among-specific", anySourceAmongSpecific, 2},
              {"communicators-are-apart", communicatorsAreApart, 2},
              {"probe-then-receive", probeThenReceive, 2}});
}
