// Random traffic among all ranks, the same on every run: kinds of send, of receive, of completion, lengths,
// tags, types and communicators are drawn, every message carries its checksum.
#include "test/mpi/pt2pt/Modes.h"

#include <algorithm>

using namespace check;

namespace {

// One planned message. Every rank draws the same plan and does its part of it.
struct Planned {
  int from, to, tag, comm;
  int ints;     // length of the message in ints
  bool strided; // sent with gaps
  Mode mode;
};

constexpr int comms = 3;
constexpr int messagesInRound = 120;

std::vector<Planned> plan(Random& random, int ranks) {
  std::vector<Planned> all;
  for (int i = 0; i < messagesInRound; ++i) {
    Planned p;
    p.from = random.below(ranks);
    p.to = random.below(ranks);
    p.tag = random.below(4);
    p.comm = random.below(comms);
    const int kind = random.below(20);
    p.ints = kind == 0   ? 0
             : kind < 14 ? random.below(300)
             : kind < 19 ? random.below(30000)
                         : random.below(400000);
    p.strided = random.below(4) == 0;
    const int mode = random.below(10);
    p.mode = mode < 6 ? Mode::standard : mode < 8 ? Mode::synchronous : Mode::buffered;
    all.push_back(p);
  }
  return all;
}

std::uint64_t seedOf(int round, int message) {
  return static_cast<std::uint64_t>(round) * 1000 + static_cast<std::uint64_t>(message);
}

MPI_Request sendPlanned(const Planned& p, int round, int message, MPI_Comm comm, std::vector<int>& storage) {
  std::vector<int> flat(static_cast<std::size_t>(p.ints));
  fill(flat.data(), flat.size() * sizeof(int), seedOf(round, message));
  if (!p.strided || p.ints == 0) {
    storage = flat;
    return isend(p.mode, Twin::small, storage.data(), p.ints, MPI_INT, p.to, p.tag, comm);
  }
  storage.assign(flat.size() * 2, -1);
  for (std::size_t i = 0; i < flat.size(); ++i)
    storage[2 * i] = flat[i];
  MPI_Datatype type;
  MPI_Type_vector(p.ints, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  const MPI_Request request = isend(p.mode, Twin::small, storage.data(), 1, type, p.to, p.tag, comm);
  MPI_Type_free(&type);
  return request;
}

// The receiver knows how many messages come on each communicator; it takes them by probe, by matched probe or
// by name, and looks each up in the plan by source, tag and order.
class Receiver {
public:
  Receiver(const std::vector<Planned>& all, int round)
      : all_(all), taken_(all.size(), false), round_(round) {}

  void took(const std::vector<int>& data, const MPI_Status& status, int comm) {
    int count = -1;
    MPI_Get_count(&status, MPI_INT, &count);
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const Planned& p = all_[i];
      if (taken_[i] || p.to != rank() || p.comm != comm || p.from != status.MPI_SOURCE ||
          p.tag != status.MPI_TAG)
        continue;
      // The first of that source and tag that is left: messages do not overtake.
      taken_[i] = true;
      const std::size_t bytes = static_cast<std::size_t>(p.ints) * sizeof(int);
      CHECK_EQ(count, p.ints);
      if (count == p.ints)
        CHECK_EQ(firstWrong(data.data(), bytes, seedOf(round_, static_cast<int>(i))), bytes);
      return;
    }
    CHECK(!"a message that was not planned");
  }

private:
  const std::vector<Planned>& all_;
  std::vector<bool> taken_;
  int round_;
};

void takeOne(Receiver& receiver, Random& dice, MPI_Comm comm, int index) {
  MPI_Status status;
  int count = 0;
  std::vector<int> data;
  const int way = dice.below(4);
  if (way == 0) {
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    data.resize(static_cast<std::size_t>(count));
    MPI_Recv(data.data(), count, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, comm, &status);
  } else if (way == 1) {
    MPI_Message message;
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &message, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    data.resize(static_cast<std::size_t>(count));
    MPI_Mrecv(data.data(), count, MPI_INT, &message, &status);
  } else if (way == 2) {
    MPI_Message message;
    int found = 0;
    while (!found)
      MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, &message, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    data.resize(static_cast<std::size_t>(count));
    MPI_Request request;
    MPI_Imrecv(data.data(), count, MPI_INT, &message, &request);
    MPI_Wait(&request, &status);
  } else {
    data.resize(400000);
    MPI_Request request;
    MPI_Irecv(data.data(), 400000, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request);
    int done = 0;
    while (!done)
      MPI_Test(&request, &done, &status);
  }
  receiver.took(data, status, index);
}

void randomTraffic() {
  Random random(987654321);
  Random dice(static_cast<std::uint64_t>(rank()) + 17);
  MPI_Comm theComms[comms];
  for (MPI_Comm& comm : theComms)
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const int rounds = 25;
  BsendSpace space(std::size_t{messagesInRound} * (1700000 + MPI_BSEND_OVERHEAD));
  for (int round = 0; round < rounds; ++round) {
    const std::vector<Planned> all = plan(random, size());
    std::vector<std::vector<int>> storage(all.size());
    std::vector<MPI_Request> requests;
    int toMe[comms] = {0, 0, 0};
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].from == rank())
        requests.push_back(
            sendPlanned(all[i], round, static_cast<int>(i), theComms[all[i].comm], storage[i]));
      if (all[i].to == rank())
        ++toMe[all[i].comm];
    }
    Receiver receiver(all, round);
    while (toMe[0] + toMe[1] + toMe[2] > 0) {
      const int index = dice.below(comms);
      if (toMe[index] == 0)
        continue;
      --toMe[index];
      takeOne(receiver, dice, theComms[index], index);
    }
    const int count = static_cast<int>(requests.size());
    if (round % 3 == 0) {
      MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
    } else if (round % 3 == 1) {
      for (int i = 0; i < count; ++i) {
        int index = -1;
        MPI_Waitany(count, requests.data(), &index, MPI_STATUS_IGNORE);
        CHECK(index >= 0);
      }
    } else {
      int done = 0;
      while (!done)
        MPI_Testall(count, requests.data(), &done, MPI_STATUSES_IGNORE);
    }
    // Rounds are kept apart, so that a wildcard of this one cannot take a message of the next.
    MPI_Barrier(MPI_COMM_WORLD);
  }
  for (MPI_Comm& comm : theComms)
    MPI_Comm_free(&comm);
}

// Everyone to everyone, in windows, lengths by a fixed draw: the order per pair is checked by sequence
// numbers.
void allToAll() {
  constexpr int each = 150;
  constexpr int window = 30;
  const int ranks = size();
  std::vector<MPI_Request> requests;
  std::vector<std::vector<unsigned char>> out(static_cast<std::size_t>(ranks * window));
  std::vector<std::vector<unsigned char>> in(static_cast<std::size_t>(ranks * window));
  const auto length = [](int from, int to, int i) {
    const std::uint64_t draw = mix(static_cast<std::uint64_t>(from * 1000003 + to * 7919 + i));
    return static_cast<std::size_t>(draw % 16 == 0 ? draw % 200000 : draw % 2000);
  };
  for (int base = 0; base < each; base += window) {
    requests.clear();
    for (int i = 0; i < window; ++i)
      for (int peer = 0; peer < ranks; ++peer) {
        const int slot = i * ranks + peer;
        in[slot].assign(length(peer, rank(), base + i), 0);
        requests.push_back(ireceive(Twin::small, in[slot].data(), static_cast<int>(in[slot].size()), MPI_BYTE,
                                    peer, 1, MPI_COMM_WORLD));
        out[slot].resize(length(rank(), peer, base + i));
        fill(out[slot].data(), out[slot].size(), static_cast<std::uint64_t>(base + i));
        requests.push_back(isend(i % 5 ? Mode::standard : Mode::synchronous, Twin::small, out[slot].data(),
                                 static_cast<int>(out[slot].size()), MPI_BYTE, peer, 1, MPI_COMM_WORLD));
      }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    for (int i = 0; i < window; ++i)
      for (int peer = 0; peer < ranks; ++peer) {
        const std::vector<unsigned char>& got = in[static_cast<std::size_t>(i * ranks + peer)];
        CHECK_EQ(firstWrong(got.data(), got.size(), static_cast<std::uint64_t>(base + i)), got.size());
      }
  }
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return run(argc, argv, {{"random-traffic", randomTraffic}, {"all-to-all", allToAll}});
}
